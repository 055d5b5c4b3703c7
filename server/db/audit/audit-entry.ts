import type { ActingConsent } from '#domain/access.ts'
import type { FieldChange } from '#domain/audit-log/changes.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

/** An entry of the audit trail, as a use case describes it. The user, the time and the intent are added when it is written. */
export interface AuditEntry {
  code: AuditMenu
  operation: string
  info: Record<string, unknown>
  /** Changed fields, without secrets. Omitted if the previous values are not available. */
  changes?: readonly FieldChange[]
  /** Company whose log gets the entry, if the caller acts for another company. `actor` is the code of the caller's company. */
  company?: { id: number; actor: string }
}

/**
 * Info of an entry about a write under a consent: the member of the staff, because the customer shall know who it was, and the consent
 * (decision 116).
 */
export const buildActingInfo = ({ staffName, consentId }: ActingConsent): Record<string, unknown> => ({
  StaffName: staffName,
  ConsentId: consentId,
})
