/** Long requests as an outside client asks for them, on a server of either engine. */
import { headers } from '#contract/headers.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { Kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { verifyTrail } from '#server/jobs/verify-audit-trail.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

export const begin = (who: SignedIn, key: string = crypto.randomUUID(), companyId: number | null = null) =>
  who.send({
    method: 'POST',
    url: '/api/systrail/verify',
    headers: { [headers.key]: key },
    payload: { companyId },
  })

export const ask = (who: SignedIn, location: string) => who.send({ method: 'GET', url: location })

/** The real kind, a few links a step. */
export const bySteps = (most: number): Kinds => ({ 'verify-trail': verifyTrail(most) as unknown as JobKind })

export async function workAll(server: TestServer, kinds: Kinds): Promise<void> {
  while (await workOne(server.app, kinds));
}

/** Entries in the trail of one company. */
export async function writeTrail(server: TestServer, companyId: number, count: number): Promise<void> {
  await inTransaction(server.app, { role: 'portal_system' }, async (db) => {
    for (let at = 0; at < count; at++)
      await addToTrail(db, { companyId, userId: null, now: at, status: 0, intent: null, requestId: '' }, [
        { code: 'user', operation: 'update', info: { at } },
      ])
  })
}
