import { expect, it } from 'vitest'
import { runUserAction, selectRunningActions, sendUserAction } from '#features/users/slice.ts'
import type { CallResult } from '#request/call-results.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'

/** Creates a server whose responses the test chooses. */
function createServer() {
  const endpointNames: string[] = []
  const responses: ((result: CallResult<unknown>) => void)[] = []
  const call = (endpoint: { name: string }) => {
    endpointNames.push(endpoint.name)
    return new Promise((resolve) => responses.push(resolve))
  }
  const store = createStore({ api: { call } } as unknown as ThunkExtra)
  return { endpointNames, responses, store }
}
const freshResult: CallResult<null> = { kind: 'fresh', output: null }

it('runUserAction and sendUserAction send one action on a user at a time', async () => {
  const { endpointNames, responses, store } = createServer()
  const firstResult = store.dispatch(runUserAction('disable', 7))
  expect(selectRunningActions(store.getState())).toEqual({ 7: true })
  expect(await store.dispatch(runUserAction('enable', 7))).toBeNull()
  expect(await store.dispatch(sendUserAction({ action: 'remove', id: 7 }))).toMatchObject({
    kind: 'problem',
    problem: { code: 'IDEMPOTENCY_IN_PROGRESS' },
  })
  await expect.poll(() => responses).toHaveLength(1)
  responses[0]?.(freshResult)
  expect(await firstResult).toEqual(freshResult)

  expect(selectRunningActions(store.getState())).toEqual({})
  const secondResult = store.dispatch(sendUserAction({ action: 'remove', id: 7 }))
  await expect.poll(() => responses).toHaveLength(2)
  responses[1]?.(freshResult)
  expect(await secondResult).toEqual(freshResult)
  expect(endpointNames).toEqual(['disableUser', 'deleteUser'])
})

it('sendUserAction sends actions on different users in parallel', async () => {
  const { responses, store } = createServer()
  const results = [7, 8].map((id) => store.dispatch(sendUserAction({ action: 'activatemail', id })))
  await expect.poll(() => responses).toHaveLength(2)
  for (const respond of responses) respond(freshResult)
  expect(await Promise.all(results)).toEqual([freshResult, freshResult])
})
