import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { openSession } from '#local/session/session.ts'
import { getThisDevice } from '#local/storage/device.ts'
import type { CallResult } from '#request/call-results.ts'
import { StoreProvider } from '#state/use-store.ts'
import { signedOut } from '#state/session-slice.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { useRecord } from '#state/use-record.ts'

type Input = InputOf<typeof getUser> | null
const toUserInput = (userId: number): Input => ({ query: { userId } })
const refusedResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }
const freshResult: CallResult<null> = { kind: 'fresh', output: null }

/** Signs in user 1 and stores the response about that user on the device. */
async function storeResponse(userId: number) {
  const device = getThisDevice()
  await openSession(device, { companyId: 7, userId: 1 })
  const { path } = toHttpRequest(getUser, toUserInput(userId) as never)
  await device
    .getDatabase({ companyId: 7, userId: 1 })
    .responses.put({ path, body: `{"id":${userId}}`, asOf: 5 } as never)
}

/** Renders `useRecord` with a cached response for user 1 and a server whose calls the test resolves. */
async function renderRecord(initialProps: Input) {
  await storeResponse(1)
  const calls: {
    input: unknown
    respond: (result: CallResult<unknown>) => Promise<void>
    fail: () => Promise<void>
  }[] = []
  const call = (_endpoint: unknown, input: unknown) =>
    new Promise((resolve, reject) => {
      calls.push({
        input,
        respond: (result) => act(async () => resolve(result)),
        fail: () => act(async () => reject(new TypeError('Failed to fetch dynamically imported module'))),
      })
    })
  const store = createStore({ api: { call } } as unknown as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const hook = renderHook((input: Input) => useRecord(getUser, input), { wrapper, initialProps })
  return { calls, store, result: hook.result, rerender: hook.rerender }
}

it('useRecord shows the cached record while it fetches, never the record of another input', async () => {
  const { calls, result, rerender } = await renderRecord(toUserInput(1))
  expect([result.current.record, result.current.isFetching]).toEqual([undefined, true])
  await expect.poll(() => result.current.record).toEqual({ id: 1 })
  expect(result.current.asOf).toBe(5)
  rerender(toUserInput(2))
  expect([result.current.record, result.current.asOf]).toEqual([undefined, null])
  await expect.poll(() => result.current.record).toBeNull()
  expect(calls.map(({ input }) => input)).toEqual([toUserInput(1), toUserInput(2)])
})

it('useRecord requests nothing without an input', async () => {
  const { calls, result, rerender } = await renderRecord(null)
  await act(() => result.current.refetch())
  expect(calls).toEqual([])
  rerender(toUserInput(1))
  expect(calls).toHaveLength(1)
})

it('useRecord returns the problem of the latest request, until the next request or user', async () => {
  const { calls, store, result } = await renderRecord(toUserInput(1))
  act(() => void result.current.refetch())
  await calls[0]?.respond(refusedResult)
  expect(result.current).toMatchObject({ isFetching: true, problem: null })
  await calls[1]?.respond(refusedResult)
  expect(result.current).toMatchObject({ isFetching: false, problem: { code: 'OFFLINE' } })
  act(() => void result.current.refetch())
  expect(result.current.problem).toBeNull()
  await calls[2]?.respond(freshResult)
  expect(result.current).toMatchObject({ isFetching: false, problem: null })
  act(() => void result.current.refetch())
  await calls[3]?.respond(refusedResult)
  act(() => void store.dispatch(signedOut('left')))
  expect(result.current.problem).toBeNull()
})

it('useRecord treats code that cannot be loaded as a lost connection, and can be retried', async () => {
  const { calls, result } = await renderRecord(toUserInput(1))
  await calls[0]?.fail()
  expect(result.current).toMatchObject({ isFetching: false, problem: { code: 'OFFLINE' } })
  act(() => void result.current.refetch())
  await calls[1]?.respond(freshResult)
  expect(result.current.problem).toBeNull()
})
