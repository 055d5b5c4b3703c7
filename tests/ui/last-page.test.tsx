/** A list whose address names a page behind the last one. */
import { cleanup, render } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { DataList, type DataListProps } from '#ui/list/DataList.tsx'

afterEach(cleanup)

const freshness = { asOf: 1, cachedCount: 58, total: 58, complete: true }

type ListProps = Partial<Pick<DataListProps<{ id: number }>, 'isFetching' | 'freshness'>> & {
  page: number
  rows: { id: number }[]
  count: number
}

async function renderDataList(props: ListProps) {
  await startMessages()
  const onPage = vi.fn<(page: number, isCorrection?: boolean) => void>()
  render(
    <MemoryRouter>
      <DataList
        caption="Users"
        formatCount={String}
        columns={[{ key: 'id', header: 'Id', render: ({ id }) => String(id) }]}
        getRowKey={({ id }) => String(id)}
        getRowName={({ id }) => String(id)}
        sort={['id', 'asc']}
        onSort={() => undefined}
        pageSize={10}
        onPage={onPage}
        onPageSize={() => undefined}
        freshness={freshness}
        isFetching={false}
        emptyContent="nothing"
        {...props}
      />
    </MemoryRouter>,
  )
  return onPage.mock.calls
}

it('fault 37d turns to the last page, as a correction of the address', async () => {
  expect(await renderDataList({ page: 99, rows: [], count: 58 })).toEqual([[6, true]])
})

it.each([
  ['a page that has rows', { page: 6, rows: [{ id: 1 }], count: 58 }],
  ['a list without rows', { page: 99, rows: [], count: 0 }],
  ['a page that is asked for', { page: 99, rows: [], count: 58, isFetching: true }],
])('fault 37d leaves %s', async (_, props) => {
  expect(await renderDataList(props)).toEqual([])
})

const readPageText = () => document.body.textContent

it('fault 46a: where a part of a list is here and nothing of it fits, does not say that there is nothing', async () => {
  await renderDataList({
    page: 1,
    rows: [],
    count: 0,
    freshness: { asOf: 1, cachedCount: 16, total: null, complete: false, isCached: true },
  })
  expect(readPageText()).toContain('Nothing found on this device')
  expect(readPageText()).not.toContain('nothing')
})

it.each([
  ['all of it is here', { asOf: 1, cachedCount: 58, total: 58, complete: true, isCached: true }],
  ['nothing was ever read', { asOf: null, cachedCount: 0, total: null, complete: false, isCached: true }],
  ['the server has answered', { asOf: 1, cachedCount: 0, total: 0, complete: true }],
])('says what the page has to say where %s', async (_, freshness) => {
  await renderDataList({ page: 1, rows: [], count: 0, freshness })
  expect(readPageText()).toContain('nothing')
})

it('fault 46a: is not said to be empty for the moment before it turns to the last page', async () => {
  await renderDataList({ page: 99, rows: [], count: 58 })
  expect(readPageText()).not.toContain('nothing')
})
