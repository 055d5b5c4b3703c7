import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { useJobActions } from '#features/activity/useJobActions.ts'
import type { CallResult } from '#request/call-results.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { StoreProvider } from '#state/use-store.ts'
import texts from '#locales/en/activity.json' with { type: 'json' }

const refusedResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

function renderActions(result: CallResult<unknown>, action: () => Promise<void> = async () => undefined) {
  const extra = { api: { call: async () => result }, jobActions: { retry: action, dismiss: action } }
  const store = createStore(extra as unknown as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  return renderHook(useJobActions, { wrapper }).result
}

it('useJobActions returns isVerifying until the server has accepted the request', async () => {
  const actions = renderActions({ kind: 'started', jobId: 'j-1' })
  act(() => void actions.current.verify())
  expect(actions.current).toMatchObject({ isVerifying: true, problem: null })
  await act(async () => undefined)
  expect(actions.current).toMatchObject({ isVerifying: false, problem: null })
})

it('useJobActions returns why a job did not start, until the next action', async () => {
  const actions = renderActions(refusedResult)
  await act(() => actions.current.verify())
  expect(actions.current).toMatchObject({ isVerifying: false, problem: { code: 'OFFLINE' } })
  await act(() => actions.current.changeJob({ change: 'retry', intent: 'i-1' }))
  expect(actions.current.problem).toBeNull()
})

it('useJobActions returns NEEDS_CONNECTION if its code cannot be loaded, until the next action', async () => {
  const actions = renderActions({ kind: 'started', jobId: 'j-1' }, () =>
    Promise.reject(new TypeError('Failed to fetch')),
  )
  await act(() => actions.current.changeJob({ change: 'dismiss', intent: 'i-1' }))
  expect(actions.current.problem).toMatchObject({ code: 'NEEDS_CONNECTION' })
  await act(() => actions.current.verify())
  expect(actions.current.problem).toBeNull()
})

it('Every endpoint that starts a background task has a translated name', () => {
  const jobEndpointNames = endpoints.filter(({ job }) => job !== undefined).map(({ name }) => name)
  const translatedNames = Object.keys(texts.name).filter((name) => name !== 'other')
  expect(translatedNames.toSorted()).toEqual(jobEndpointNames.toSorted())
})
