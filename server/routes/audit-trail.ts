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
import { type EndpointHandler, createProcedureHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import { readActivity, listEntries } from '#server/use-cases/audit/audit-trail.ts'
import { openExport } from '#server/use-cases/audit/export-trail.ts'
import { listAlarms } from '#server/use-cases/audit/list-alarms.ts'
import { permitTrailStorage, readTrailRange } from '#server/use-cases/audit/trail-storage.ts'
import { readProofCheckpoint, readProofTile } from '#server/use-cases/audit/read-proofs.ts'
import { startJob } from '#server/use-cases/job-requests.ts'

export const auditTrailHandlers: EndpointHandler[] = [
  createUseCaseHandler(listTrail, listEntries),
  createUseCaseHandler(trailActivity, readActivity),
  createUseCaseHandler(trailCheckpoint, readProofCheckpoint),
  createUseCaseHandler(trailTile, readProofTile),
  createUseCaseHandler(trailRange, readTrailRange),
  createUseCaseHandler(listTrailAlarms, listAlarms),
  createUseCaseHandler(keepTrail, permitTrailStorage),
  createProcedureHandler(
    exportTrail,
    async ({ app, principal, requestId, isStopped }, { query }) => {
      const { name, type, pieces } = await openExport(
        { app, caller: requireCaller(principal), requestId, isStopped },
        query,
      )
      return {
        body: pieces,
        headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
      }
    },
    {
      // An export is recorded in the trail, so HEAD does not run it.
      head: async () => ({}),
      download: ({ query }) => (query.format === 'ndjson' ? 'device' : 'file'),
    },
  ),
  createUseCaseHandler(verifyTrail, (context, { body }) => startJob(context, { kind: 'verify-trail', input: body })),
]
