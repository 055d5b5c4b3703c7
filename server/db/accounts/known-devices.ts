/** From what a user has signed in before. As portal_system, like all of a sign-in. */
import type { Handle } from '#server/db/handle.ts'

export interface Met {
  hash: string
  userId: number
  companyId: number
  now: number
}

/** Whether that user has signed in from it. */
export const isDevice = async (db: Handle, hash: string): Promise<boolean> =>
  (await db.selectFrom('device').select('hash').where('hash', '=', hash).executeTakeFirst()) !== undefined

/**
 * `first`: the user has no device yet, so there is nothing to be surprised by. Who signs in holds the user's row, so two at
 * once do not both come first.
 */
export async function meetDevice(
  db: Handle,
  { hash, userId, companyId, now }: Met,
): Promise<'known' | 'first' | 'new'> {
  const known = await db
    .updateTable('device')
    .set({ last_time: now })
    .where('hash', '=', hash)
    .returning('hash')
    .executeTakeFirst()
  if (known) return 'known'
  const other = await db.selectFrom('device').select('hash').where('user_id', '=', userId).limit(1).executeTakeFirst()
  await db
    .insertInto('device')
    .values({ hash, user_id: userId, company_id: companyId, create_time: now, last_time: now })
    .execute()
  return other ? 'new' : 'first'
}
