import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { localProblem } from '#contract/problem.ts'
import type { Result } from '#request/results.ts'
import { StoreProvider } from '#state/hooks.ts'
import { signedOut } from '#state/session-slice.ts'
import { type Extra, makeStore } from '#state/store.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'

type Input = Parameters<typeof useCachedResponse<typeof getUser>>[2]
const user = (userId: number): Input => ({ query: { userId } })
const refused: Result<never> = { kind: 'problem', problem: localProblem('OFFLINE') }
const fresh: Result<null> = { kind: 'fresh', output: null }

/** A device that holds an answer for user 1 alone, and a server that answers when the test says so. */
function open(initialProps: Input) {
  const asked: { input: unknown; answer: (result: Result<unknown>) => Promise<void>; fail: () => Promise<void> }[] = []
  const call = (_endpoint: unknown, input: unknown) =>
    new Promise((resolve, reject) => {
      asked.push({
        input,
        answer: (result) => act(async () => resolve(result)),
        fail: () => act(async () => reject(new TypeError('Failed to fetch dynamically imported module'))),
      })
    })
  const read = (async (_endpoint: unknown, { query }: { query: { userId: number } }) =>
    query.userId === 1 ? { output: { id: 1 }, asOf: 5 } : null) as never
  const store = makeStore({ api: { call } } as unknown as Extra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const hook = renderHook((input: Input) => useCachedResponse(read, getUser, input), { wrapper, initialProps })
  return { asked, store, shown: hook.result, show: hook.rerender }
}

it('shows what the device holds while the server is asked, and never one answer for another question', async () => {
  const { asked, shown, show } = open(user(1))
  expect([shown.current.response, shown.current.isFetching]).toEqual([undefined, true])
  await expect.poll(() => shown.current.response).toEqual({ output: { id: 1 }, asOf: 5 })
  show(user(2))
  expect(shown.current.response).toBeUndefined()
  await expect.poll(() => shown.current.response).toBeNull()
  expect(asked.map(({ input }) => input)).toEqual([user(1), user(2)])
})

it('asks nothing until it is known what', async () => {
  const { asked, shown, show } = open(null)
  await act(() => shown.current.refetch())
  expect(asked).toEqual([])
  show(user(1))
  expect(asked).toHaveLength(1)
})

it('tells the problem of the latest request, forgets it with the next, and for the next user', async () => {
  const { asked, store, shown } = open(user(1))
  act(() => void shown.current.refetch())
  await asked[0]?.answer(refused)
  expect(shown.current).toMatchObject({ isFetching: true, problem: null })
  await asked[1]?.answer(refused)
  expect(shown.current).toMatchObject({ isFetching: false, problem: { code: 'OFFLINE' } })
  act(() => void shown.current.refetch())
  expect(shown.current.problem).toBeNull()
  await asked[2]?.answer(fresh)
  expect(shown.current).toMatchObject({ isFetching: false, problem: null })
  act(() => void shown.current.refetch())
  await asked[3]?.answer(refused)
  act(() => void store.dispatch(signedOut('left')))
  expect(shown.current.problem).toBeNull()
})

it('code that cannot be fetched is a lost line, and is asked for again', async () => {
  const { asked, shown } = open(user(1))
  await asked[0]?.fail()
  expect(shown.current).toMatchObject({ isFetching: false, problem: { code: 'OFFLINE' } })
  act(() => void shown.current.refetch())
  await asked[1]?.answer(fresh)
  expect(shown.current.problem).toBeNull()
})
