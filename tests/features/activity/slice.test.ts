import { expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { localProblem } from '#contract/problem.ts'
import { again, dismiss, selectActivity, verify } from '#features/activity/slice.ts'
import type { Result } from '#request/results.ts'
import { signedOut } from '#state/session-slice.ts'
import { type Extra, makeStore } from '#state/store.ts'
import texts from '#locales/en/activity.json' with { type: 'json' }

const refused: Result<never> = { kind: 'problem', problem: localProblem('OFFLINE') }

function open(result: Result<unknown>, act: () => Promise<void> = async () => undefined) {
  const extra = { api: { call: async () => result }, jobs: { again: act, dismiss: act, seen: act } }
  const store = makeStore(extra as unknown as Extra)
  return { store, state: () => selectActivity(store.getState()) }
}

it('a check of the trail is under way until the server has taken it', async () => {
  const { store, state } = open({ kind: 'started', jobId: 'j-1' })
  const sent = store.dispatch(verify())
  expect(state()).toEqual({ isVerifying: true, problem: null })
  await sent
  expect(state()).toEqual({ isVerifying: false, problem: null })
})

it('why it could not be begun stands until something else is pressed or its user has left', async () => {
  const { store, state } = open(refused)
  await store.dispatch(verify())
  expect(state()).toMatchObject({ isVerifying: false, problem: { code: 'OFFLINE' } })
  await store.dispatch(again('i-1'))
  expect(state().problem).toBeNull()
  await store.dispatch(verify())
  store.dispatch(signedOut('left'))
  expect(state().problem).toBeNull()
})

it('a button whose code cannot be fetched says that there is no connection', async () => {
  const { store, state } = open(refused, () => Promise.reject(new TypeError('Failed to fetch')))
  await store.dispatch(dismiss('i-1'))
  expect(state().problem).toMatchObject({ code: 'OFFLINE' })
})

it('every endpoint that begins a background task has a name for it', () => {
  const begin = endpoints.filter(({ job }) => job !== undefined).map(({ name }) => name)
  const named = Object.keys(texts.name).filter((name) => name !== 'other')
  expect(named.toSorted()).toEqual(begin.toSorted())
})
