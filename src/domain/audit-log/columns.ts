/** An entry as a line of a table: the columns that files have, in their order (RFC 4180 and spreadsheets alike). */
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'

export const entryColumns = [
  'id',
  'log_index',
  'end_time',
  'code',
  'operation',
  'exec_user_id',
  'exec_user_name',
  'status',
  'info',
  'changes',
  'intent',
  'request_id',
] as const

/** Numbers stay numbers; objects are their canonical JSON. */
export function toEntryCells(row: AuditEntryRow): (string | number)[] {
  return entryColumns.map((column) => {
    const value = row[column]
    if (value === null) return ''
    return typeof value === 'object' ? toCanonicalJson(value) : value
  })
}
