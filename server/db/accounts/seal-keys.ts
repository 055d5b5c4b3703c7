/** Sealing keys are stored until everything they sealed is opened. Each function handles one user's keys. */
import type { DatabaseHandle } from '#server/db/database.ts'

/** Called in the transaction that creates the session. Needs portal_system. */
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

/** Returns the key of the session and those keys of the ids that belong to this user, sorted by id. */
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

/** Deletes only keys of this user. The key of an active session stays, because more data may be sealed with it. */
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
