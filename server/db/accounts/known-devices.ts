/** From what a user has signed in before. As portal_system, like all of a sign-in. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'

export interface SignInDevice {
  hash: string
  userId: number
  companyId: number
  now: number
}

/** Whether that user has signed in from it. */
export const isKnownDevice = (db: DatabaseHandle, hash: string) =>
  hasRow(db.selectFrom('device').select('hash').where('hash', '=', hash))

/**
 * `first`: the user has no device yet, so there is nothing to be surprised by. Who signs in holds the user's row, so two at
 * once do not both come first.
 */
export async function recordDevice(
  db: DatabaseHandle,
  { hash, userId, companyId, now }: SignInDevice,
): Promise<'known' | 'first' | 'new'> {
  const knownDevice = await db
    .updateTable('device')
    .set({ last_time: now })
    .where('hash', '=', hash)
    .returning('hash')
    .executeTakeFirst()
  if (knownDevice) return 'known'
  const otherDevice = await db
    .selectFrom('device')
    .select('hash')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  await db
    .insertInto('device')
    .values({ hash, user_id: userId, company_id: companyId, create_time: now, last_time: now })
    .execute()
  return otherDevice ? 'new' : 'first'
}
