/** The audit trail. */
import { verifyTrail } from '#contract/trail.ts'
import { type Handler, handle } from '#server/routes/handlers.ts'
import { beginJob } from '#server/services/jobs.ts'

export const trail: Handler[] = [
  handle(verifyTrail, (context, { body }) => beginJob(context, { kind: 'verify-trail', input: body })),
]
