/** A list whose address names a page behind the last one. */
import { cleanup, render } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, it, vi } from 'vitest'
import { startWords } from '#app/i18n/i18n.ts'
import { DataList } from '#ui/list/DataList.tsx'

afterEach(cleanup)

const fresh = { asOf: 1, here: 58, total: 58, complete: true }

async function turned(given: { page: number; rows: { id: number }[]; count: number; isFetching?: boolean }) {
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
