/** Formats names and values of price list fields, for their pages, the audit trail and queued changes. */
import type { UatBound } from '#domain/fees/annual.ts'
import { trimPercent } from '#domain/fees/percent.ts'
import { groupDigits, groupThousands } from '#domain/money.ts'
import en from '#locales/en/price-fields.json'
import zh from '#locales/zh/price-fields.json'
import { addMessages, i18n } from '#ui/i18n/messages.ts'

addMessages('price-fields', { en, zh })

type FieldName = keyof typeof en.field

const ns = 'price-fields'
const formatFieldName = (name: string, uatBound: UatBound) =>
  i18n.t(`field.${name as FieldName}`, { ns, ...(uatBound === 'ceiling' ? { context: uatBound } : {}) })

/** `field` is the path of a `PriceDifference`, or in older audit entries `concurrentUser.0.hkd`, where rows are counted from 0. */
export function formatPriceFieldLabel(field: string, uatBound: UatBound): string {
  if (field === 'module') return i18n.t('order', { ns })
  const [table, row, column] = field.split('.')
  if (row === undefined) return formatValueLabel(field, uatBound)
  if (table === 'concurrentUser' || table === 'namedUser') {
    const tableName = formatFieldName(table, uatBound)
    return addColumn(i18n.t('range', { ns, table: tableName, users: formatUserRange(row) }), column)
  }
  if (table === 'module') return addColumn(i18n.t('module', { ns, code: row }), column)
  return formatValueLabel(table === 'pdbPrice' ? row : field, uatBound)
}

function formatValueLabel(name: string, uatBound: UatBound): string {
  const [, baseName, currency] = /^(.+)_(hkd|usd|rmb)$/.exec(name) ?? []
  if (baseName && Object.hasOwn(en.field, baseName)) return addColumn(formatFieldName(baseName, uatBound), currency)
  return Object.hasOwn(en.field, name) ? formatFieldName(name, uatBound) : name
}

const addColumn = (row: string, column: string | undefined): string =>
  column === undefined ? row : i18n.t('of', { ns, row, column: formatColumn(column) })

const formatColumn = (column: string) =>
  column === 'from' || column === 'to' ? i18n.t(column, { ns }) : column.toUpperCase()

/** Returns `1–10` for "1-10", and `#1` for the index 0 of older audit entries. */
function formatUserRange(row: string): string {
  const [, from, to] = /^(\d+)-(\d+)/.exec(row) ?? []
  if (from === undefined || to === undefined) return /^\d+$/.test(row) ? `#${Number(row) + 1}` : row
  return from === to ? groupDigits(from) : `${groupDigits(from)}–${groupDigits(to)}`
}

/** Adds separators to amounts and numbers, and the sign to percentages. `value` is that of a `PriceDifference`. */
export function formatPriceFieldValue(field: string, value: string): string {
  const name = field.split('.').at(-1) ?? field
  if (name === 'confirmed') return i18n.t(value === 'true' ? 'yes' : 'no', { ns })
  if (!/^-?\d+(\.\d{2})?$/.test(value)) return value
  const numberFormat = numberFormats.find(({ names }) => names.test(name))
  return numberFormat ? numberFormat.format(value) : value
}

const numberFormats: readonly { names: RegExp; format: (number: string) => string }[] = [
  { names: /^uat_charge$|_discount$/, format: (text) => i18n.t('percent', { ns, number: trimPercent(text) }) },
  {
    names: /_traffic$/,
    format: (text) => i18n.t('gigabytes', { ns, number: groupDigits(removeTrailingZeros(text)) }),
  },
  { names: /(^|_)(hkd|usd|rmb)$/, format: groupThousands },
  { names: /^(from|to)$|^min_/, format: groupDigits },
]

const removeTrailingZeros = (number: string) => number.replace(/\.?0+$/, (end) => (end.startsWith('.') ? '' : end))
