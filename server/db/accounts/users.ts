/** Rows of users. Queries are limited to the users of one company, also by row-level security (N-10). */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { listUsers } from '#contract/users.ts'
import { normaliseText } from '#domain/text.ts'
import { type Language, userStatus } from '#domain/accounts/users.ts'
import {
  readChangeNumber,
  readChangeNumberSince,
  listDeletedSince,
  incrementChangeNumber,
} from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { UserTable } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** A user's row without the change number, because the statement that updates a user does not return the new number. */
export type UserRecord = Omit<Selectable<UserTable>, 'change'> & { company_name: string; company_code: string }

const selectUsersWithCompany = (db: DatabaseHandle) =>
  db
    .selectFrom('portal_user')
    .innerJoin('company', 'company.id', 'portal_user.company_id')
    .selectAll('portal_user')
    .select(['company.name as company_name', 'company.code as company_code'])

const selectCompanyUsers = (db: DatabaseHandle, companyId: number) =>
  selectUsersWithCompany(db).where('portal_user.company_id', '=', companyId)

const userColumns = {
  id: sql.ref('portal_user.id'),
  name: { value: sql.ref('portal_user.name'), folded: sql.ref('portal_user.name_key') },
  email: { value: sql.ref('portal_user.email'), folded: sql.ref('portal_user.email_key') },
  title: sql.ref('portal_user.title'),
  status: sql.ref('portal_user.status'),
  admin: sql.ref('portal_user.admin'),
  order: sql.ref('portal_user.orders'),
  alert: sql.ref('portal_user.alert'),
  // Times are sorted by seconds, because users and devices see only seconds. Rows with the same second are sorted by id, on the server and
  // on devices.
  create_time: sql`portal_user.create_time / 1000`,
  update_time: sql`portal_user.update_time / 1000`,
}

export const userReads: ListReads<number, UserRecord> = {
  readLatestChange: readChangeNumber,
  readPage: (db, companyId, query) => readListPage(selectCompanyUsers(db, companyId), listUsers, userColumns, query),
  /** Includes deleted users, whose rows stay with the status "deleted". */
  async readChanges(db, companyId, since) {
    const maxChange = await readChangeNumberSince(db, companyId, since)
    const changed = await selectCompanyUsers(db, companyId)
      .where('portal_user.change', '>', since ?? -1)
      .orderBy('portal_user.change')
      .orderBy('portal_user.id')
      .execute()
    const deletedIds = since === null ? [] : await listDeletedSince(db, companyId, 'user', since)
    return { changed, gone: deletedIds, upto: maxChange }
  },
  readRowsAfter: (db, companyId, id, limit) =>
    selectCompanyUsers(db, companyId).where('portal_user.id', '>', id).orderBy('portal_user.id').limit(limit).execute(),
}

export const findUserById = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectCompanyUsers(db, companyId).where('portal_user.id', '=', id))

/** Locks the row until the commit, so that earlier checks are still valid when it is written. */
export const lockUser = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectCompanyUsers(db, companyId).where('portal_user.id', '=', id).forUpdate('portal_user'))

/** Compares the e-mail without regard to case. Ignores deleted users (D72, D73). */
export const findUserByEmail = (db: DatabaseHandle, companyId: number, email: string) =>
  findRow(
    selectCompanyUsers(db, companyId)
      .where('portal_user.email_key', '=', normaliseText(email))
      .where('portal_user.status', '!=', userStatus.deleted),
  )

export type NewUser = Omit<Insertable<UserTable>, 'name_key' | 'email_key' | 'language'> & {
  language: Language | RawBuilder<Language>
}

/** SQL for the user's language. An invited user gets mails in the language of the inviting user until they choose one. */
export const selectUserLanguage = (userId: number): RawBuilder<Language> =>
  sql`coalesce((select language from portal_user where id = ${userId}::integer), 'en')`

/** Throws DUP_USER if another user of the company has the e-mail. */
export async function insertUser(db: DatabaseHandle, user: NewUser): Promise<number> {
  const searchKeys = { name_key: normaliseText(user.name), email_key: normaliseText(user.email) }
  const insert = db
    .insertInto('portal_user')
    .values({ ...user, ...searchKeys })
    .returning('id')
  const { id } = await insert.executeTakeFirstOrThrow().catch(throwIfDuplicate)
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
 * Writes fields, change number and version in one statement. Throws DUP_USER for a used e-mail, and NoResultError if the version has
 * changed. Lock the row first.
 */
export async function updateUser(db: DatabaseHandle, user: UserRecord, fields: UserChange): Promise<UserRecord> {
  const { company_id, id } = user
  const changedFields = {
    ...fields,
    ...(fields.name === undefined ? {} : { name_key: normaliseText(fields.name) }),
    ...(fields.email === undefined ? {} : { email_key: normaliseText(fields.email) }),
  }
  const { row_version } = await db
    .with('next', (query) => incrementChangeNumber(query, company_id))
    .updateTable('portal_user')
    .set((column) => ({
      ...changedFields,
      change: sql<number>`(select value from next)`,
      row_version: column('row_version', '+', 1),
    }))
    .where(hasValues({ company_id, id, row_version: user.row_version }))
    .returning('row_version')
    .executeTakeFirstOrThrow()
    .catch(throwIfDuplicate)
  return { ...user, ...changedFields, row_version }
}

function throwIfDuplicate(error: unknown): never {
  if (getSqlState(error) === '23505') throw new ProblemError('DUP_USER')
  throw error
}

/** Locks the admins in a fixed order, so that two admins cannot remove each other at the same time (LAST_ADMIN). */
export async function countActiveAdmins(db: DatabaseHandle, companyId: number): Promise<number> {
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

export const hasActiveAdmin = (db: DatabaseHandle, companyId: number) =>
  hasRow(
    db
      .selectFrom('portal_user')
      .select('id')
      .where('company_id', '=', companyId)
      .where('admin', '=', true)
      .where('status', '=', userStatus.activated)
      .limit(1),
  )
