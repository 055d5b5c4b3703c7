/** The audit trail. */
import { verifyTrail } from '#contract/audit-trail.ts'
import { type Handler, serviceHandler } from '#server/routes/route-handler.ts'
import { beginJob } from '#server/services/job-requests.ts'

export const trail: Handler[] = [
  serviceHandler(verifyTrail, (context, { body }) => beginJob(context, { kind: 'verify-trail', input: body })),
]
