import type { FieldChange } from '#domain/audit-log/changes.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

/** An entry of the audit trail. The writer adds the user, the time and the intent. */
export interface AuditEntry {
  code: AuditMenu
  operation: string
  info: Record<string, unknown>
  /** Changed fields without secrets. Omitted if the former values are unknown. */
  changes?: readonly FieldChange[]
  /** Company whose log contains the entry if another company's users acted. `actor` is the code of their company. */
  company?: { id: number; actor: string }
}
