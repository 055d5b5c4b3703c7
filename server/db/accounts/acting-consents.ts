/** Consents under which the provider's staff act for a company, and their uses (decision 111). */
import type { Selectable } from 'kysely'
import { type ActingConsent, type Caller, environments } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ActingConsentTable, ActingUseTable } from '#server/db/tables/customer-tables.ts'

/** The consent that a session names, valid or not. */
export interface ConsentOfSession {
  id: number
  companyId: number
  companyCode: string
  until: number
  ended: number | null
  /** Whether the user who gave it is still an active admin of the company. */
  isGiverAdmin: boolean
  giverOrders: boolean
  allowsChanges: boolean
}

/** Columns of `caller_of_access`. They are null for a session that acts for nobody. */
export interface ConsentOfSessionRow {
  consent_id: number | null
  consent_until: number
  consent_ended: number | null
  customer_id: number | null
  customer_code: string | null
  is_giver_admin: boolean
  giver_orders: boolean
  allows_changes: boolean | null
}

export const toConsentOfSession = (row: ConsentOfSessionRow): ConsentOfSession | null =>
  row.consent_id === null || row.customer_id === null || row.customer_code === null
    ? null
    : {
        id: row.consent_id,
        companyId: row.customer_id,
        companyCode: row.customer_code,
        until: row.consent_until,
        ended: row.consent_ended,
        isGiverAdmin: row.is_giver_admin,
        giverOrders: row.giver_orders,
        allowsChanges: row.allows_changes === true,
      }

export type ConsentRecord = Selectable<ActingConsentTable> & { is_giver_admin: boolean }

const selectConsents = (db: DatabaseHandle) =>
  db
    .selectFrom('acting_consent')
    .innerJoin('portal_user', 'portal_user.id', 'acting_consent.giver_id')
    .selectAll('acting_consent')
    .select(({ and, eb }) =>
      and([
        eb('portal_user.admin', '=', true),
        eb('portal_user.status', '=', userStatus.activated),
        eb('portal_user.company_id', '=', eb.ref('acting_consent.company_id')),
      ])
        .$castTo<boolean>()
        .as('is_giver_admin'),
    )

export const isConsentValid = (consent: ConsentRecord, now: number) =>
  consent.ended === null && consent.until_time > now && consent.is_giver_admin

/**
 * Returns whether the session still acts under this consent, with changes, for an active admin of the provider. Locks the rows that decide it
 * until the end of the transaction: ending the consent or the session, or taking the admin flag, waits for it. The users are locked before
 * the session, as by whoever disables a user and then ends their sessions. The clock is read after the locks, because the time of the
 * consent may pass while this waits for them. Runs as the system role.
 */
export async function lockValidConsent(
  db: DatabaseHandle,
  { consentId, staffCompanyId }: Pick<ActingConsent, 'consentId' | 'staffCompanyId'>,
  sessionId: string,
  clock: () => number,
): Promise<boolean> {
  // Separate statements, because the order in which a join locks its tables is not defined.
  const member = db.selectFrom('session').select('user_id').where('id', '=', sessionId)
  const giver = db.selectFrom('acting_consent').select('giver_id').where('id', '=', consentId)
  const users = await db
    .selectFrom('portal_user')
    .select('id')
    .where(({ eb, or }) => or([eb('id', 'in', member), eb('id', 'in', giver)]))
    .orderBy('id')
    .forShare()
    .execute()
  if (users.length === 0) return false
  const session = db.selectFrom('session').select('id').where('id', '=', sessionId).forShare()
  if (!(await hasRow(session)) || !(await lockOpenConsent(db, consentId))) return false
  return await hasRow(
    db
      .selectFrom('acting_consent')
      .innerJoin('session', 'session.acting_consent_id', 'acting_consent.id')
      .innerJoin('portal_user as giver', 'giver.id', 'acting_consent.giver_id')
      .innerJoin('portal_user as member', 'member.id', 'session.user_id')
      .select('acting_consent.id')
      .where(
        hasValues({
          'acting_consent.id': consentId,
          'acting_consent.allows_changes': true,
          'session.id': sessionId,
          'session.ended': null,
          'giver.admin': true,
          'giver.status': userStatus.activated,
          'member.status': userStatus.activated,
          'member.company_id': staffCompanyId,
        }),
      )
      .where('acting_consent.until_time', '>', clock())
      .where(({ eb, or }) => or([eb('member.admin', '=', true), eb('member.access_level', '>=', environments.delete)])),
  )
}

/** Locks the user before the session, as `lockValidConsent` does: the record of a start refers to both. */
export async function lockUserOfSession(db: DatabaseHandle, sessionId: string): Promise<void> {
  const member = db.selectFrom('session').select('user_id').where('id', '=', sessionId)
  await db.selectFrom('portal_user').select('id').where('id', 'in', member).forShare().execute()
}

/** Locks the consent until the end of the transaction, so that it cannot end before. Returns false if it has ended. */
export const lockOpenConsent = (db: DatabaseHandle, id: number): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('acting_consent')
      .select('id')
      .where(hasValues({ id, ended: null }))
      .forShare(),
  )

/** Returns the latest consents of a company, the latest first. */
export const listConsentRecords = (db: DatabaseHandle, companyId: number, limit: number) =>
  selectConsents(db)
    .where('acting_consent.company_id', '=', companyId)
    .orderBy('acting_consent.id', 'desc')
    .limit(limit)
    .execute()

export const findConsentRecord = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectConsents(db).where(hasValues({ 'acting_consent.company_id': companyId, 'acting_consent.id': id })))

/**
 * Throws ACTING_ENDED if the consent has ended since the request was authenticated. Runs first in the transaction of a read, and before each
 * piece of a long list.
 */
export async function requireConsentOfRead(
  db: DatabaseHandle,
  { actingConsent, companyId }: Caller,
  now: number,
): Promise<void> {
  if (!actingConsent) return
  const consent = await findConsentRecord(db, companyId, actingConsent.consentId)
  if (!consent || !isConsentValid(consent, now)) throw new ProblemError('ACTING_ENDED')
}

/** For the system role. */
export const findConsentById = (db: DatabaseHandle, id: number) =>
  findRow(selectConsents(db).where('acting_consent.id', '=', id))

/** Returns the consent of a company that has not ended, if any. It may be over (`isConsentValid`). */
export const findOpenConsent = (db: DatabaseHandle, companyId: number) =>
  findRow(selectConsents(db).where(hasValues({ 'acting_consent.company_id': companyId, 'acting_consent.ended': null })))

/** Returns consents of all companies that are over, but not recorded as ended. */
export const listOverdueConsents = (db: DatabaseHandle, now: number) =>
  selectConsents(db)
    .where('acting_consent.ended', 'is', null)
    .where(({ eb, not, and, or }) =>
      or([
        eb('acting_consent.until_time', '<=', now),
        not(and([eb('portal_user.admin', '=', true), eb('portal_user.status', '=', userStatus.activated)])),
      ]),
    )
    .orderBy('acting_consent.id')
    .limit(100)
    .execute()

/** Returns the id, or null if the company has a consent that has not ended. */
export async function insertConsent(
  db: DatabaseHandle,
  consent: Pick<
    Selectable<ActingConsentTable>,
    'company_id' | 'giver_id' | 'giver_name' | 'reason' | 'allows_changes' | 'create_time' | 'until_time'
  >,
): Promise<number | null> {
  const row = await db
    .insertInto('acting_consent')
    .values({ ...consent, ended: null, ended_reason: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Returns false if the consent has already ended. */
export const endConsent = (
  db: DatabaseHandle,
  id: number,
  { ended, ended_reason }: { ended: number; ended_reason: NonNullable<ConsentRecord['ended_reason']> },
) =>
  hasRow(
    db
      .updateTable('acting_consent')
      .set({ ended, ended_reason })
      .where(hasValues({ id, ended: null }))
      .returning('id'),
  )

export type UseRecord = Selectable<ActingUseTable>

export const listUses = (db: DatabaseHandle, consentIds: readonly number[]) =>
  consentIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('acting_use')
        .selectAll()
        .where('consent_id', 'in', consentIds)
        .orderBy('id', 'desc')
        .limit(200)
        .execute()

/** Returns the id. */
export async function insertUse(
  db: DatabaseHandle,
  use: Pick<UseRecord, 'company_id' | 'consent_id' | 'user_id' | 'user_name' | 'session_id' | 'start_time'>,
): Promise<number> {
  const { id } = await db
    .insertInto('acting_use')
    .values({ ...use, end_time: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns when the member last started to act under the consent, or null. */
export async function findLatestStart(db: DatabaseHandle, consentId: number, userId: number): Promise<number | null> {
  const use = await findRow(
    db
      .selectFrom('acting_use')
      .select('start_time')
      .where(hasValues({ consent_id: consentId, user_id: userId }))
      .orderBy('id', 'desc')
      .limit(1),
  )
  return use?.start_time ?? null
}

/** Returns the active admins of a company, who hear of each start. */
export async function listAdmins(db: DatabaseHandle, companyId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('portal_user')
    .select('id')
    .where(hasValues({ company_id: companyId, admin: true, status: userStatus.activated }))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Ends the use of this session. Other sessions of the member may act under the same consent. */
export const endUses = (db: DatabaseHandle, consentId: number, sessionId: string, now: number) =>
  db
    .updateTable('acting_use')
    .set({ end_time: now })
    .where(hasValues({ consent_id: consentId, session_id: sessionId, end_time: null }))
    .execute()

/** Makes the session act under the consent, or, with null, be its user's own again. Returns the former consent's id. */
export async function setActingOfSession(
  db: DatabaseHandle,
  sessionId: string,
  consentId: number | null,
): Promise<number | null> {
  const session = await findRow(
    db.selectFrom('session').select('acting_consent_id').where('id', '=', sessionId).forUpdate(),
  )
  await db.updateTable('session').set({ acting_consent_id: consentId }).where('id', '=', sessionId).execute()
  return session?.acting_consent_id ?? null
}

/** Returns the users whose open sessions act under the consent. */
export const listActingUsers = async (db: DatabaseHandle, consentId: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('session')
    .select('user_id')
    .distinct()
    .where(hasValues({ acting_consent_id: consentId, ended: null }))
    .execute()
  return rows.map(({ user_id: userId }) => userId)
}
