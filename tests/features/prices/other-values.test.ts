/** Tests that a change of one field of a price list leaves what was typed in others. */
import { expect, it } from 'vitest'
import { reducePriceForm } from '#features/prices/editor/form-reducer.ts'
import {
  createBackupPrices,
  createPriceListValues,
  createRangeRow,
  getRangeStarts,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'
import { type PriceFormContext, readForm } from '#features/prices/sent-list.ts'

const formContext: PriceFormContext = { moduleIdsByCode: null, takenDates: new Set(), formerIdsByCode: new Map() }
const emptyValues = createPriceListValues()
const header = { ...emptyValues.header, effective_date: '2027-01-01', desc: 'Prices of 2027' }
const createValues = (...ends: string[]): PriceListValues => ({
  ...emptyValues,
  header,
  concurrentUser: ends.map((to) => ({ ...createRangeRow(), to, hkd: '1', usd: '1', rmb: '1' })),
})
const setFirstEnd = (values: PriceListValues, value: string) =>
  reducePriceForm(values, {
    kind: 'cell',
    table: 'concurrentUser',
    key: values.concurrentUser[0]?.key ?? 0,
    name: 'to',
    value,
  })

it('An end that is moved past other ranges makes them errors and leaves their ends as typed', () => {
  const values = createValues('10', '50', '500', '9,999')
  const movedValues = setFirstEnd(values, '3000')
  expect(movedValues.concurrentUser.map(({ to }) => to)).toEqual(['3000', '50', '500', '9,999'])
  expect(getRangeStarts(movedValues.concurrentUser)).toEqual([1, 3001, 3001, 3001])
  const expectProblem = (row: number) =>
    expect.objectContaining({ key: values.concurrentUser[row]?.key, code: 'OUT_OF_RANGE', from: 3001 })
  expect(readForm(movedValues, formContext).problems).toEqual([expectProblem(1), expectProblem(2)])
  expect(readForm(setFirstEnd(movedValues, '30'), formContext).problems).toEqual([])
})

it('Backup prices come back if backups are turned off and on again', () => {
  const prices = { ...createBackupPrices(), pdb2s3_up_hkd: '5' }
  const onValues = reducePriceForm(createValues('10'), { kind: 'backup', isOn: true, prices })
  expect(onValues.pdbPrice).toBe(prices)
  expect(reducePriceForm(onValues, { kind: 'backup', isOn: false, prices }).pdbPrice).toBeNull()
})
