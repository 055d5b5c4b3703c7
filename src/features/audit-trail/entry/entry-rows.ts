import type { listTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'

/** The call returns the rows that `toEntryRow` reads from a leaf. */
export const toEntryRows = ({ data }: OutputOf<typeof listTrail>): AuditEntryRow[] => data as unknown as AuditEntryRow[]
