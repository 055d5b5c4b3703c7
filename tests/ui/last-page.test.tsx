/** A list whose address names a page behind the last one. */
import { cleanup, render } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, it, vi } from 'vitest'
import { startWords } from '#app/i18n/i18n.ts'
import { DataList, type DataListProps } from '#ui/list/DataList.tsx'

afterEach(cleanup)

const fresh = { asOf: 1, here: 58, total: 58, complete: true }

type Given = Partial<Pick<DataListProps<{ id: number }>, 'isFetching' | 'fresh'>> & {
  page: number
  rows: { id: number }[]
  count: number
}

async function turned(given: Given) {
  await startWords()
  const onPage = vi.fn<(page: number, isCorrection?: boolean) => void>()
  render(
    <MemoryRouter>
      <DataList
        caption="Users"
        counted={String}
        columns={[{ key: 'id', header: 'Id', render: ({ id }) => String(id) }]}
        rowKey={({ id }) => String(id)}
        rowName={({ id }) => String(id)}
        sort={['id', 'asc']}
        onSort={() => undefined}
        results={10}
        onPage={onPage}
        onResults={() => undefined}
        fresh={fresh}
        isFetching={false}
        empty="nothing"
        {...given}
      />
    </MemoryRouter>,
  )
  return onPage.mock.calls
}

it('fault 37d turns to the last page, as a correction of the address', async () => {
  expect(await turned({ page: 99, rows: [], count: 58 })).toEqual([[6, true]])
})

it.each([
  ['a page that has rows', { page: 6, rows: [{ id: 1 }], count: 58 }],
  ['a list without rows', { page: 99, rows: [], count: 0 }],
  ['a page that is asked for', { page: 99, rows: [], count: 58, isFetching: true }],
])('fault 37d leaves %s', async (_, given) => {
  expect(await turned(given)).toEqual([])
})

const text = () => document.body.textContent

it('fault 46a: where a part of a list is here and nothing of it fits, does not say that there is nothing', async () => {
  await turned({
    page: 1,
    rows: [],
    count: 0,
    fresh: { asOf: 1, here: 16, total: null, complete: false, isKept: true },
  })
  expect(text()).toContain('Nothing found on this device')
  expect(text()).not.toContain('nothing')
})

it.each([
  ['all of it is here', { asOf: 1, here: 58, total: 58, complete: true, isKept: true }],
  ['nothing was ever read', { asOf: null, here: 0, total: null, complete: false, isKept: true }],
  ['the server has answered', { asOf: 1, here: 0, total: 0, complete: true }],
])('says what the page has to say where %s', async (_, fresh) => {
  await turned({ page: 1, rows: [], count: 0, fresh })
  expect(text()).toContain('nothing')
})

it('fault 46a: is not said to be empty for the moment before it turns to the last page', async () => {
  await turned({ page: 99, rows: [], count: 58 })
  expect(text()).not.toContain('nothing')
})
