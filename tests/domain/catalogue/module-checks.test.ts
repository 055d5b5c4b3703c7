import { expect, test } from 'vitest'
import { checkModule } from '#domain/checks/module-checks.ts'

const fields = { code: 'stock', name: 'Stock', hidden: false, dependencies: [], conditions: [] }
const findProblems = (flags: Record<string, unknown>) =>
  checkModule({ ...fields, apps: [{ code: 'barcode', flag: flags as Record<string, boolean | number> }] }, [], null)

test('A flag value of an invalid type is rejected even if the apps are unknown', () => {
  expect(findProblems({ digits: 13, batch: true, minimum: -2_147_483_647 })).toEqual([])
  for (const value of [1.5, Number.NaN, 2_147_483_648, Infinity, '13', null])
    expect(findProblems({ digits: value, batch: false })).toEqual([
      { field: 'apps', code: 'FLAG_TYPE', named: 'barcode.digits' },
    ])
})
