/** Makes calls of long requests as an external client does, to a server with either engine. */
import { headers } from '#contract/headers.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { JobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { createTrailVerificationJob } from '#server/jobs/verify-audit-trail.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

export const startVerification = (user: SignedIn, key: string = crypto.randomUUID(), companyId: number | null = null) =>
  user.send({
    method: 'POST',
    url: '/api/systrail/verify',
    headers: { [headers.key]: key },
    payload: { companyId },
  })

export const readJobStatus = (user: SignedIn, location: string) => user.send({ method: 'GET', url: location })

/** Returns the real verification job, with at most `maxEntries` entries per step. */
export const createStepJobKinds = (maxEntries: number): JobKinds => ({
  'verify-trail': createTrailVerificationJob(maxEntries) as unknown as JobKind,
})

export async function runAllJobs(server: TestServer, kinds: JobKinds): Promise<void> {
  while (await runOneJob(server.app, kinds));
}

/** Writes `count` entries to the audit trail of one company. */
export async function writeTrail(server: TestServer, companyId: number, count: number): Promise<void> {
  await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
    for (let index = 0; index < count; index++)
      await addAuditEntries(db, { companyId, userId: null, now: index, status: 0, intent: null, requestId: '' }, [
        { code: 'user', operation: 'update', info: { at: index } },
      ])
  })
}
