import { expect, test } from 'vitest'
import { reuseUnchanged } from '#state/live-query.ts'

const buildOverlaidRow = (name: string) => ({ row: { id: 1, name, tags: ['a', null] }, waiting: undefined })

test('reuseUnchanged returns the previous value if the current one is equal', () => {
  const previousRows = [buildOverlaidRow('Li'), buildOverlaidRow('Lo')]
  expect(reuseUnchanged(previousRows, [buildOverlaidRow('Li'), buildOverlaidRow('Lo')])).toBe(previousRows)
  expect(reuseUnchanged(Number.NaN, Number.NaN)).toBe(Number.NaN)
})

test('reuseUnchanged reuses equal parts of a changed value', () => {
  const previous = { rows: [buildOverlaidRow('Li'), buildOverlaidRow('Lo')], asOf: 1, isDeleted: true }
  const current = reuseUnchanged(previous, {
    rows: [buildOverlaidRow('Li'), buildOverlaidRow('Lu'), buildOverlaidRow('Lo')],
    asOf: 2,
  })
  expect(current).toEqual({ rows: [buildOverlaidRow('Li'), buildOverlaidRow('Lu'), buildOverlaidRow('Lo')], asOf: 2 })
  expect(current.rows[0]).toBe(previous.rows[0])
  expect(current.rows[1]?.row.tags).toBe(previous.rows[1]?.row.tags)
  expect(previous).toEqual({ rows: [buildOverlaidRow('Li'), buildOverlaidRow('Lo')], asOf: 1, isDeleted: true })
})

test.each([
  [[1, 2], [1]],
  [{ id: 1 }, { id: '1' }],
  [
    { id: 1, name: undefined },
    { id: 1, title: undefined },
  ],
  [{ row: { name: 'Li' } }, { row: { name: 'Lo' } }],
  [[], {}],
  [null, {}],
  [undefined, []],
  // Values of types that cannot be compared are never treated as equal.
  [new Map([[1, 2]]), new Map([[1, 2]])],
  [new Date(0), new Date(0)],
  [new Blob(['a']), new Blob(['a'])],
])('reuseUnchanged does not reuse %o for %o', (previous, current) => {
  expect(reuseUnchanged(previous, current)).not.toBe(previous)
  expect(reuseUnchanged([previous], [current])[0]).not.toBe(previous)
  expect(reuseUnchanged([previous], [current])).toStrictEqual([current])
})
