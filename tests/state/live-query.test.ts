import { expect, test } from 'vitest'
import { shared } from '#state/live-query.ts'

const row = (name: string) => ({ row: { id: 1, name, tags: ['a', null] }, waiting: undefined })

test('an answer that says the same is the one before, however often it was read', () => {
  const before = [row('Li'), row('Lo')]
  expect(shared(before, [row('Li'), row('Lo')])).toBe(before)
  expect(shared(Number.NaN, Number.NaN)).toBe(Number.NaN)
})

test('of one that differs, what says the same is as it was, and the rest is new', () => {
  const before = { rows: [row('Li'), row('Lo')], asOf: 1, gone: true }
  const now = shared(before, { rows: [row('Li'), row('Lu'), row('Lo')], asOf: 2 })
  expect(now).toEqual({ rows: [row('Li'), row('Lu'), row('Lo')], asOf: 2 })
  expect(now.rows[0]).toBe(before.rows[0])
  expect(now.rows[1]?.row.tags).toBe(before.rows[1]?.row.tags)
  expect(before).toEqual({ rows: [row('Li'), row('Lo')], asOf: 1, gone: true })
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
  // What cannot be looked into is never taken for the same.
  [new Map([[1, 2]]), new Map([[1, 2]])],
  [new Date(0), new Date(0)],
  [new Blob(['a']), new Blob(['a'])],
])('what %o was is not taken for %o', (last, now) => {
  expect(shared(last, now)).not.toBe(last)
  expect(shared([last], [now])[0]).not.toBe(last)
  expect(shared([last], [now])).toStrictEqual([now])
})
