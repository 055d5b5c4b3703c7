import type { FieldChange } from '#domain/audit-log/changes.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

/** An entry of the audit trail; the writer adds who, when and by which write. */
export interface AuditEntry {
  code: AuditMenu
  operation: string
  info: Record<string, unknown>
  /** By field, secrets left out; left out: nothing is known of what was there before. */
  changes?: readonly FieldChange[]
  /** In whose log it stands, where another company's people acted for it; `actor`: the code of theirs. */
  company?: { id: number; actor: string }
}
