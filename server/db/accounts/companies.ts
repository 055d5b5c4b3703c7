/** Companies as rows. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import { sqlState } from '#server/db/sql-state.ts'
import type { CompanyTable } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problem-error.ts'

export type CompanyRecord = Selectable<CompanyTable>

export async function companyById(db: Handle, id: number): Promise<CompanyRecord | null> {
  return (await db.selectFrom('company').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export type CompanyName = Pick<CompanyRecord, 'id' | 'code' | 'name'>

/** By id, or by a part of the code or name, however it is written; by code. */
export const companiesFound = (
  db: Handle,
  { id, part, most }: { id: number | null; part: string; most: number },
): Promise<CompanyName[]> =>
  db
    .selectFrom('company')
    .select(['id', 'code', 'name'])
    .where(({ or, eb }) =>
      or([
        ...(id === null ? [] : [eb('id', '=', id)]),
        ...(part === '' ? [] : [sql<boolean>`position(lower(${part}) in lower(code || ' ' || name)) > 0`]),
      ]),
    )
    .orderBy('code')
    .limit(most)
    .execute()

/** The company that somebody is of. */
export async function companyOfUser(db: Handle, userId: number): Promise<{ id: number; code: string } | null> {
  const row = await db
    .selectFrom('portal_user')
    .innerJoin('company', 'company.id', 'portal_user.company_id')
    .select(['company.id', 'company.code'])
    .where('portal_user.id', '=', userId)
    .executeTakeFirst()
  return row ?? null
}

/** Locks the row until the commit. */
export async function companyForUpdate(db: Handle, id: number): Promise<CompanyRecord | null> {
  return (await db.selectFrom('company').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null
}

/** Codes are stored in lower case (D71). */
export async function companyByCode(db: Handle, code: string): Promise<CompanyRecord | null> {
  const row = await db.selectFrom('company').selectAll().where('code', '=', code.toLowerCase()).executeTakeFirst()
  return row ?? null
}

/** Throws DUP_CODE. */
export async function insertCompany(db: Handle, company: Insertable<CompanyTable>): Promise<number> {
  const insert = db
    .insertInto('company')
    .values({ ...company, code: company.code.toLowerCase() })
    .returning('id')
  const { id } = await insert.executeTakeFirstOrThrow().catch((error: unknown) => {
    throw sqlState(error) === '23505' ? new ProblemError('DUP_CODE', { code: company.code }) : error
  })
  return id
}

export type CompanyChange = Omit<Updateable<CompanyTable>, 'row_version' | 'code'>

/** Writes the fields and the next version, which it answers. */
export async function updateCompany(db: Handle, id: number, fields: CompanyChange): Promise<number> {
  const { row_version } = await db
    .updateTable('company')
    .set({ ...fields, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .returning('row_version')
    .executeTakeFirstOrThrow()
  return row_version
}

/** No field of the profile, so its version stays. False: it was so already. */
export async function requireFactorOf(db: Handle, id: number, required: boolean): Promise<boolean> {
  const changed = await db
    .updateTable('company')
    .set({ mfa_required: required })
    .where('id', '=', id)
    .where('mfa_required', '!=', required)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}
