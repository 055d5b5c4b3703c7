/** The fields of a price list in words, for its pages, the audit trail and waiting changes (domain/catalogue/prices.ts). */
import type { UatBound } from '#domain/fees/annual.ts'
import { grouped } from '#domain/money.ts'
import en from '#locales/en/price-fields.json'
import zh from '#locales/zh/price-fields.json'
import { i18n } from '#ui/i18n/i18n.ts'

i18n.addResourceBundle('en', 'price-fields', en)
i18n.addResourceBundle('zh', 'price-fields', zh)

type FieldName = keyof typeof en.field

const ns = 'price-fields'
const nameField = (name: string, uatBound: UatBound) =>
  i18n.t(`field.${name as FieldName}`, { ns, ...(uatBound === 'ceiling' ? { context: uatBound } : {}) })

/** `field`: the path of a `PriceDifference`, or `concurrentUser.0.hkd` of an older audit entry, where ranges are counted from 0. */
export function priceFieldLabel(field: string, uatBound: UatBound): string {
  const [table, row, column] = field.split('.')
  if (row !== undefined && (table === 'concurrentUser' || table === 'namedUser'))
    return withColumn(i18n.t('range', { ns, table: nameField(table, uatBound), users: usersText(row) }), column)
  if (table === 'module') return row === undefined ? i18n.t('order', { ns }) : withColumn(moduleName(row), column)
  const name = table === 'pdbPrice' && row !== undefined ? row : field
  const [, plain, currency] = /^(.+)_(hkd|usd|rmb)$/.exec(name) ?? []
  if (plain && Object.hasOwn(en.field, plain)) return withColumn(nameField(plain, uatBound), currency)
  return Object.hasOwn(en.field, name) ? nameField(name, uatBound) : name
}

const moduleName = (row: string) => i18n.t('module', { ns, code: row })

const withColumn = (row: string, column: string | undefined): string =>
  column === undefined ? row : i18n.t('of', { ns, row, column: columnText(column) })

const columnText = (column: string) =>
  column === 'from' || column === 'to' ? i18n.t(column, { ns }) : column.toUpperCase()

/** `1–10` of "1-10"; a range that is only counted is the first, the second and so on. */
function usersText(row: string): string {
  const [, from, to] = /^(\d+)-(\d+)/.exec(row) ?? []
  if (from === undefined || to === undefined) return /^\d+$/.test(row) ? `#${Number(row) + 1}` : row
  return from === to ? separated(from) : `${separated(from)}–${separated(to)}`
}

const separated = (digits: string) => grouped(`${digits}.`).slice(0, -1)

/** `value`: as a `PriceDifference` has it. Amounts and numbers have separators, percents their sign. */
export function priceFieldText(field: string, value: string): string {
  const name = field.split('.').at(-1) ?? field
  if (name === 'confirmed') return i18n.t(value === 'true' ? 'yes' : 'no', { ns })
  const number = /^-?\d+(\.\d{2})?$/.test(value) ? value : null
  if (number === null) return value
  if (name === 'uat_charge' || name.endsWith('_discount')) return i18n.t('percent', { ns, number: shortest(number) })
  if (name.endsWith('_traffic')) return i18n.t('gigabytes', { ns, number: shortest(grouped(number)) })
  if (/(^|_)(hkd|usd|rmb)$/.test(name)) return grouped(number)
  return name === 'from' || name === 'to' || name.startsWith('min_') ? separated(number) : value
}

const shortest = (number: string) => number.replace(/\.?0+$/, (end) => (end.startsWith('.') ? '' : end))
