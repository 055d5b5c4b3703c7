/** Tests which cells of a price list the editor marks and counts as changed. */
import { describe, expect, it } from 'vitest'
import { findListChanges } from '#features/prices/changes/list-changes.ts'
import { type PriceFormAction, reducePriceForm } from '#features/prices/editor/form-reducer.ts'
import {
  createBackupPrices,
  createModuleRow,
  createPriceListValues,
  createRangeRow,
  getChangedValues,
  parseStoredValues,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'

const prices = { hkd: '1.00', usd: '2.00', rmb: '3.00' }
const createModule = (code: string) => ({ ...createModuleRow(), code, ...prices })
const createRange = (to: string) => ({ ...createRangeRow(), to, ...prices })
const baseValues: PriceListValues = {
  ...createPriceListValues(),
  concurrentUser: [createRange('10'), createRange('20')],
  namedUser: [createRange('999999')],
  module: ['core', 'fin', 'hr'].map(createModule),
  pdbPrice: createBackupPrices(),
}
const getKey = (table: 'concurrentUser' | 'module', index: number) => baseValues[table][index]?.key ?? 0
const change = (...actions: PriceFormAction[]) => actions.reduce(reducePriceForm, baseValues)
const typeCell = (index: number, name: string, value: string): PriceFormAction => ({
  kind: 'cell',
  table: 'module',
  key: getKey('module', index),
  name,
  value,
})

describe('findListChanges', () => {
  it('returns the old value of each changed cell and field', () => {
    const changes = findListChanges(
      change(
        typeCell(1, 'hkd', '1260'),
        typeCell(1, 'usd', ''),
        { kind: 'header', name: 'desc', value: 'New' },
        { kind: 'backupPrice', name: 'pdb2s3_discount', value: '10' },
      ),
      baseValues,
    )
    expect(changes.rowsByKey.get(getKey('module', 1))).toEqual({
      isAdded: false,
      oldValues: { hkd: '1.00', usd: '2.00' },
    })
    expect(changes).toMatchObject({ header: { desc: '' }, backup: { pdb2s3_discount: '0' }, total: 4 })
    expect(changes.counts).toEqual({ header: 1, concurrentUser: 0, namedUser: 0, module: 2, pdbPrice: 1 })
  })

  it('does not count an amount that was typed in another form, and neither does the form', () => {
    const values = change(typeCell(0, 'hkd', '１'), typeCell(0, 'usd', '2.0'), typeCell(2, 'rmb', ' 3 '))
    expect(findListChanges(values, baseValues).total).toBe(0)
    expect(getChangedValues(values, baseValues)).toEqual({})
    // Texts are compared as they are.
    const described = change({ kind: 'header', name: 'desc', value: '0' })
    expect(getChangedValues(change({ kind: 'header', name: 'desc', value: '0.00' }), described)).not.toEqual({})
  })

  it('has no change after each cell was restored', () => {
    const values = change(typeCell(0, 'code', 'other'), typeCell(0, 'code', 'core'))
    expect(findListChanges(values, baseValues)).toMatchObject({ total: 0, rowsByKey: new Map() })
  })

  it('counts an added row, a removed row and another order as one change each', () => {
    const added = findListChanges(change({ kind: 'add', table: 'concurrentUser' }), baseValues)
    expect([added.total, [...added.rowsByKey.values()]]).toEqual([1, [{ isAdded: true, oldValues: {} }]])
    const remove: PriceFormAction = { kind: 'remove', table: 'module', key: getKey('module', 0) }
    expect(findListChanges(change(remove), baseValues)).toMatchObject({ total: 1, rowsByKey: new Map() })
    const move: PriceFormAction = { kind: 'move', key: getKey('module', 2), to: 0 }
    expect(findListChanges(change(move), baseValues)).toMatchObject({ total: 1, rowsByKey: new Map() })
    expect(findListChanges(change({ kind: 'backup', isOn: false }), baseValues).total).toBe(1)
  })

  it('finds the old rows of a restored draft, whose rows have new keys', () => {
    const draft = parseStoredValues(
      JSON.parse(
        JSON.stringify(
          change(
            typeCell(1, 'hkd', '9'),
            { kind: 'remove', table: 'module', key: getKey('module', 0) },
            { kind: 'cell', table: 'concurrentUser', key: getKey('concurrentUser', 1), name: 'to', value: '30' },
          ),
        ),
      ),
    ) as PriceListValues
    const changes = findListChanges(draft, baseValues)
    expect(changes.counts).toMatchObject({ module: 2, concurrentUser: 1, namedUser: 0 })
    expect(changes.rowsByKey.get(draft.module[0]?.key ?? 0)?.oldValues).toEqual({ hkd: '1.00' })
    expect(changes.rowsByKey.get(draft.concurrentUser[1]?.key ?? 0)?.oldValues).toEqual({ to: '20' })
  })

  it('returns the same object for a row until that row changes, so that it is not rendered again', () => {
    const first = change(typeCell(1, 'hkd', '9'))
    const second = reducePriceForm(first, typeCell(2, 'hkd', '8'))
    const key = getKey('module', 1)
    expect(findListChanges(second, baseValues).rowsByKey.get(key)).toBe(
      findListChanges(first, baseValues).rowsByKey.get(key),
    )
  })
})
