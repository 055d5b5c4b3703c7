import type { listTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'

/** Casts the response's rows. They have the type of `toEntryRow`, which builds the same rows from the leaves of the log. */
export const toEntryRows = ({ data }: OutputOf<typeof listTrail>): AuditEntryRow[] => data as unknown as AuditEntryRow[]
