/**
 * A witness outside: once a week the newest checkpoint of a company's log goes by mail to its admins who want mails. Whoever has one can
 * tell later whether the log still is what it was then, also where the portal and all its copies were changed.
 */
import { userStatus } from '#domain/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { checkpointsToMail, holdLog, markMailed, newestCheckpoint } from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'

export const weekMs = 7 * 86_400_000

/** Answers how many mails were asked for. A company without such an admin keeps its checkpoint all the same. */
export async function mailCheckpoints(app: AppContext): Promise<number> {
  const now = app.clock()
  const asked = await inTransaction(app, { role: 'portal_system' }, async (db) => {
    let mails = 0
    for (const { companyId } of await checkpointsToMail(db, now - weekMs)) {
      // What stays is part of what the next checkpoint signs: none may be signed meanwhile.
      await holdLog(db, companyId)
      const newest = await newestCheckpoint(db, companyId)
      if (!newest) continue
      const log = { companyId, size: newest.size }
      for (const userId of await witnesses(db, log.companyId)) {
        await askMail(db, { companyId: log.companyId, now }, { mail: 'audit-checkpoint', userId, size: log.size })
        mails++
      }
      await markMailed(db, log, now)
    }
    return mails
  })
  if (asked > 0) notifyJobs(app)
  return asked
}

async function witnesses(db: Handle, companyId: number): Promise<number[]> {
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
