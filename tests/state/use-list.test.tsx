import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import { listUsers, type UserRow, userListSpec } from '#contract/users.ts'
import type { ListQuery, ReadList } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { networkStateChanged } from '#state/connection-slice.ts'
import { StoreProvider } from '#state/use-store.ts'
import { createListSlice } from '#state/list-slice.ts'
import { type ListUrlState, toPageQuery, plainListState, toSearchQuery } from '#state/list-url.ts'
import { signedOut } from '#state/session-slice.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { useList } from '#state/use-list.ts'
import { buildUser } from '#tests/support/device/device-database.ts'

const refusedResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }
const freshResult: CallResult<null> = { kind: 'fresh', output: null }
const plainState = plainListState(userListSpec)

/** Renders `useList` with one cached row and a server whose calls the test resolves. */
function renderList(shouldSkip = false, view: object = {}) {
  const readQueries: ListQuery[] = []
  const readList = (async (_list, query: ListQuery) => {
    readQueries.push(query)
    return {
      rows: [{ row: buildUser(1), waiting: null }],
      count: 1,
      cachedCount: 1,
      total: 1,
      asOf: 5,
      complete: true,
      ...view,
    }
  }) as ReadList
  const list = createListSlice<UserRow, ListUrlState>({
    name: crypto.randomUUID(),
    endpoint: listUsers,
    read: readList,
    toQuery: (view) => ({ ...toPageQuery(view), ...toSearchQuery(view) }),
  })
  const calls: { input: unknown; respond: (result: CallResult<unknown>) => Promise<void> }[] = []
  const call = (_endpoint: unknown, input: unknown) =>
    new Promise((resolve) => {
      calls.push({ input, respond: (result) => act(async () => resolve(result)) })
    })
  const store = createStore({ api: { call } } as unknown as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const hook = renderHook((view: ListUrlState) => useList(list, { scope: 7, view, skip: shouldSkip }), {
    wrapper,
    initialProps: plainState,
  })
  const respondTo = (index: number, result: CallResult<unknown>) => calls[index]?.respond(result)
  return { list, store, calls, readQueries, respondTo, result: hook.result, rerender: hook.rerender }
}

it('useList requests the view on mount, and shows the cached rows meanwhile', async () => {
  const { calls, readQueries, respondTo, result } = renderList()
  expect(calls.map(({ input }) => input)).toEqual([{ params: { companyId: 7 }, query: toPageQuery(plainState) }])
  await expect.poll(() => result.current.rows?.map(({ row }) => row.id)).toEqual([1])
  expect(readQueries[0]).toEqual({ scope: 7, filters: {}, sort: plainState.sort, page: 1, results: 10 })
  expect(result.current).toMatchObject({ isFetching: true, problem: null, count: 1, freshness: { asOf: 5 } })
  await respondTo(0, freshResult)
  expect(result.current).toMatchObject({ isFetching: false, problem: null })
})

it('useList requests again for another view, on refetch and on reconnection, but not for the same view', async () => {
  const { calls, store, result, rerender } = renderList()
  rerender({ ...plainState })
  expect(calls).toHaveLength(1)
  rerender({ ...plainState, searchText: 'Li' })
  expect(calls[1]?.input).toMatchObject({ query: { searchText: 'Li' } })
  act(() => result.current.refetch())
  expect(calls[2]?.input).toEqual(calls[1]?.input)
  act(() => void store.dispatch(networkStateChanged('offline')))
  const callsBefore = calls.length
  act(() => void store.dispatch(networkStateChanged('online')))
  expect(calls).toHaveLength(callsBefore + 1)
})

it('useList ignores a late response to an earlier request', async () => {
  const { respondTo, result, rerender } = renderList()
  rerender({ ...plainState, page: 2 })
  await respondTo(0, refusedResult)
  expect(result.current).toMatchObject({ isFetching: true, problem: null })
  await respondTo(1, freshResult)
  expect(result.current).toMatchObject({ isFetching: false, problem: null })
  rerender({ ...plainState, page: 3 })
  rerender({ ...plainState, page: 4 })
  await respondTo(3, refusedResult)
  await respondTo(2, freshResult)
  expect(result.current).toMatchObject({ isFetching: false, problem: { code: 'OFFLINE' } })
})

it('useList returns the problem until the next request', async () => {
  const { respondTo, result } = renderList()
  await respondTo(0, refusedResult)
  expect(result.current.problem?.code).toBe('OFFLINE')
  act(() => result.current.refetch())
  expect(result.current.problem).toBeNull()
  await respondTo(1, freshResult)
  expect(result.current).toMatchObject({ isFetching: false, problem: null })
})

it('useList returns the same empty list of new rows, so remembering a view reads no rows again', () => {
  const { list, store } = renderList()
  const emptyRows = list.selectNewRows(store.getState())
  for (const action of [list.viewChanged('page=2'), list.newRowsCleared()]) {
    store.dispatch(action)
    expect(list.selectNewRows(store.getState())).toBe(emptyRows)
  }
})

it('useList keeps nothing for the next user of the device', async () => {
  const { list, store, respondTo, result } = renderList()
  store.dispatch(list.viewChanged('page=2'))
  expect(list.selectSavedQuery(store.getState())).toBe('page=2')
  act(() => void store.dispatch(signedOut('left')))
  expect(list.selectSavedQuery(store.getState())).toBe('')
  expect(result.current).toMatchObject({ isFetching: false, problem: null })
  await respondTo(0, refusedResult)
  expect(result.current.problem).toBeNull()
})

it('useList neither requests nor reads rows while it is skipped', async () => {
  const { calls, readQueries, result } = renderList(true)
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect([calls.length, readQueries.length, result.current.rows]).toEqual([0, 0, undefined])
})

describe('the row count of a partly cached list (fault 46a)', () => {
  const partialList = { count: 68, offlineCount: 16, cachedCount: 16, total: 68, complete: false }
  const buildRows = (length: number) =>
    Array.from({ length }, (_, index) => ({ row: buildUser(index + 1), waiting: null }))

  it('is the count of the server while online, and the number of cached rows offline', async () => {
    const { respondTo, store, result } = renderList(false, { ...partialList, rows: buildRows(10) })
    await expect.poll(() => result.current.count).toBe(68)
    await respondTo(0, freshResult)
    expect(result.current.count).toBe(68)
    act(() => void store.dispatch(networkStateChanged('offline')))
    expect(result.current.count).toBe(16)
  })

  it('is the number of cached rows if the server did not respond, even while online', async () => {
    const { respondTo, result } = renderList(false, { ...partialList, rows: buildRows(10) })
    await respondTo(0, refusedResult)
    await expect.poll(() => result.current.count).toBe(16)
  })

  it('includes a later page that was loaded without the pages before it', async () => {
    const { store, result, rerender } = renderList(false, { ...partialList, rows: buildRows(4) })
    act(() => void store.dispatch(networkStateChanged('offline')))
    rerender({ ...plainState, page: 5 })
    await expect.poll(() => result.current.count).toBe(44)
  })

  it('leads back from a page that is not cached', async () => {
    const { store, result, rerender } = renderList(false, { ...partialList, rows: [] })
    act(() => void store.dispatch(networkStateChanged('offline')))
    rerender({ ...plainState, page: 3 })
    await expect.poll(() => result.current.count).toBe(16)
  })

  it('is complete if all rows are cached', async () => {
    const { store, result } = renderList(false, { count: 68, offlineCount: 68, complete: true })
    act(() => void store.dispatch(networkStateChanged('offline')))
    await expect.poll(() => result.current.count).toBe(68)
  })
})
