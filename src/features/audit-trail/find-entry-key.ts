/** The names that entries use and the texts know. What is written later than this build is shown as it is written. */
import { type AuditEntryRow, type AuditOperation, auditOperations } from '#domain/audit-log/leaf.ts'
import en from '#locales/en/audit.json'

export type AuditEntrySubject = Pick<AuditEntryRow, 'code' | 'info'>

/** Undefined: there is no text for it. */
export const findInfoKey = (name: string): keyof typeof en.info | undefined =>
  Object.hasOwn(en.info, name) ? (name as keyof typeof en.info) : undefined

export const findOperation = (name: string): AuditOperation | undefined =>
  auditOperations.find((candidate) => candidate === name)

/** Names of values: by the field, or, of a status, by whose it is. Undefined: the value speaks for itself. */
export function findValueKey(
  field: string,
  value: unknown,
  { code }: Pick<AuditEntrySubject, 'code'>,
): string | undefined {
  const group = field === 'status' ? code : field
  const valueTexts: Partial<Record<string, object>> = en.value
  const texts = Object.hasOwn(valueTexts, group) ? valueTexts[group] : undefined
  const isName = typeof value === 'string' || typeof value === 'number'
  return texts && isName && Object.hasOwn(texts, String(value)) ? `${group}.${value}` : undefined
}
