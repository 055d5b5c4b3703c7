/** If-Match against the row as it is now (protocol 9), and the 412 that shows it. */
import { findLastAuthor } from '#server/db/audit/audit-trail.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

interface VersionedRow {
  row_version: number
  update_time: number
}

export interface VersionCheck {
  /** The row as an answer shows it, made only where it is shown. */
  buildCurrentRow: () => unknown
  /** How the trail calls a change of it: where it is kept with more rows of its kind, which one. */
  auditTarget: Pick<AuditEntry, 'code' | 'info'>
}

/** Without If-Match there is nothing to compare. The 412 says who made the row what it is, for whoever has to choose. */
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
