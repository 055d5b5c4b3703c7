/** Finds message keys for names in entries. A name that is newer than this build is shown unchanged. */
import { type AuditEntryRow, type AuditOperation, auditOperations } from '#domain/audit-log/leaf.ts'
import en from '#locales/en/audit.json'
import { type BackupFault, backupFaults } from '#contract/backups.ts'

export type AuditEntrySubject = Pick<AuditEntryRow, 'code' | 'info'>

export const findInfoKey = (name: string): keyof typeof en.info | undefined =>
  Object.hasOwn(en.info, name) ? (name as keyof typeof en.info) : undefined

export const findOperation = (name: string): AuditOperation | undefined =>
  auditOperations.find((candidate) => candidate === name)

/** Finds the message key of a value by its field or, for a status, by the entry's type. */
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

/** A failed backup has a fault of the storage or the system in place of a problem code. */
export const findBackupFault = (problem: unknown): BackupFault | undefined =>
  backupFaults.find((candidate) => candidate === problem)
