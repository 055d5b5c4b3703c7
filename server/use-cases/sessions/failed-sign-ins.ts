/**
 * Records failed sign-ins in the audit trail. Per known account, network (IPv6: /64) and fifteen minutes there is one entry with a count,
 * so that an attacker cannot flood the trail. Unknown accounts get no entry.
 */
import { toTimestamp } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import { countFailedSignIn, removeFailedSignIns } from '#server/db/accounts/failed-sign-ins.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { getAddressGroup } from '#server/shares/client-address.ts'

export const failureWindowMs = 15 * 60_000

export const countFailedSignInAttempt = (
  app: AppContext,
  userId: number | null,
  address: string,
  now: number,
): Promise<void> =>
  writeAsSystem(app, (db) => countFailedSignIn(db, { userId, network: getAddressGroup(address).slice(0, 60), now }))

/** Writes the entries of ended windows. All entries are written in one transaction, so the work is repeated after a kill. */
export async function writeFailedSignIns(app: AppContext): Promise<void> {
  const now = app.clock()
  const zone = app.config.timeZone
  await writeAsSystem(app, async (db) => {
    // Nobody was signed in, so the entry has no user.
    for (const { companyId, userId, userName, network, since, until, count } of await removeFailedSignIns(
      db,
      now - failureWindowMs,
    ))
      await addAuditEntries(
        db,
        { companyId, userId: null, now, status: -1, intent: null, requestId: 'failed sign-ins' },
        [
          {
            code: 'user',
            operation: 'login',
            info: {
              UserName: userName,
              UserId: userId,
              Network: network,
              Count: count,
              From: toTimestamp(zone, since),
              To: toTimestamp(zone, until),
            },
          },
        ],
      )
  })
}
