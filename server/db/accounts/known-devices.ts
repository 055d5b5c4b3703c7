/** Rows of devices from which a user has signed in. Needs the role portal_system, as all queries at sign-in do. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'

export interface SignInDevice {
  hash: string
  userId: number
  companyId: number
  now: number
}

export const isKnownDevice = (db: DatabaseHandle, hash: string) =>
  hasRow(db.selectFrom('device').select('hash').where('hash', '=', hash))

/**
 * Returns `known` for a stored device, `first` if the user had no device, otherwise `new`. The caller locks the user's row, so that two
 * sign-ins are never both the first.
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
