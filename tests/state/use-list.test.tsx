import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { localProblem } from '#contract/problem.ts'
import { listUsers, type UserRow, usersFills } from '#contract/users.ts'
import type { ListQuery, ReadList } from '#local/lists/list-view.ts'
import type { Result } from '#request/results.ts'
import { connectivityChanged } from '#state/connection-slice.ts'
import { StoreProvider } from '#state/hooks.ts'
import { createListSlice } from '#state/list-slice.ts'
import { type Listing, pageOf, plainListing, searchOf } from '#state/list-url.ts'
import { signedOut } from '#state/session-slice.ts'
import { type Extra, makeStore } from '#state/store.ts'
import { useList } from '#state/use-list.ts'
import { aUser } from '#tests/support/device/device-database.ts'

const refused: Result<never> = { kind: 'problem', problem: localProblem('OFFLINE') }
const fresh: Result<null> = { kind: 'fresh', output: null }
const plain = plainListing(usersFills)

/** A list whose device holds one row, and a server that answers each request when the test says so. */
function open(skip = false, view: object = {}) {
  const read: ListQuery[] = []
  const readList = (async (_list, query: ListQuery) => {
    read.push(query)
    return { rows: [{ row: aUser(1), waiting: null }], count: 1, here: 1, total: 1, asOf: 5, complete: true, ...view }
  }) as ReadList
  const list = createListSlice<UserRow, Listing>({
    name: crypto.randomUUID(),
    endpoint: listUsers,
    read: readList,
    queryOf: (view) => ({ ...pageOf(view), ...searchOf(view) }),
  })
  const asked: { input: unknown; answer: (result: Result<unknown>) => Promise<void> }[] = []
  const call = (_endpoint: unknown, input: unknown) =>
    new Promise((resolve) => {
      asked.push({ input, answer: (result) => act(async () => resolve(result)) })
    })
  const store = makeStore({ api: { call } } as unknown as Extra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const hook = renderHook((view: Listing) => useList(list, { scope: 7, view, skip }), { wrapper, initialProps: plain })
  const answer = (at: number, result: Result<unknown>) => asked[at]?.answer(result)
  return { list, store, asked, read, answer, shown: hook.result, show: hook.rerender }
}

it('asks for the view when it comes, and shows the rows of the device meanwhile', async () => {
  const { asked, read, answer, shown } = open()
  expect(asked.map(({ input }) => input)).toEqual([{ params: { companyId: 7 }, query: pageOf(plain) }])
  await expect.poll(() => shown.current.rows?.map(({ row }) => row.id)).toEqual([1])
  expect(read[0]).toEqual({ scope: 7, filters: {}, sort: plain.sort, page: 1, results: 10 })
  expect(shown.current).toMatchObject({ isFetching: true, problem: null, count: 1, freshness: { asOf: 5 } })
  await answer(0, fresh)
  expect(shown.current).toMatchObject({ isFetching: false, problem: null })
})

it('asks again for another view, on refetch and when the connection is back, and not for the same view', async () => {
  const { asked, store, shown, show } = open()
  show({ ...plain })
  expect(asked).toHaveLength(1)
  show({ ...plain, searchText: 'Li' })
  expect(asked[1]?.input).toMatchObject({ query: { searchText: 'Li' } })
  act(() => shown.current.refetch())
  expect(asked[2]?.input).toEqual(asked[1]?.input)
  act(() => void store.dispatch(connectivityChanged('offline')))
  const before = asked.length
  act(() => void store.dispatch(connectivityChanged('online')))
  expect(asked).toHaveLength(before + 1)
})

it('a late answer of an older request leaves the newer one as it is', async () => {
  const { answer, shown, show } = open()
  show({ ...plain, page: 2 })
  await answer(0, refused)
  expect(shown.current).toMatchObject({ isFetching: true, problem: null })
  await answer(1, fresh)
  expect(shown.current).toMatchObject({ isFetching: false, problem: null })
  show({ ...plain, page: 3 })
  show({ ...plain, page: 4 })
  await answer(3, refused)
  await answer(2, fresh)
  expect(shown.current).toMatchObject({ isFetching: false, problem: { code: 'OFFLINE' } })
})

it('shows what went wrong until it is asked again', async () => {
  const { answer, shown } = open()
  await answer(0, refused)
  expect(shown.current.problem?.code).toBe('OFFLINE')
  act(() => shown.current.refetch())
  expect(shown.current.problem).toBeNull()
  await answer(1, fresh)
  expect(shown.current).toMatchObject({ isFetching: false, problem: null })
})

it('asks the device for no rows again because a view is remembered: none that are new are the same none', () => {
  const { list, store } = open()
  const none = list.selectNewRows(store.getState())
  for (const action of [list.viewChanged('page=2'), list.newRowsCleared()]) {
    store.dispatch(action)
    expect(list.selectNewRows(store.getState())).toBe(none)
  }
})

it('nothing of it is left for the next user of this device', async () => {
  const { list, store, answer, shown } = open()
  store.dispatch(list.viewChanged('page=2'))
  expect(list.selectSavedQuery(store.getState())).toBe('page=2')
  act(() => void store.dispatch(signedOut('left')))
  expect(list.selectSavedQuery(store.getState())).toBe('')
  expect(shown.current).toMatchObject({ isFetching: false, problem: null })
  await answer(0, refused)
  expect(shown.current.problem).toBeNull()
})

it('is neither asked for nor read where it is skipped', async () => {
  const { asked, read, shown } = open(true)
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect([asked.length, read.length, shown.current.rows]).toEqual([0, 0, undefined])
})

describe('fault 46a: how many rows a list has that is here in part', () => {
  const part = { count: 68, countHere: 16, here: 16, total: 68, complete: false }
  const some = (length: number) => Array.from({ length }, (_, at) => ({ row: aUser(at + 1), waiting: null }))

  it('is all that the server counted while it can be asked, and what is here while it cannot', async () => {
    const { answer, store, shown } = open(false, { ...part, rows: some(10) })
    await expect.poll(() => shown.current.count).toBe(68)
    await answer(0, fresh)
    expect(shown.current.count).toBe(68)
    act(() => void store.dispatch(connectivityChanged('offline')))
    expect(shown.current.count).toBe(16)
  })

  it('is what is here where the server did not answer, though the connection seems to be there', async () => {
    const { answer, shown } = open(false, { ...part, rows: some(10) })
    await answer(0, refused)
    await expect.poll(() => shown.current.count).toBe(16)
  })

  it('reaches to a later page that was read alone', async () => {
    const { store, shown, show } = open(false, { ...part, rows: some(4) })
    act(() => void store.dispatch(connectivityChanged('offline')))
    show({ ...plain, page: 5 })
    await expect.poll(() => shown.current.count).toBe(44)
  })

  it('leads back from a page that is not here', async () => {
    const { store, shown, show } = open(false, { ...part, rows: [] })
    act(() => void store.dispatch(connectivityChanged('offline')))
    show({ ...plain, page: 3 })
    await expect.poll(() => shown.current.count).toBe(16)
  })

  it('is all of it where all of it is here', async () => {
    const { store, shown } = open(false, { count: 68, countHere: 68, complete: true })
    act(() => void store.dispatch(connectivityChanged('offline')))
    await expect.poll(() => shown.current.count).toBe(68)
  })
})
