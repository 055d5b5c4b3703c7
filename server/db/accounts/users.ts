/** Users as rows. Every function means the users of one company, and row-level security means the same (N-10). */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { listUsers as listUsersEndpoint } from '#contract/users.ts'
import { foldText } from '#domain/text.ts'
import { type Language, userStatus } from '#domain/accounts/users.ts'
import { changeSince, goneSince, nextChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import { sqlState } from '#server/db/sql-state.ts'
import type { UserTable } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** Without its change number, which only the statement that wrote it knows. */
export type UserRecord = Omit<Selectable<UserTable>, 'change'> & { company_name: string; company_code: string }

const withCompany = (db: Handle) =>
  db
    .selectFrom('portal_user')
    .innerJoin('company', 'company.id', 'portal_user.company_id')
    .selectAll('portal_user')
    .select(['company.name as company_name', 'company.code as company_code'])

const ofCompany = (db: Handle, companyId: number) => withCompany(db).where('portal_user.company_id', '=', companyId)

const columns = {
  id: sql.ref('portal_user.id'),
  name: { value: sql.ref('portal_user.name'), folded: sql.ref('portal_user.name_key') },
  email: { value: sql.ref('portal_user.email'), folded: sql.ref('portal_user.email_key') },
  title: sql.ref('portal_user.title'),
  status: sql.ref('portal_user.status'),
  admin: sql.ref('portal_user.admin'),
  order: sql.ref('portal_user.orders'),
  alert: sql.ref('portal_user.alert'),
  // By the second, as they are shown and as the device has them: below that the id decides on both sides.
  create_time: sql`portal_user.create_time / 1000`,
  update_time: sql`portal_user.update_time / 1000`,
}

export async function listUsers(db: Handle, companyId: number, query: ListQuery): Promise<Page<UserRecord>> {
  const { list } = listUsersEndpoint
  if (!list) throw new Error('the list of users fills no table')
  return readPage(ofCompany(db, companyId), { list, columns, id: columns.id }, query)
}

/** Rows as they are now whose number is above `since`; null: all. Deleted users are rows with a status, not gone. */
export async function usersChangedSince(db: Handle, companyId: number, since: number | null) {
  const upto = await changeSince(db, companyId, since)
  const changed = await ofCompany(db, companyId)
    .where('portal_user.change', '>', since ?? -1)
    .orderBy('portal_user.change')
    .orderBy('portal_user.id')
    .execute()
  const gone = since === null ? [] : await goneSince(db, companyId, 'user', since)
  return { changed, gone, upto }
}

/** The next users by id, for reading all of them piece by piece. */
export const usersAfter = (db: Handle, companyId: number, id: number, most: number): Promise<UserRecord[]> =>
  ofCompany(db, companyId).where('portal_user.id', '>', id).orderBy('portal_user.id').limit(most).execute()

export async function userById(db: Handle, companyId: number, id: number): Promise<UserRecord | null> {
  const row = await ofCompany(db, companyId).where('portal_user.id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Locks the row until the commit, so that its checks still hold when it is written. */
export async function userForUpdate(db: Handle, companyId: number, id: number): Promise<UserRecord | null> {
  const row = await ofCompany(db, companyId)
    .where('portal_user.id', '=', id)
    .forUpdate('portal_user')
    .executeTakeFirst()
  return row ?? null
}

/** By e-mail without case; a deleted user does not count (D72, D73). */
export async function userByEmail(db: Handle, companyId: number, email: string): Promise<UserRecord | null> {
  const row = await ofCompany(db, companyId)
    .where('portal_user.email_key', '=', foldText(email))
    .where('portal_user.status', '!=', userStatus.deleted)
    .executeTakeFirst()
  return row ?? null
}

export type NewUser = Omit<Insertable<UserTable>, 'name_key' | 'email_key' | 'language'> & {
  language: Language | RawBuilder<Language>
}

/** Whoever is invited is written to in the language of who invites them, until they choose their own. */
export const languageOf = (userId: number): RawBuilder<Language> =>
  sql`coalesce((select language from portal_user where id = ${userId}::integer), 'en')`

/** Throws DUP_USER. */
export async function insertUser(db: Handle, user: NewUser): Promise<number> {
  const keys = { name_key: foldText(user.name), email_key: foldText(user.email) }
  const insert = db
    .insertInto('portal_user')
    .values({ ...user, ...keys })
    .returning('id')
  const { id } = await insert.executeTakeFirstOrThrow().catch(asDuplicate)
  return id
}

export type UserChange = Partial<
  Pick<
    UserRecord,
    | 'title'
    | 'name'
    | 'email'
    | 'password_hash'
    | 'invite_time'
    | 'admin'
    | 'orders'
    | 'alert'
    | 'status'
    | 'avatar'
    | 'language'
    | 'access_level'
    | 'update_time'
  >
>

/**
 * Writes the fields, the company's next change number and the next version, in one statement: the company's counter is
 * taken as late as can be. Answers the row as it is now. Throws DUP_USER, and NoResultError where `before` is no longer the
 * row: lock it first (`userForUpdate`).
 */
export async function updateUser(db: Handle, before: UserRecord, fields: UserChange): Promise<UserRecord> {
  const { company_id, id } = before
  const changed = {
    ...fields,
    ...(fields.name === undefined ? {} : { name_key: foldText(fields.name) }),
    ...(fields.email === undefined ? {} : { email_key: foldText(fields.email) }),
  }
  const { row_version } = await db
    .with('next', (query) => nextChange(query, company_id))
    .updateTable('portal_user')
    .set((column) => ({
      ...changed,
      change: sql<number>`(select value from next)`,
      row_version: column('row_version', '+', 1),
    }))
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('row_version', '=', before.row_version)
    .returning('row_version')
    .executeTakeFirstOrThrow()
    .catch(asDuplicate)
  return { ...before, ...changed, row_version }
}

function asDuplicate(error: unknown): never {
  if (sqlState(error) === '23505') throw new ProblemError('DUP_USER')
  throw error
}

/**
 * Locks the company's active admins in one order and counts them: two who take each other's flag away at the same time
 * do not both find another one left (LAST_ADMIN).
 */
export async function countActiveAdmins(db: Handle, companyId: number): Promise<number> {
  const admins = await db
    .selectFrom('portal_user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('admin', '=', true)
    .where('status', '=', userStatus.activated)
    .orderBy('id')
    .forUpdate()
    .execute()
  return admins.length
}

/** Somebody who can sign in and is an admin. */
export async function hasActiveAdmin(db: Handle, companyId: number): Promise<boolean> {
  const found = await db
    .selectFrom('portal_user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('admin', '=', true)
    .where('status', '=', userStatus.activated)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
