/**
 * Rows of sessions and their tokens, which are stored only as hashes (S-41). Finding a token needs portal_system, because the caller is
 * unknown until the row is found.
 */
import { deletePushDevicesOfSession, deletePushDevicesOfUser } from '#server/db/notifications/push-devices.ts'
import { CompiledQuery, type Insertable } from 'kysely'
import type { Caller } from '#domain/access.ts'
import {
  type ConsentOfSession,
  type ConsentOfSessionRow,
  toConsentOfSession,
} from '#server/db/accounts/acting-consents.ts'
import { type UserStatus, userStatus } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { SessionTable, TokenTable } from '#server/db/tables/tables.ts'
import type { QueryExecutor } from '#server/db/transaction.ts'

export type EndReason =
  | 'logout'
  | 'password'
  | 'reuse'
  | 'disabled'
  | 'deleted'
  | 'replaced'
  | 'reset'
  | 'refused'
  | 'ended'
  | 'admin'

/** User of a session, with the current roles (S-52). */
export interface SessionHolder {
  caller: Caller
  userName: string
  status: UserStatus
  sessionId: string
  ended: number | null
  endTime: number
}

export interface PresentedToken extends SessionHolder {
  tokenId: number
  accessUntil: number
  refreshUntil: number
  used: number | null
  parentId: number | null
  accessUsed: number | null
  /** Company for which the session acts, even if the consent is over. Null for most sessions (decision 111). */
  actingCompanyId: number | null
}

const selectPresentedTokens = (db: DatabaseHandle) =>
  db
    .selectFrom('token')
    .innerJoin('session', 'session.id', 'token.session_id')
    .innerJoin('portal_user', 'portal_user.id', 'token.user_id')
    .innerJoin('company', 'company.id', 'portal_user.company_id')
    .leftJoin('acting_consent', 'acting_consent.id', 'session.acting_consent_id')
    .select([
      'token.id as token_id',
      'token.access_until',
      'token.refresh_until',
      'token.used',
      'token.parent_id',
      'token.access_used',
      'session.id as session_id',
      'session.ended',
      'session.end_time',
      'portal_user.id as user_id',
      'portal_user.name as user_name',
      'portal_user.status',
      'portal_user.admin',
      'portal_user.orders',
      'portal_user.access_level',
      'company.id as company_id',
      'company.code as company_code',
      'acting_consent.company_id as customer_id',
    ])

type PresentedTokenRow = Awaited<ReturnType<ReturnType<typeof selectPresentedTokens>['executeTakeFirstOrThrow']>>

const toPresentedToken = (row: PresentedTokenRow): PresentedToken => ({
  caller: {
    userId: row.user_id,
    companyId: row.company_id,
    companyCode: row.company_code,
    admin: row.admin,
    order: row.orders,
    accessLevel: row.access_level,
  },
  userName: row.user_name,
  status: row.status,
  sessionId: row.session_id,
  ended: row.ended,
  endTime: row.end_time,
  tokenId: row.token_id,
  accessUntil: row.access_until,
  refreshUntil: row.refresh_until,
  used: row.used,
  parentId: row.parent_id,
  accessUsed: row.access_used,
  actingCompanyId: row.customer_id,
})

const accessHolderQuery =
  'select caller.*, allows_acting_changes(caller.consent_id) as allows_changes from caller_of_access($1) as caller'

/** `consent` is null for a session that acts for nobody. */
export type PresentedAccess = PresentedToken & { consent: ConsentOfSession | null }

/** Works without a transaction, because the called database function runs as portal_system. */
export async function findTokenByAccessHash(db: QueryExecutor, accessHash: string): Promise<PresentedAccess | null> {
  const query = CompiledQuery.raw(accessHolderQuery, [accessHash])
  const { rows } = await db.executeQuery<PresentedTokenRow & ConsentOfSessionRow>(query)
  const [row] = rows
  return row ? { ...toPresentedToken(row), consent: toConsentOfSession(row) } : null
}

/** Locks the session's row first, so that concurrent refreshes run one after the other (K-08). */
export async function findTokenByRefreshHash(db: DatabaseHandle, refreshHash: string): Promise<PresentedToken | null> {
  const token = await db
    .selectFrom('token')
    .select('session_id')
    .where('refresh_hash', '=', refreshHash)
    .executeTakeFirst()
  if (!token) return null
  await db.selectFrom('session').select('id').where('id', '=', token.session_id).forUpdate().execute()
  const row = await selectPresentedTokens(db).where('token.refresh_hash', '=', refreshHash).executeTakeFirst()
  return row ? toPresentedToken(row) : null
}

export const listChildTokens = (db: DatabaseHandle, sessionId: string, parentId: number) =>
  db
    .selectFrom('token')
    .select(['id', 'used', 'access_used', 'access_hash', 'refresh_until'])
    .where(hasValues({ session_id: sessionId, parent_id: parentId }))
    .orderBy('id')
    .execute()

export async function markAccessUsed(db: DatabaseHandle, tokenId: number, now: number): Promise<void> {
  await db
    .updateTable('token')
    .set({ access_used: now })
    .where(hasValues({ id: tokenId, access_used: null }))
    .execute()
}

export const addSession = (db: DatabaseHandle, session: Insertable<SessionTable>) =>
  db.insertInto('session').values(session).execute()

export const addToken = (db: DatabaseHandle, token: Insertable<TokenTable>) =>
  db.insertInto('token').values(token).execute()

export async function markTokenUsed(db: DatabaseHandle, token: PresentedToken, now: number): Promise<void> {
  await db.updateTable('token').set({ used: now }).where('id', '=', token.tokenId).where('used', 'is', null).execute()
  await db.updateTable('session').set({ last_time: now }).where('id', '=', token.sessionId).execute()
}

export async function endSession(db: DatabaseHandle, sessionId: string, now: number, reason: EndReason): Promise<void> {
  await db
    .updateTable('session')
    .set({ ended: now, ended_reason: reason })
    .where(hasValues({ id: sessionId, ended: null }))
    .execute()
  await deletePushDevicesOfSession(db, sessionId)
}

export async function endAllSessions(
  db: DatabaseHandle,
  userId: number,
  now: number,
  reason: EndReason,
  exceptSessionId: string | null = null,
): Promise<void> {
  let query = db
    .updateTable('session')
    .set({ ended: now, ended_reason: reason })
    .where(hasValues({ user_id: userId, ended: null }))
  if (exceptSessionId !== null) query = query.where('id', '!=', exceptSessionId)
  await query.execute()
  await deletePushDevicesOfUser(db, userId, exceptSessionId)
}

/** Returns the caller with the current roles. Returns null if the session has ended or its user may not sign in (S-44). */
export const findCallerOfSession = (db: DatabaseHandle, id: string, now: number) =>
  findRow(
    db
      .selectFrom('session')
      .innerJoin('portal_user', 'portal_user.id', 'session.user_id')
      .innerJoin('company', 'company.id', 'portal_user.company_id')
      .select([
        'portal_user.id as userId',
        'portal_user.admin',
        'portal_user.orders as order',
        'portal_user.access_level as accessLevel',
        'company.id as companyId',
        'company.code as companyCode',
      ])
      .where(hasValues({ 'session.id': id, 'session.ended': null }))
      .where('session.end_time', '>', now)
      .where('portal_user.status', '=', userStatus.activated),
  )

/** Returns which of these sessions are still active: not ended, not expired, and their users may sign in (S-44). */
export async function findActiveSessionIds(
  db: DatabaseHandle,
  ids: readonly string[],
  now: number,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('session')
    .innerJoin('portal_user', 'portal_user.id', 'session.user_id')
    .select('session.id')
    .where('session.id', 'in', ids)
    .where('session.ended', 'is', null)
    .where('session.end_time', '>', now)
    .where('portal_user.status', '=', userStatus.activated)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
