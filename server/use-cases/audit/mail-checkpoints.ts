/**
 * Mails the newest checkpoint of a log once a week to the company's admins who want mails. With the checkpoint they can check later whether
 * the log still matches, even if the portal and all its copies were changed.
 */
import { userStatus } from '#domain/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  listCheckpointsToMail,
  waitForLogLock,
  markCheckpointMailed,
  readLatestCheckpoint,
} from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

export const weekMs = 7 * 86_400_000

/** Returns the number of requested mails. The checkpoint becomes permanent even if no admin wants mails. */
export async function mailCheckpoints(app: AppContext): Promise<number> {
  const now = app.clock()
  const requestedCount = await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    let mailCount = 0
    for (const { companyId } of await listCheckpointsToMail(db, now - weekMs)) {
      // A checkpoint signs all earlier permanent ones. So no checkpoint may be signed while this one becomes permanent.
      await waitForLogLock(db, companyId)
      // Another node may have mailed it while this one waited for the lock.
      if ((await listCheckpointsToMail(db, now - weekMs, companyId)).length === 0) continue
      const latestCheckpoint = await readLatestCheckpoint(db, companyId)
      if (!latestCheckpoint) continue
      const log = { companyId, size: latestCheckpoint.size }
      for (const userId of await readWitnesses(db, log.companyId)) {
        await requestMail(db, { companyId: log.companyId, now }, { mail: 'audit-checkpoint', userId, size: log.size })
        mailCount++
      }
      await markCheckpointMailed(db, log, now)
    }
    return mailCount
  })
  if (requestedCount > 0) notifyJobs(app)
  return requestedCount
}

async function readWitnesses(db: DatabaseHandle, companyId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('portal_user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('admin', '=', true)
    .where('alert', '=', true)
    .where('status', '=', userStatus.activated)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
