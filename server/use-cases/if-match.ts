/** If-Match against the row as it is now (protocol 9), and the 412 that shows it. */
import { whoLeft } from '#server/db/audit/audit-trail.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

interface Versioned {
  row_version: number
  update_time: number
}

export interface Shown {
  /** The row as an answer shows it, made only where it is shown. */
  current: () => unknown
  /** How the trail calls a change of it: where it is kept with more rows of its kind, which one. */
  kept: Pick<AuditEntry, 'code' | 'info'>
}

/** Without If-Match there is nothing to compare. The 412 says who made the row what it is, for whoever has to choose. */
export async function requireVersion(context: UseCaseContext, row: Versioned, { current, kept }: Shown): Promise<void> {
  const { ifMatch, db, caller } = context
  if (ifMatch === null || ifMatch === row.row_version) return
  const changedBy = await whoLeft(db, caller.companyId, { ...kept, at: row.update_time })
  throw new ProblemError('VERSION_CONFLICT', { current: current(), changed_by: changedBy })
}
