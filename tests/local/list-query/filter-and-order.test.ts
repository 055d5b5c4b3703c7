import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListSpec, VersionedRow } from '#contract/endpoint.ts'
import { normaliseText } from '#domain/text.ts'
import { addSpan, coversFilters } from '#local/list-query/coverage.ts'
import {
  createRowComparer,
  normaliseTexts,
  createRowMatcher,
  normaliseFilters,
} from '#local/list-query/filter-and-order.ts'
import { userList as users } from '#tests/support/device/device-database.ts'

/** A list with features that the users list lacks: empty values and a range filter. */
const list = {
  ...users,
  sorts: { id: 'number', note: 'text', amount: 'number', day: 'time' },
  sort: ['note', 'asc'],
  filters: { from: { kind: 'from', column: 'day' }, until: { kind: 'until', column: 'day' }, ...users.filters },
} satisfies ListSpec

const buildRow = (id: VersionedRow['id'], fields: Record<string, unknown> = {}) => {
  const rowFields = {
    note: null,
    amount: null,
    day: null,
    name: '',
    email: '',
    status: 1,
    ...fields,
    id,
    row_version: 1,
  }
  return { row: rowFields as VersionedRow, folds: normaliseTexts(list, rowFields as VersionedRow) }
}
const sortIds = (rows: ReturnType<typeof buildRow>[], sort: ListSpec['sort']) =>
  rows.toSorted(createRowComparer(list, sort)).map((entry) => entry.row.id)

describe('createRowComparer', () => {
  it('puts empty values last in both directions', () => {
    const rows = [buildRow(1, { amount: 5 }), buildRow(2), buildRow(3, { amount: -1 }), buildRow(4)]
    expect(sortIds(rows, ['amount', 'asc'])).toEqual([3, 1, 2, 4])
    expect(sortIds(rows, ['amount', 'desc'])).toEqual([1, 3, 4, 2])
    expect(sortIds([buildRow(1, { note: 'b' }), buildRow(2), buildRow(3, { note: 'A' })], ['note', 'desc'])).toEqual([
      1, 3, 2,
    ])
  })

  it('breaks ties by id in the same direction, and treats a row without a server id as the highest', () => {
    const rows = [buildRow('~b', { amount: 1 }), buildRow(12, { amount: 1 }), buildRow(3, { amount: 1 })]
    expect(sortIds(rows, ['amount', 'asc'])).toEqual([3, 12, '~b'])
    expect(sortIds(rows, ['amount', 'desc'])).toEqual(['~b', 12, 3])
  })

  it('orders any text by the bytes of its normalised form', () => {
    const encodeText = (text: string) => Buffer.from(normaliseText(text), 'utf8')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        // A lone surrogate has no bytes of its own, and no database stores it.
        fc.pre(a.isWellFormed() && b.isWellFormed())
        const compare = createRowComparer(list, ['note', 'asc'])
        const sign = Math.sign(compare(buildRow(1, { note: a }), buildRow(1, { note: b })))
        expect(sign).toBe(Math.sign(Buffer.compare(encodeText(a), encodeText(b))))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('list filters', () => {
  it('exclude rows without a value if they filter by a range', () => {
    const rows = [buildRow(1, { day: '2026-01-01' }), buildRow(2, { day: '2026-01-05' }), buildRow(3)]
    const findIds = (filters: Record<string, string>) =>
      rows.filter(createRowMatcher(list, filters)).map((entry) => entry.row.id)
    expect(findIds({ from: '2026-01-02' })).toEqual([2])
    expect(findIds({ until: '2026-01-02' })).toEqual([1])
    expect(findIds({})).toEqual([1, 2, 3])
  })

  it('are dropped if they restrict nothing', () => {
    expect(normaliseFilters(list, { searchText: '  ', includedDel: false, statusType: undefined, from: '' })).toEqual(
      {},
    )
  })

  it('cover narrower filters, but neither wider filters nor rows that they hide', () => {
    expect(coversFilters(list, {}, { statusType: 1 })).toBe(true)
    expect(coversFilters(list, { statusType: 1 }, {})).toBe(false)
    expect(coversFilters(list, {}, { statusType: -2 })).toBe(false)
    expect(coversFilters(list, { includedDel: true }, { statusType: -2 })).toBe(true)
  })
})

it('addSpan joins spans that touch, in any order', () => {
  const spans = fc.array(
    fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 8 })).map(([start, size]) => [start, start + size] as const),
  )
  fc.assert(
    fc.property(spans, (readSpans) => {
      const joinedSpans = readSpans.reduce<[number, number][]>(
        (mergedSpans, [from, to]) => addSpan(mergedSpans, [from, to]),
        [],
      )
      const isCovered = (position: number, coveredSpans: readonly (readonly [number, number])[]) =>
        coveredSpans.some(([from, to]) => from <= position && position < to)
      for (let position = 0; position < 40; position++)
        expect(isCovered(position, joinedSpans)).toBe(isCovered(position, readSpans))
      for (const [index, [from]] of joinedSpans.entries())
        expect(from).toBeGreaterThan(joinedSpans[index - 1]?.[1] ?? -1)
    }),
  )
})

describe('a filter that hides a value', () => {
  const trail = {
    ...list,
    filters: { withoutLogins: { kind: 'hides', column: 'note', value: 'login' } },
  } satisfies ListSpec
  const rows = [buildRow(1, { note: 'login' }), buildRow(2, { note: 'pay' }), buildRow(3)]
  const listIds = (filters: Record<string, boolean>) =>
    rows.filter(createRowMatcher(trail, filters)).map(({ row }) => row.id)

  it('leaves out rows with this value only if it is requested', () => {
    expect(listIds({})).toEqual([1, 2, 3])
    expect(listIds({ withoutLogins: false })).toEqual([1, 2, 3])
    expect(listIds({ withoutLogins: true })).toEqual([2, 3])
  })

  it('does not cover the list without the filter', () => {
    expect(coversFilters(trail, { withoutLogins: true }, {})).toBe(false)
    expect(coversFilters(trail, {}, { withoutLogins: true })).toBe(true)
    expect(normaliseFilters(trail, { withoutLogins: false })).toEqual({})
  })
})
