/** One entry that an address names and the page behind it does not show. */
import { listTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'

type Page = OutputOf<typeof listTrail>
/** What the call answers is what a leaf gives (`entryOfLeaf`). */
export const rowsOf = (page: Page): AuditEntryRow[] => page.data as unknown as AuditEntryRow[]

export type Found = { entry: AuditEntryRow } | { problem: Problem } | 'unknown'

const most = 50

/**
 * No call gives an entry by its id, but lists begin behind one: the first that is clearly newer is looked for, and then what
 * comes behind that, the newest first. Entries of the same moment may stand in either order.
 */
export const findEntry =
  (id: number, companyId: number | null): AppThunk<Found> =>
  async (dispatch) => {
    const common = { results: most, sortField: 'end_time', ...(companyId === null ? {} : { companyId }) } as const
    const ask = (order: 'asc' | 'desc', after: number | null) =>
      dispatch(
        callEndpoint(listTrail, { query: { ...common, sortOrder: order, ...(after === null ? {} : { after }) } }),
      )
    const newer = await ask('asc', id)
    if (!('output' in newer) || !newer.output) return missing(newer)
    const times = rowsOf(newer.output)
    const later = times.find(({ end_time }) => end_time !== times[0]?.end_time) ?? times.at(-1)
    const older = await ask('desc', later?.id ?? null)
    if (!('output' in older) || !older.output) return missing(older)
    const entry = [...times, ...rowsOf(older.output)].find((row) => row.id === id)
    return entry ? { entry } : 'unknown'
  }

function missing(result: { kind: string; problem?: Problem }): Found {
  const problem = result.problem ?? localProblem('OFFLINE')
  // Who names an entry that is not theirs hears no more than that.
  return problem.status === 404 || problem.status === 400 ? 'unknown' : { problem }
}
