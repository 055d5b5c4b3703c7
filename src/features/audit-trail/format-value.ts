/** Formats a value of an audit entry. The result is always text, never markup. */
import type { TFunction } from 'i18next'
import { type AuditEntryRow, auditMenus } from '#domain/audit-log/leaf.ts'
import { groupThousands } from '#domain/money.ts'
import { findInfoKey, findOperation, findValueKey } from '#features/audit-trail/find-entry-key.ts'
import { findFieldLabel } from '#ui/i18n/field-labels.ts'
import { formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'

type AuditTranslate = TFunction<'audit'>

export function toValueText(t: AuditTranslate, value: unknown): string {
  if (value === null || value === undefined) return t('entry.nothing')
  if (value === '') return t('entry.empty')
  if (typeof value === 'boolean') return t(value ? 'entry.yes' : 'entry.no')
  if (typeof value !== 'object') return String(value)
  const parts = Array.isArray(value) ? value.map((item) => formatItem(t, item)) : formatPairs(t, value)
  return parts.length === 0 ? t('entry.empty') : parts.join(t('entry.and'))
}

function formatItem(t: AuditTranslate, item: unknown): string {
  if (typeof item !== 'object' || item === null) return toValueText(t, item)
  const { code, flag, ...otherSettings } = item as { code?: unknown; flag?: unknown }
  if (typeof code !== 'string') return formatPairs(t, item).join(t('entry.and'))
  const settings = formatPairs(t, { ...(typeof flag === 'object' ? flag : { flag }), ...otherSettings })
  return settings.length === 0 ? code : t('entry.with', { name: code, settings: settings.join(t('entry.and')) })
}

const formatPairs = (t: AuditTranslate, values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [t('entry.pair', { name: findFieldLabel(name) ?? name, value: toValueText(t, value) })],
  )

/** Returns the name of a value if its field has names for values. Amounts and counts get separators. */
export function toFieldText(
  t: AuditTranslate,
  field: string,
  value: unknown,
  { code }: Pick<AuditEntryRow, 'code'>,
): string {
  const isPriceText = code === 'price' && typeof value === 'string' && value !== ''
  if (isPriceText && findInfoKey(field) === undefined) return formatPriceFieldValue(field, value)
  const valueKey = findValueKey(field, value, { code })
  if (valueKey) return t(`value.${valueKey}` as 'value.title.0')
  if (typeof value === 'number') return formatNumberField(t, field, value, code)
  return (typeof value === 'string' ? formatAmount(field, value) : null) ?? toValueText(t, value)
}

function formatNumberField(t: AuditTranslate, field: string, value: number, code: AuditEntryRow['code']): string {
  if (countFields.has(field)) return formatNumber(value)
  if (field === 'period' && code === 'order') return t('entry.years', { count: value })
  return numberedFields.has(field) ? t('entry.numbered', { number: value }) : String(value)
}

const countFields = new Set(['users', 'Count', 'ChangeCount', 'Entries', 'BrokenCount', 'RestoredSize'])
const numberedFields = new Set(['price_id', 'contract_id'])

/** Formats `HKD 24,287.67`, or `24,287.67` if another field has the currency. Null if it is not an amount. */
function formatAmount(field: string, value: string): string | null {
  if (field.endsWith('amount') && /^-?\d+\.\d{2}$/.test(value)) return groupThousands(value)
  const [, currency, amount] = /^([A-Z]{3}) (-?\d+\.\d{2})$/.exec(value) ?? []
  return currency && amount && (field === 'Amount' || field === 'Waived')
    ? `${currency} ${groupThousands(amount)}`
    : null
}

/** Formats the filter of an export: types, operations and results. Returns null for any other value. */
export function formatFilter(t: AuditTranslate, key: string, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const menu = key === 'code' ? auditMenus.find((candidate) => candidate === value) : undefined
  if (menu) return t(`type.${menu}`)
  const operation = key === 'operation' ? findOperation(String(value)) : undefined
  if (operation) return t(`operation.${operation}`)
  if (key === 'status') return t(value === -1 ? 'status.failed' : 'status.done')
  return null
}
