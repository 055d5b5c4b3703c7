/** One entry that an address names and the page behind it does not show. */
import { listTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'

type TrailPageOutput = OutputOf<typeof listTrail>
/** What the call answers is what a leaf gives (`toEntryRow`). */
export const toEntryRows = (page: TrailPageOutput): AuditEntryRow[] => page.data as unknown as AuditEntryRow[]

export type AuditEntryResult = { entry: AuditEntryRow } | { problem: Problem } | 'unknown'

/** From the server, or of what the device keeps. `companyId` null: of the own log. */
export const readEntry =
  (id: number, companyId: number | null): AppThunk<AuditEntryResult> =>
  async (dispatch) => {
    const query = { entry: id, results: 1, ...(companyId === null ? {} : { companyId }) }
    const result = await dispatch(callEndpoint(listTrail, { query }))
    if (!('output' in result) || !result.output) return toMissingResult(result)
    const [entry] = toEntryRows(result.output)
    if (entry) return { entry }
    // Days that are not kept may have it.
    return result.kind === 'cached' && result.days ? { problem: createLocalProblem('OFFLINE') } : 'unknown'
  }

function toMissingResult(result: { kind: string; problem?: Problem }): AuditEntryResult {
  const problem = result.problem ?? createLocalProblem('OFFLINE')
  // Who names an entry that is not theirs hears no more than that.
  return problem.status === 404 || problem.status === 400 ? 'unknown' : { problem }
}
