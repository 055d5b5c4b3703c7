/** Rows of sessions as their user sees them (S-46). Row-level security limits each query to one company. */
import type { Selectable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { SessionTable } from '#server/db/tables/tables.ts'
import type { EndReason } from '#server/db/accounts/tokens.ts'

export type SessionSummary = Pick<
  Selectable<SessionTable>,
  'id' | 'create_time' | 'last_time' | 'user_agent' | 'address'
>

/** Returns the user's sessions that can still be renewed, most recently used first. */
export const listOpenSessions = (db: DatabaseHandle, userId: number, now: number, limit: number) =>
  db
    .selectFrom('session')
    .select(['id', 'create_time', 'last_time', 'user_agent', 'address'])
    .where(hasValues({ user_id: userId, ended: null }))
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
    .limit(limit)
    .execute()

export const endOwnSession = (
  db: DatabaseHandle,
  { userId, id, now, reason }: { userId: number; id: string; now: number; reason: EndReason },
) =>
  hasRow(
    db
      .updateTable('session')
      .set({ ended: now, ended_reason: reason })
      .where(hasValues({ id, user_id: userId, ended: null }))
      .returning('id'),
  )
