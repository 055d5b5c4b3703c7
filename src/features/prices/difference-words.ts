/** The differences of two price lists in words: which field, with what it is in each (domain/catalogue/prices.ts). */
import type { TFunction } from 'i18next'
import { grouped } from '#domain/money.ts'
import { labelOf } from '#features/prices/editor/words-of.ts'

/** `field` is a path: `uat_charge`, `concurrentUser.2.hkd`, `module.basic.hkd`, `pdbPrice.pdb2s3_traffic`, or `module`, the order. Ranges are counted from 0 there. */
export function differenceLabel(t: TFunction<'prices'>, field: string): string {
  const [table, row, name] = field.split('.')
  if (table === 'concurrentUser' || table === 'namedUser') {
    const place = t('difference.range', { table: t(`section.${table}`), place: Number(row) + 1 })
    return name === undefined ? place : t('difference.of', { row: place, column: columnOf(t, name) })
  }
  if (table === 'module') {
    if (row === undefined) return t('difference.order')
    return name === undefined ? row : t('difference.of', { row, column: columnOf(t, name) })
  }
  return field === 'type' ? t('column.type') : labelOf(t, field)
}

const columnOf = (t: TFunction<'prices'>, name: string) =>
  name === 'from' || name === 'to' ? t(`tier.${name}`) : name.toUpperCase()

export const differenceValue = (value: string | null): string =>
  value === null ? '–' : /^\d+\.\d{2}$/.test(value) ? grouped(value) : value
