/** Tests which rows an export reads, and its file name. */
import { describe, expect, it } from 'vitest'
import type { Endpoint, VersionedRow } from '#contract/endpoint.ts'
import { listCustomerOrders } from '#contract/staff/customers.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { buildFileName } from '#patterns/list-export/build-file-name.ts'
import { buildExportColumns } from '#patterns/list-export/export-columns.ts'
import { fetchAllRows, type ListSource } from '#patterns/list-export/fetch-all-rows.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'

const slice = createListSlice<VersionedRow, PageQuery>({
  name: 'exported',
  endpoint: listCustomerOrders as unknown as Endpoint,
  toQuery: (query) => query,
})
const query: PageQuery = { results: 10, page: 3, sortField: 'code', sortOrder: 'asc', searchText: 'a' }
const source = { slice, scope: null, query } as unknown as ListSource<VersionedRow>
const createRows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index, row_version: 1 }))

/** Runs the export with these results, in turn. Returns the result and the queries. */
async function runExport(results: readonly object[]) {
  const queries: object[] = []
  const call = (_endpoint: unknown, input: { query: object }) => {
    queries.push(input.query)
    return Promise.resolve(results[queries.length - 1])
  }
  const thunk = fetchAllRows(source) as unknown as (...args: unknown[]) => Promise<unknown>
  return { result: await thunk(undefined, undefined, { api: { call } }), queries }
}
const toPage = (data: readonly object[], count: number) => ({ kind: 'fresh', output: { data, count } })
const pagesOnly = { kind: 'problem', problem: createLocalProblem('GONE') }

describe('fetchAllRows', () => {
  it('reads all pages of a list without change numbers, each row once', async () => {
    const { result, queries } = await runExport([
      pagesOnly,
      toPage(createRows(1, 50), 61),
      // A row was added meanwhile, so the last row of the first page is also the first one of the second page.
      toPage(createRows(50, 61), 62),
    ])
    expect(result).toMatchObject({ kind: 'fresh' })
    expect((result as { output: { row: VersionedRow }[] }).output.map(({ row }) => row.id)).toEqual(
      createRows(1, 61).map(({ id }) => id),
    )
    expect(queries).toEqual([{ since: '' }, { ...query, page: 1, results: 50 }, { ...query, page: 2, results: 50 }])
  })

  it('returns the problem if the connection is lost between two pages, and writes no file with some of the rows', async () => {
    const cached = { kind: 'cached', output: { data: [], count: 0 }, asOf: 1 }
    expect((await runExport([pagesOnly, toPage(createRows(1, 50), 61), cached])).result).toMatchObject({
      kind: 'problem',
      problem: { code: 'OFFLINE' },
    })
  })
})

it('buildFileName replaces characters that file systems do not allow', () => {
  const file = {
    format: 'csv',
    timeZone: 'Asia/Hong_Kong',
    asOf: Date.UTC(2026, 10, 21, 6, 5),
    partialCount: null,
  } as const
  expect(buildFileName(['App history', 'm18'], file)).toBe('app-history-m18-2026-11-21-1405.csv')
  expect(buildFileName(['a/b:\\c\u0000', 'm18'], { ...file, partialCount: { cachedCount: 2, total: null } })).toBe(
    'a-b-c--m18-2026-11-21-1405-2-incomplete.csv',
  )
  expect(buildFileName(['Contracts', null], file)).toBe('contracts-2026-11-21-1405.csv')
  expect(buildFileName(['Invoices 2026', 'acme'], { ...file, format: 'xlsx' })).toBe(
    'invoices-2026-acme-2026-11-21-1405.xlsx',
  )
})

it('buildExportColumns uses values and export texts, and leaves out columns that show only elements', () => {
  const columns = buildExportColumns<{ name: string; users: number | null }>([
    { key: 'name', header: 'Name', exportText: ({ name }) => name, render: () => null },
    { key: 'users', header: 'Users', format: 'number', getValue: ({ users }) => users },
    { key: 'sum', header: 'Sum', format: 'currency', getValue: () => ({ currency: 'USD', amount: '1234.50' }) },
    { key: 'actions', header: 'Actions', render: () => null },
  ])
  expect(columns.map(([header]) => header)).toEqual(['Name', 'Users', 'Sum'])
  expect(columns.map(([, getText]) => getText({ name: 'a', users: 12_000 }))).toEqual(['a', '12000', 'USD 1,234.50'])
})
