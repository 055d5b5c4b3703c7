/** Tests that an amount is written like the saved ones when its field is left. */
import { expect, it } from 'vitest'
import { reducePriceForm } from '#features/prices/editor/form-reducer.ts'
import { createBackupPrices, createModuleRow, createPriceListValues } from '#features/prices/price-list-form.ts'

const row = { ...createModuleRow(), code: '1000', hkd: '23500', usd: '12,60' }
const startValues = createPriceListValues()
const values = {
  ...startValues,
  header: { ...startValues.header, min_fee_hkd: '２３５００', min_named_user: '1000' },
  module: [row],
  pdbPrice: { ...createBackupPrices(), pdb2s3_fee_usd: '1243.5' },
}
const leave = (key: number, name: string) => reducePriceForm(values, { kind: 'format', key, name })

it('A typed amount gets separators and two decimals when its field is left', () => {
  expect(leave(0, 'min_fee_hkd').header.min_fee_hkd).toBe('23,500.00')
  expect(leave(0, 'pdbPrice.pdb2s3_fee_usd').pdbPrice?.pdb2s3_fee_usd).toBe('1,243.50')
  expect(leave(row.key, 'hkd').module).toEqual([{ ...row, hkd: '23,500.00' }])
})

it('Numbers of users, codes and texts that are no amount stay as they were typed', () => {
  expect(leave(0, 'min_named_user')).toBe(values)
  expect(leave(row.key, 'code')).toBe(values)
  expect(leave(row.key, 'usd').module).toEqual([row])
})
