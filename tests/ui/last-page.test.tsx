/** Tests a list whose address contains a page after the last one, and the text of a list without rows. */
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

it('A list moves from a page that does not exist to the last page, replacing the address (fault 37d)', async () => {
  expect(await renderDataList({ page: 99, rows: [], count: 58 })).toEqual([[6, true]])
})

it.each([
  ['a page that has rows', { page: 6, rows: [{ id: 1 }], count: 58 }],
  ['a list without rows', { page: 99, rows: [], count: 0 }],
  ['a page that is being loaded', { page: 99, rows: [], count: 58, isFetching: true }],
])('A list stays on its page for %s (fault 37d)', async (_, props) => {
  expect(await renderDataList(props)).toEqual([])
})

const readPageText = () => document.body.textContent

it('A partly cached list without a match does not state that there are no rows at all (fault 46a)', async () => {
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
  ['the list is completely cached', { asOf: 1, cachedCount: 58, total: 58, complete: true, isCached: true }],
  ['the list was never loaded', { asOf: null, cachedCount: 0, total: null, complete: false, isCached: true }],
  ['the server has responded', { asOf: 1, cachedCount: 0, total: 0, complete: true }],
])("An empty list shows the page's text for an empty list if %s", async (_, freshness) => {
  await renderDataList({ page: 1, rows: [], count: 0, freshness })
  expect(readPageText()).toContain('nothing')
})

it('A list is not shown as empty before it moves to the last page (fault 46a)', async () => {
  await renderDataList({ page: 99, rows: [], count: 58 })
  expect(readPageText()).not.toContain('nothing')
})
