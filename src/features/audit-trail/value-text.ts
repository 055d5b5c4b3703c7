/** A value of an audit entry in words. It is always text, never markup. */
import type { TFunction } from 'i18next'
import { type AuditEntryRow, auditMenus } from '#domain/audit-log/leaf.ts'
import { grouped } from '#domain/money.ts'
import { nameOf, operationOf, valueName } from '#features/audit-trail/entry-names.ts'
import { priceFieldText } from '#ui/i18n/price-field-messages.ts'
import { number } from '#ui/list/Freshness.tsx'

type Text = TFunction<'audit'>

export function valueText(t: Text, value: unknown): string {
  if (value === null || value === undefined) return t('entry.nothing')
  if (value === '') return t('entry.empty')
  if (typeof value === 'boolean') return t(value ? 'entry.yes' : 'entry.no')
  if (typeof value !== 'object') return String(value)
  const parts = Array.isArray(value) ? value.map((one) => itemText(t, one)) : pairTexts(t, value)
  return parts.length === 0 ? t('entry.empty') : parts.join(t('entry.and'))
}

/** An app of a module with its settings is `acc (beta: Yes)`. */
function itemText(t: Text, item: unknown): string {
  if (typeof item !== 'object' || item === null) return valueText(t, item)
  const { code, flag, ...others } = item as { code?: unknown; flag?: unknown }
  if (typeof code !== 'string') return pairTexts(t, item).join(t('entry.and'))
  const settings = pairTexts(t, { ...(typeof flag === 'object' ? flag : { flag }), ...others })
  return settings.length === 0 ? code : t('entry.with', { name: code, settings: settings.join(t('entry.and')) })
}

const pairTexts = (t: Text, values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [t('entry.pair', { name: fieldName(t, name), value: valueText(t, value) })],
  )

const fieldName = (t: Text, name: string): string => {
  const known = nameOf('field', name)
  return known ? t(`field.${known}`) : name
}

/** Of a field that has names for its values, the name; amounts and counts with separators. */
export function fieldText(t: Text, field: string, value: unknown, { code }: Pick<AuditEntryRow, 'code'>): string {
  if (code === 'price' && typeof value === 'string' && value !== '' && nameOf('info', field) === undefined)
    return priceFieldText(field, value)
  const known = valueName(field, value, { code })
  if (known) return t(`value.${known}` as 'value.title.0')
  if (typeof value === 'string') return amountText(field, value) ?? valueText(t, value)
  if (typeof value !== 'number') return valueText(t, value)
  if (counts.has(field)) return number(value)
  if (field === 'period' && code === 'order') return t('entry.years', { count: value })
  return numbered.has(field) ? t('entry.numbered', { number: value }) : String(value)
}

const counts = new Set(['users', 'Count', 'ChangeCount', 'Entries', 'BrokenCount', 'RestoredSize'])
const numbered = new Set(['price_id', 'contract_id'])

/** `HKD 24,287.67`, or `24,287.67` where another field says the currency. Null: it is no amount. */
function amountText(field: string, value: string): string | null {
  if (field.endsWith('amount') && /^-?\d+\.\d{2}$/.test(value)) return grouped(value)
  const [, currency, amount] = /^([A-Z]{3}) (-?\d+\.\d{2})$/.exec(value) ?? []
  return currency && amount && (field === 'Amount' || field === 'Waived') ? `${currency} ${grouped(amount)}` : null
}

/** What an export was asked for names types, operations and results of other entries. */
export function filterText(t: Text, key: string, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const menu = key === 'code' ? auditMenus.find((one) => one === value) : undefined
  if (menu) return t(`type.${menu}`)
  const operation = key === 'operation' ? operationOf(String(value)) : undefined
  if (operation) return t(`operation.${operation}`)
  if (key === 'status') return t(value === -1 ? 'status.failed' : 'status.done')
  return null
}
