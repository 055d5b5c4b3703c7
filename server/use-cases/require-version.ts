/** Compares If-Match with the current row (protocol 9), and throws a 412 with that row. */
import { findLastAuthor } from '#server/db/audit/audit-trail.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

interface VersionedRow {
  row_version: number
  update_time: number
}

export interface VersionCheck {
  buildCurrentRow: () => unknown
  auditTarget: Pick<AuditEntry, 'code' | 'info'>
}

/** Does nothing without If-Match. The 412 contains who made the last change, so that the user can decide. */
export async function requireVersion(
  context: UseCaseContext,
  row: VersionedRow,
  { buildCurrentRow, auditTarget }: VersionCheck,
): Promise<void> {
  const { ifMatch, db, caller } = context
  if (ifMatch === null || ifMatch === row.row_version) return
  const changedBy = await findLastAuthor(db, caller.companyId, { ...auditTarget, changedAt: row.update_time })
  throw new ProblemError('VERSION_CONFLICT', { current: buildCurrentRow(), changed_by: changedBy })
}
