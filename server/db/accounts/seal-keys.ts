/**
 * Rows of sealing keys. A key is stored until its user's device has opened everything that the key sealed. Each function handles one user's
 * keys.
 */
import type { DatabaseHandle } from '#server/db/database.ts'

/** Called in the transaction that creates the session, with the role portal_system. */
export async function insertSealKey(
  db: DatabaseHandle,
  {
    sessionId,
    userId,
    companyId,
    key,
    now,
  }: Record<'sessionId' | 'key', string> & Record<'userId' | 'companyId' | 'now', number>,
): Promise<void> {
  await db
    .insertInto('seal_key')
    .values({ session_id: sessionId, user_id: userId, company_id: companyId, key, create_time: now })
    .execute()
}

/** Returns the user's keys of this session and with these ids, sorted by id. Ignores ids of other users' keys. */
export const listSealKeys = (
  db: DatabaseHandle,
  userId: number,
  { sessionId, ids }: { sessionId: string | null; ids: readonly number[] },
) =>
  db
    .selectFrom('seal_key')
    .select(['id', 'session_id', 'key'])
    .where('user_id', '=', userId)
    .where(({ eb, or }) => or([eb('session_id', '=', sessionId), ...(ids.length > 0 ? [eb('id', 'in', ids)] : [])]))
    .orderBy('id')
    .execute()

/** Deletes only keys of this user. The key of an active session is not deleted, because more data may be sealed with it. */
export async function deleteSealKeys(db: DatabaseHandle, userId: number, ids: readonly number[], now: number) {
  await db
    .deleteFrom('seal_key')
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('session')
            .select('session.id')
            .whereRef('session.id', '=', 'seal_key.session_id')
            .where('session.ended', 'is', null)
            .where('session.end_time', '>', now),
        ),
      ),
    )
    .execute()
}
