import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { PROVIDER } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { CompanyTable } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export type CompanyRecord = Selectable<CompanyTable>

export const findCompanyById = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('company').selectAll().where('id', '=', id))

export type CompanySummary = Pick<CompanyRecord, 'id' | 'code' | 'name'>

/** Finds companies by id, or by a part of code or name in upper or lower case. Sorted by code. */
export const searchCompanies = (
  db: DatabaseHandle,
  { id, searchText, limit }: { id: number | null; searchText: string; limit: number },
) =>
  db
    .selectFrom('company')
    .select(['id', 'code', 'name'])
    .where(({ or, eb }) =>
      or([
        ...(id === null ? [] : [eb('id', '=', id)]),
        ...(searchText === '' ? [] : [sql<boolean>`position(lower(${searchText}) in lower(code || ' ' || name)) > 0`]),
      ]),
    )
    .orderBy('code')
    .limit(limit)
    .execute()

export const findCompanyOfUser = (db: DatabaseHandle, userId: number) =>
  findRow(
    db
      .selectFrom('portal_user')
      .innerJoin('company', 'company.id', 'portal_user.company_id')
      .select(['company.id', 'company.code'])
      .where('portal_user.id', '=', userId),
  )

export const lockCompany = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('company').selectAll().where('id', '=', id).forUpdate())

interface UnusedSignUpFilter {
  createdBefore: number
  /** Sign-ups created before this time are included even if their link is still valid. Epoch ms. */
  createdBeforeWithLink: number
  now: number
  limit: number
}

/**
 * Returns and locks sign-ups without an activated user and without an order. While a link is valid, `createdBeforeWithLink` applies instead
 * of `createdBefore`.
 */
export const findUnusedSignUps = (
  db: DatabaseHandle,
  { createdBefore, createdBeforeWithLink, now, limit }: UnusedSignUpFilter,
) =>
  db
    .selectFrom('company')
    .select(['id', 'code', 'name'])
    .where('create_time', '<', createdBefore)
    .where('code', '<>', PROVIDER)
    .where(sql<boolean>`position('~' in code) = 0`)
    .where(
      sql<boolean>`exists (select from portal_user u where u.company_id = company.id and u.status = ${userStatus.deactivated})`,
    )
    .where(
      sql<boolean>`not exists (select from portal_user u where u.company_id = company.id
        and u.status in (${userStatus.activated}, ${userStatus.disabled}))`,
    )
    .where(
      sql<boolean>`(company.create_time < ${createdBeforeWithLink} or not exists (
        select from one_time_key k where k.company_id = company.id and k.used is null and k.until > ${now}))`,
    )
    .where(sql<boolean>`not exists (select from service_order o where o.company_id = company.id)`)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()

/**
 * Frees the code of an unused sign-up: adds `~`, which nobody can type at sign-up, and marks the users as deleted. Returns false if a user
 * was activated meanwhile.
 */
export async function releaseCode(
  db: DatabaseHandle,
  { id, code }: CompanySummary,
  stamp: { change: number; time: number },
): Promise<boolean> {
  const users = await db.selectFrom('portal_user').select('status').where('company_id', '=', id).forUpdate().execute()
  // A user was activated after the company was selected.
  if (users.some(({ status }) => status === userStatus.activated || status === userStatus.disabled)) return false
  await db
    .updateTable('portal_user')
    .set({ status: userStatus.deleted, change: stamp.change, update_time: stamp.time })
    .where('company_id', '=', id)
    .execute()
  await db
    .updateTable('company')
    .set({ code: `${code}~${id}`, update_time: stamp.time, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
  return true
}

/** Finds a company by its code in upper or lower case. Codes are stored in lower case (D71). */
export const findCompanyByCode = (db: DatabaseHandle, code: string) =>
  findRow(db.selectFrom('company').selectAll().where('code', '=', code.toLowerCase()))

export type NewCompany = Insertable<CompanyTable>

/** Throws DUP_CODE if the code is taken. */
export async function insertCompany(db: DatabaseHandle, company: NewCompany): Promise<number> {
  const insert = db
    .insertInto('company')
    .values({ ...company, code: company.code.toLowerCase() })
    .returning('id')
  const { id } = await insert.executeTakeFirstOrThrow().catch((error: unknown) => {
    throw getSqlState(error) === '23505' ? new ProblemError('DUP_CODE', { code: company.code }) : error
  })
  return id
}

export type CompanyChange = Omit<Updateable<CompanyTable>, 'row_version' | 'code'>

/** Writes the fields and returns the next version. */
export async function updateCompany(db: DatabaseHandle, id: number, fields: CompanyChange): Promise<number> {
  const { row_version } = await db
    .updateTable('company')
    .set({ ...fields, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .returning('row_version')
    .executeTakeFirstOrThrow()
  return row_version
}

/** Does not raise the version, because this is not a field of the profile. Returns false if the value was already set. */
export const setFactorRequired = (db: DatabaseHandle, id: number, required: boolean) =>
  hasRow(
    db
      .updateTable('company')
      .set({ mfa_required: required })
      .where('id', '=', id)
      .where('mfa_required', '!=', required)
      .returning('id'),
  )
