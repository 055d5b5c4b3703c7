/**
 * What nobody needs any more: old answers, pictures that nobody wears, tombstones, ended sessions, devices long unused,
 * spent keys, proofs and tickets, codes of sign-ups that were never activated, sealing keys that nobody asked for, files that nobody imported, counted attempts.
 */
import { sweepAssets } from '#server/db/accounts/assets.ts'
import { sweepTombstones } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { sweepPasswords } from '#server/db/hosting/service-passwords.ts'
import { sweepJobBodies, sweepJobs } from '#server/db/jobs.ts'
import { sweepBodies, sweepStubs } from '#server/db/idempotency.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { releaseCodes } from '#server/use-cases/accounts/release-codes.ts'

const dayMs = 86_400_000

/** In days. Protocol 19 and 34 name the first three; a reused refresh token is recognised as long as its row is here. */
export const kept = {
  answers: 35,
  stubs: 400,
  tombstones: 35,
  sessions: 8,
  keys: 8,
  attempts: 2,
  results: 1,
  assets: 35,
  proofs: 1,
  tickets: 1,
  uploads: 1,
  // Longer than the cookie lives.
  devices: 401,
  // As long as the stubs: what was sealed then could not be told from a repeat any more.
  sealKeys: 400,
}

/** How many rows of each kind went. */
export async function sweep(app: AppContext): Promise<Record<string, number>> {
  const now = app.clock()
  const before = (days: number) => now - days * dayMs
  const parts: Record<string, (db: Handle) => Promise<number>> = {
    answers: (db) => sweepBodies(db, before(kept.answers)),
    stubs: (db) => sweepStubs(db, before(kept.stubs)),
    tombstones: (db) => sweepTombstones(db, before(kept.tombstones)),
    sessions: (db) => gone(db.deleteFrom('session').where('end_time', '<', before(kept.sessions))),
    keys: (db) => gone(db.deleteFrom('one_time_key').where('until', '<', before(kept.keys))),
    proofs: (db) => gone(db.deleteFrom('proof').where('until', '<', before(kept.proofs))),
    tickets: (db) => gone(db.deleteFrom('ticket').where('until', '<', before(kept.tickets))),
    passwords: (db) => sweepPasswords(db, now),
    uploads: (db) => gone(db.deleteFrom('price_upload').where('create_time', '<', before(kept.uploads))),
    devices: (db) => gone(db.deleteFrom('device').where('last_time', '<', before(kept.devices))),
    sealKeys: (db) => gone(db.deleteFrom('seal_key').where('create_time', '<', before(kept.sealKeys))),
    results: (db) => sweepJobBodies(db, before(kept.results)),
    // A write that names one may wait on a device for 30 days and longer (protocol 19).
    assets: (db) => sweepAssets(db, before(kept.assets)),
    signUps: (db) => releaseCodes(db, now),
    // As long as the idempotency store can name them: a known job is gone, never unknown (protocol 39).
    jobs: (db) => sweepJobs(db, before(kept.stubs)),
    attempts: (db) =>
      gone(
        db
          .deleteFrom('attempt')
          .where('since', '<', before(kept.attempts))
          .where('not_before', '<', before(kept.attempts)),
      ),
  }
  const swept: Record<string, number> = {}
  // Each in a transaction of its own, so that none holds the others' rows.
  for (const [name, part] of Object.entries(parts))
    swept[name] = await inTransaction(app, { role: 'portal_system' }, part)
  return swept
}

async function gone(query: { executeTakeFirst(): Promise<{ numDeletedRows: bigint } | undefined> }): Promise<number> {
  return Number((await query.executeTakeFirst())?.numDeletedRows ?? 0)
}

export async function sweepAndLog(app: AppContext): Promise<void> {
  app.log.info({ swept: await sweep(app) }, 'swept')
}
