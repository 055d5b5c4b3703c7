/** The names that entries use and the texts know. What is written later than this build is shown as it is written. */
import { type AuditEntryRow, type AuditOperation, auditOperations } from '#domain/audit-log/leaf.ts'
import en from '#locales/en/audit.json'

export type Named = Pick<AuditEntryRow, 'code' | 'info'>

type Texts = Pick<typeof en, 'info' | 'field'>

/** Undefined: there is no text for it. */
export const nameOf = <G extends keyof Texts>(group: G, name: string): keyof Texts[G] | undefined =>
  Object.hasOwn(en[group], name) ? (name as keyof Texts[G]) : undefined

export const operationOf = (name: string): AuditOperation | undefined => auditOperations.find((one) => one === name)

/** Names of values: by the field, or, of a status, by whose it is. Undefined: the value speaks for itself. */
export function valueName(field: string, value: unknown, { code }: Pick<Named, 'code'>): string | undefined {
  const group = field === 'status' ? code : field
  const known: Partial<Record<string, object>> = en.value
  const texts = Object.hasOwn(known, group) ? known[group] : undefined
  const isName = typeof value === 'string' || typeof value === 'number'
  return texts && isName && Object.hasOwn(texts, String(value)) ? `${group}.${value}` : undefined
}
