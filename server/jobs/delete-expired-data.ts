/** Deletes old data, such as stored responses, tombstones, ended sessions, expired keys and unused pictures. */
import { notificationDays } from '#domain/notifications.ts'
import { deleteUnusedAssets } from '#server/db/accounts/assets.ts'
import { deleteOldTombstones } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { deleteExpiredPasswords } from '#server/db/hosting/service-passwords.ts'
import { deleteEndedPushDevices } from '#server/db/notifications/push-devices.ts'
import { deleteOldJobBodies, deleteOldJobs } from '#server/db/jobs.ts'
import { deleteOldBodies, deleteOldStubs } from '#server/db/idempotency-store.ts'
import { deleteRequestCounts, maxDeletedCounts } from '#server/db/request-counts.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { releaseCodes } from '#server/use-cases/accounts/release-codes.ts'

const dayMs = 86_400_000
/** Age in ms from which a count of requests is deleted. Longer than its window of one minute. */
const requestCountsMs = 10 * 60_000

/**
 * Number of days after which each kind of data is deleted (protocol 19, 34). A reused refresh token is recognised as long as its session
 * row exists.
 */
export const retentionDays = {
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
  // Longer than the lifetime of the device cookie.
  devices: 401,
  // Same as `stubs`. Without its key, a repeat of a sealed write could not be recognised.
  sealKeys: 400,
  notifications: notificationDays,
}

export async function deleteExpiredData(app: AppContext): Promise<Record<string, number>> {
  const now = app.clock()
  const getCutoff = (kind: keyof typeof retentionDays) => now - retentionDays[kind] * dayMs
  const deletions: Record<string, (db: DatabaseHandle) => Promise<number>> = {
    answers: (db) => deleteOldBodies(db, getCutoff('answers')),
    stubs: (db) => deleteOldStubs(db, getCutoff('stubs')),
    tombstones: (db) => deleteOldTombstones(db, getCutoff('tombstones')),
    sessions: (db) => countDeleted(db.deleteFrom('session').where('end_time', '<', getCutoff('sessions'))),
    keys: (db) => countDeleted(db.deleteFrom('one_time_key').where('until', '<', getCutoff('keys'))),
    proofs: (db) => countDeleted(db.deleteFrom('proof').where('until', '<', getCutoff('proofs'))),
    tickets: (db) => countDeleted(db.deleteFrom('ticket').where('until', '<', getCutoff('tickets'))),
    passwords: (db) => deleteExpiredPasswords(db, now),
    uploads: (db) => countDeleted(db.deleteFrom('price_upload').where('create_time', '<', getCutoff('uploads'))),
    devices: (db) => countDeleted(db.deleteFrom('device').where('last_time', '<', getCutoff('devices'))),
    sealKeys: (db) => countDeleted(db.deleteFrom('seal_key').where('create_time', '<', getCutoff('sealKeys'))),
    notifications: (db) =>
      countDeleted(db.deleteFrom('notification').where('create_time', '<', getCutoff('notifications'))),
    pushDevices: (db) => deleteEndedPushDevices(db, now),
    results: (db) => deleteOldJobBodies(db, getCutoff('results')),
    // Unused assets stay for `retentionDays.assets`: a write that names one may wait on a device for 30 days and longer (protocol 19).
    assets: (db) => deleteUnusedAssets(db, getCutoff('assets')),
    signUps: (db) => releaseCodes(db, now),
    // A row of the idempotency store may name a job for this time. Until then a poll for the job returns GONE, not NOT_FOUND (protocol 39).
    jobs: (db) => deleteOldJobs(db, getCutoff('stubs')),
    attempts: (db) => {
      const cutoff = getCutoff('attempts')
      return countDeleted(db.deleteFrom('attempt').where('since', '<', cutoff).where('not_before', '<', cutoff))
    },
  }
  const deletedCounts: Record<string, number> = {}
  // Each deletion runs in its own transaction, so that none locks the rows of the others.
  for (const [name, deleteRows] of Object.entries(deletions)) deletedCounts[name] = await writeAsSystem(app, deleteRows)
  deletedCounts.requestCounts = await deleteOldRequestCounts(app, now)
  return deletedCounts
}

async function deleteOldRequestCounts(app: AppContext, now: number): Promise<number> {
  let [total, count] = [0, 0]
  do {
    count = await writeAsSystem(app, (db) => deleteRequestCounts(db, now - requestCountsMs))
    total += count
  } while (count === maxDeletedCounts)
  return total
}

async function countDeleted(query: {
  executeTakeFirst(): Promise<{ numDeletedRows: bigint } | undefined>
}): Promise<number> {
  return Number((await query.executeTakeFirst())?.numDeletedRows ?? 0)
}

export async function deleteExpiredDataAndLog(app: AppContext): Promise<void> {
  app.log.info({ event: 'expired_data_deleted', swept: await deleteExpiredData(app) }, 'deleted expired data')
}
