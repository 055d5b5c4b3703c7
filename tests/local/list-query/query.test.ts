import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListSpec, Row } from '#contract/endpoint.ts'
import { foldText } from '#domain/text.ts'
import { addSpan, covers } from '#local/list-query/coverage.ts'
import { comparer, foldsOf, matches, tidyFilters } from '#local/list-query/query.ts'
import { list as users } from '#tests/support/device/device-database.ts'

/** A list with everything that users do not have: empty values and a range. */
const list = {
  ...users,
  sorts: { id: 'number', note: 'text', amount: 'number', day: 'time' },
  sort: ['note', 'asc'],
  filters: { from: { kind: 'from', column: 'day' }, until: { kind: 'until', column: 'day' }, ...users.filters },
} satisfies ListSpec

const row = (id: Row['id'], given: Record<string, unknown> = {}) => {
  const made = { note: null, amount: null, day: null, name: '', email: '', status: 1, ...given, id, row_version: 1 }
  return { row: made as Row, folds: foldsOf(list, made as Row) }
}
const order = (rows: ReturnType<typeof row>[], sort: ListSpec['sort']) =>
  rows.toSorted(comparer(list, sort)).map((one) => one.row.id)

describe('the order of rows', () => {
  it('puts what is empty last, both ways', () => {
    const rows = [row(1, { amount: 5 }), row(2), row(3, { amount: -1 }), row(4)]
    expect(order(rows, ['amount', 'asc'])).toEqual([3, 1, 2, 4])
    expect(order(rows, ['amount', 'desc'])).toEqual([1, 3, 4, 2])
    expect(order([row(1, { note: 'b' }), row(2), row(3, { note: 'A' })], ['note', 'desc'])).toEqual([1, 3, 2])
  })

  it('breaks ties by id in the same direction, and a row without an id comes after every id', () => {
    const rows = [row('~b', { amount: 1 }), row(12, { amount: 1 }), row(3, { amount: 1 })]
    expect(order(rows, ['amount', 'asc'])).toEqual([3, 12, '~b'])
    expect(order(rows, ['amount', 'desc'])).toEqual(['~b', 12, 3])
  })

  it('is that of the bytes of the folded text, for any text', () => {
    const bytes = (text: string) => Buffer.from(foldText(text), 'utf8')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        // A lone surrogate has no bytes of its own, and no database keeps one.
        fc.pre(a.isWellFormed() && b.isWellFormed())
        const compare = comparer(list, ['note', 'asc'])
        const said = Math.sign(compare(row(1, { note: a }), row(1, { note: b })))
        expect(said).toBe(Math.sign(Buffer.compare(bytes(a), bytes(b))))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('filters', () => {
  it('leave out what has no value where a range is asked for', () => {
    const rows = [row(1, { day: '2026-01-01' }), row(2, { day: '2026-01-05' }), row(3)]
    const found = (filters: Record<string, string>) => rows.filter(matches(list, filters)).map((one) => one.row.id)
    expect(found({ from: '2026-01-02' })).toEqual([2])
    expect(found({ until: '2026-01-02' })).toEqual([1])
    expect(found({})).toEqual([1, 2, 3])
  })

  it('that ask for nothing are no filters', () => {
    expect(tidyFilters(list, { searchText: '  ', includedDel: false, statusType: undefined, from: '' })).toEqual({})
  })

  it('cover a narrower one, never a wider or a hidden one', () => {
    expect(covers(list, {}, { statusType: 1 })).toBe(true)
    expect(covers(list, { statusType: 1 }, {})).toBe(false)
    expect(covers(list, {}, { statusType: -2 })).toBe(false)
    expect(covers(list, { includedDel: true }, { statusType: -2 })).toBe(true)
  })
})

it('stretches that touch are one, whatever the order in which they were read', () => {
  const spans = fc.array(
    fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 8 })).map(([at, size]) => [at, at + size] as const),
  )
  fc.assert(
    fc.property(spans, (read) => {
      const joined = read.reduce<[number, number][]>((sofar, [from, to]) => addSpan(sofar, [from, to]), [])
      const held = (at: number, of: readonly (readonly [number, number])[]) =>
        of.some(([from, to]) => from <= at && at < to)
      for (let at = 0; at < 40; at++) expect(held(at, joined)).toBe(held(at, read))
      for (const [at, [from]] of joined.entries()) expect(from).toBeGreaterThan(joined[at - 1]?.[1] ?? -1)
    }),
  )
})
