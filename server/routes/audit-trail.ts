/** The audit trail. */
import {
  exportTrail,
  keepTrail,
  listTrail,
  listTrailAlarms,
  trailActivity,
  trailCheckpoint,
  trailRange,
  trailTile,
  verifyTrail,
} from '#contract/audit-trail.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { type Handler, procedureHandler, useCaseHandler } from '#server/http/route-handler.ts'
import { activity, list } from '#server/use-cases/audit/audit-trail.ts'
import { openExport } from '#server/use-cases/audit/export-trail.ts'
import { listAlarms } from '#server/use-cases/audit/list-alarms.ts'
import { keep, range } from '#server/use-cases/audit/keep-trail.ts'
import { checkpoint, tile } from '#server/use-cases/audit/proofs.ts'
import { beginJob } from '#server/use-cases/job-requests.ts'

export const trail: Handler[] = [
  useCaseHandler(listTrail, list),
  useCaseHandler(trailActivity, activity),
  useCaseHandler(trailCheckpoint, checkpoint),
  useCaseHandler(trailTile, tile),
  useCaseHandler(trailRange, range),
  useCaseHandler(listTrailAlarms, listAlarms),
  useCaseHandler(keepTrail, keep),
  procedureHandler(
    exportTrail,
    async ({ app, principal, requestId, stopped }, { query }) => {
      const { name, type, pieces } = await openExport(
        { app, caller: requireCaller(principal), requestId, stopped },
        query,
      )
      return {
        body: pieces,
        headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
      }
    },
    {
      // An export is recorded in the trail: HEAD makes none.
      head: async () => ({}),
      download: ({ query }) => (query.format === 'ndjson' ? 'device' : 'file'),
    },
  ),
  useCaseHandler(verifyTrail, (context, { body }) => beginJob(context, { kind: 'verify-trail', input: body })),
]
