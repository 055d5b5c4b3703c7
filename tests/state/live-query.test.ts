import { expect, test } from 'vitest'
import { isSame } from '#state/live-query.ts'

test('rows that say the same are the same, however often they were read', () => {
  const row = () => ({ row: { id: 1, name: 'Li', tags: ['a', null] }, waiting: undefined })
  expect(isSame([row(), row()], [row(), row()])).toBe(true)
  expect(isSame(Number.NaN, Number.NaN)).toBe(true)
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
])('%o is not %o', (a, b) => {
  expect(isSame(a, b)).toBe(false)
})
