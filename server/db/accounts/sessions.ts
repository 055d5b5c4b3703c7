/** Sessions as their user sees them (S-46). Row-level security holds each company to its own. */
import type { Selectable } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { SessionTable } from '#server/db/tables/tables.ts'
import type { EndReason } from '#server/db/accounts/tokens.ts'

export type OwnSession = Pick<Selectable<SessionTable>, 'id' | 'create_time' | 'last_time' | 'user_agent' | 'address'>

/** Those that could still be renewed, the latest used first. */
export const openSessionsOf = (db: Handle, userId: number, now: number, most: number): Promise<OwnSession[]> =>
  db
    .selectFrom('session')
    .select(['id', 'create_time', 'last_time', 'user_agent', 'address'])
    .where('user_id', '=', userId)
    .where('ended', 'is', null)
    .where('end_time', '>', now)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('token')
          .select('token.id')
          .whereRef('token.session_id', '=', 'session.id')
          .where('token.used', 'is', null)
          .where('token.refresh_until', '>', now),
      ),
    )
    .orderBy('last_time', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()

/** False: it is no open session of that user's. */
export async function endSessionOf(
  db: Handle,
  { userId, id, now, why }: { userId: number; id: string; now: number; why: EndReason },
): Promise<boolean> {
  const ended = await db
    .updateTable('session')
    .set({ ended: now, ended_why: why })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('ended', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}
