import { expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { pollAgain, dismissJob, selectActivity, startVerification } from '#features/activity/slice.ts'
import type { CallResult } from '#request/call-results.ts'
import { signedOut } from '#state/session-slice.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import texts from '#locales/en/activity.json' with { type: 'json' }

const refusedResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

function openStore(result: CallResult<unknown>, action: () => Promise<void> = async () => undefined) {
  const extra = { api: { call: async () => result }, jobActions: { retry: action, dismiss: action, markSeen: action } }
  const store = createStore(extra as unknown as ThunkExtra)
  return { store, state: () => selectActivity(store.getState()) }
}

it('a check of the trail is under way until the server has taken it', async () => {
  const { store, state } = openStore({ kind: 'started', jobId: 'j-1' })
  const verifying = store.dispatch(startVerification())
  expect(state()).toEqual({ isVerifying: true, problem: null })
  await verifying
  expect(state()).toEqual({ isVerifying: false, problem: null })
})

it('why it could not be begun stands until something else is pressed or its user has left', async () => {
  const { store, state } = openStore(refusedResult)
  await store.dispatch(startVerification())
  expect(state()).toMatchObject({ isVerifying: false, problem: { code: 'OFFLINE' } })
  await store.dispatch(pollAgain('i-1'))
  expect(state().problem).toBeNull()
  await store.dispatch(startVerification())
  store.dispatch(signedOut('left'))
  expect(state().problem).toBeNull()
})

it('a button whose code cannot be fetched says that there is no connection', async () => {
  const { store, state } = openStore(refusedResult, () => Promise.reject(new TypeError('Failed to fetch')))
  await store.dispatch(dismissJob('i-1'))
  expect(state().problem).toMatchObject({ code: 'OFFLINE' })
})

it('every endpoint that begins a background task has a name for it', () => {
  const jobEndpointNames = endpoints.filter(({ job }) => job !== undefined).map(({ name }) => name)
  const translatedNames = Object.keys(texts.name).filter((name) => name !== 'other')
  expect(translatedNames.toSorted()).toEqual(jobEndpointNames.toSorted())
})
