import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import type { InputOf } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import { networkStateChanged } from '#state/connection-slice.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'
import { useServerResponse } from '#state/use-server-response.ts'
import { StoreProvider } from '#state/use-store.ts'

type Input = InputOf<typeof getUser> | null
const toUserInput = (userId: number): Input => ({ query: { userId } })
const buildResult = (id: number) => ({ kind: 'fresh', output: { id } }) as CallResult<never>

/** Renders the hook with a server whose calls the test resolves. */
function renderResponse(initialProps: Input, delayMs = 0) {
  const calls: { input: unknown; respond: (result: CallResult<never>) => Promise<void>; fail: () => Promise<void> }[] =
    []
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
  const options = { wrapper, initialProps }
  const { result, rerender } = renderHook((input: Input) => useServerResponse(getUser, input, delayMs), options)
  const setOnline = (isOnline: boolean) =>
    act(() => void store.dispatch(networkStateChanged(isOnline ? 'online' : 'offline')))
  return { calls, result, rerender, setOnline }
}

it('useServerResponse returns only the response to the current input', async () => {
  const { calls, result, rerender } = renderResponse(null)
  expect(result.current).toBeUndefined()
  rerender(toUserInput(1))
  await expect.poll(() => calls.length).toBe(1)
  rerender(toUserInput(2))
  await calls[0]?.respond(buildResult(1))
  expect(result.current).toBeUndefined()
  await expect.poll(() => calls.length).toBe(2)
  await calls[1]?.respond(buildResult(2))
  expect(result.current).toEqual(buildResult(2))
  rerender(null)
  expect(result.current).toBeUndefined()
})

it('useServerResponse does not send an input that changes within the delay', async () => {
  const { calls, rerender } = renderResponse(toUserInput(1), 50)
  rerender(toUserInput(2))
  await expect.poll(() => calls.map(({ input }) => input)).toEqual([toUserInput(2)])
})

it('useServerResponse returns a problem while offline, and fetches again once the connection is back', async () => {
  const { calls, result, setOnline } = renderResponse(toUserInput(1))
  setOnline(false)
  expect(result.current).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
  expect(calls).toEqual([])
  setOnline(true)
  await expect.poll(() => calls.length).toBe(1)
  await calls[0]?.fail()
  expect(result.current).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
})
