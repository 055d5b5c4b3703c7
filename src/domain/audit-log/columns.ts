/** Converts an audit entry to a table row: the columns of CSV (RFC 4180) and spreadsheet exports in their order. */
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

/** Numbers stay numbers; objects become canonical JSON. */
export function toEntryCells(row: AuditEntryRow): (string | number)[] {
  return entryColumns.map((column) => {
    const value = row[column]
    if (value === null) return ''
    return typeof value === 'object' ? toCanonicalJson(value) : value
  })
}
