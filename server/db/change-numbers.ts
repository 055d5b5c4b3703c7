/** Change numbers and tombstones: what a device asks with to learn only what is new (protocol 34). */
import { type Expression, type QueryCreator, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { RowChanges } from '#server/db/list-query.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/**
 * The next number. The company's counter stays locked until the commit, so numbers follow the order of commits; take it
 * last, or other writers of the company wait for all that comes after.
 */
export async function takeChangeNumber(db: DatabaseHandle, companyId: number): Promise<number> {
  const row = await incrementChangeNumber(db, companyId).executeTakeFirst()
  if (!row) throw new Error('a company has no counter')
  return row.value
}

/** The same as a part of a statement that writes the number. */
export const incrementChangeNumber = (db: QueryCreator<DatabaseTables>, companyId: number) =>
  db
    .updateTable('change')
    .set((column) => ({ value: column('value', '+', 1) }))
    .where('company_id', '=', companyId)
    .returning('value')

/** The newest number that is committed. Read it before the rows it is said with. */
export async function readChangeNumber(db: DatabaseHandle, companyId: number): Promise<number> {
  return (await readCounter(db, companyId)).value
}

/** Throws GONE where `since` is older than what is remembered, or from a future that a restored backup does not know. */
export async function readChangeNumberSince(
  db: DatabaseHandle,
  companyId: number,
  since: number | null,
): Promise<number> {
  const { value, floor } = await readCounter(db, companyId)
  if (since !== null && (since < floor || since > value)) throw new ProblemError('GONE')
  return value
}

/**
 * Changes of a list whose rows are never deleted. `since`: null for all rows. `isChanged`: rows whose number is above `since`, unless said
 * otherwise. Throws GONE as `readChangeNumberSince` does.
 */
export async function readRowChanges<T extends keyof DatabaseTables, R>(
  db: DatabaseHandle,
  companyId: number,
  query: SelectQueryBuilder<DatabaseTables, T, R>,
  since: number | null,
  isChanged: Expression<SqlBool> = sql`change > ${since ?? -1}`,
): Promise<RowChanges<R>> {
  const maxChange = await readChangeNumberSince(db, companyId, since)
  const changed = await query.where(isChanged).orderBy(sql.ref('change')).orderBy(sql.ref('id')).execute()
  return { changed, gone: [], upto: maxChange }
}

async function readCounter(db: DatabaseHandle, companyId: number): Promise<{ value: number; floor: number }> {
  const row = await db
    .selectFrom('change')
    .select(['value', 'floor'])
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row ?? { value: 0, floor: 0 }
}

export interface NewTombstone {
  companyId: number
  kind: string
  rowId: number
  change: number
  time: number
}

/** Remembers that a row is gone, for devices that still have it. */
export async function addTombstone(db: DatabaseHandle, { companyId, kind, rowId, change, time }: NewTombstone) {
  await db.insertInto('tombstone').values({ company_id: companyId, kind, row_id: rowId, change, time }).execute()
}

export async function listDeletedSince(
  db: DatabaseHandle,
  companyId: number,
  kind: string,
  since: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('tombstone')
    .select('row_id')
    .where(hasValues({ company_id: companyId, kind }))
    .where('change', '>', since)
    .orderBy('change')
    .execute()
  return rows.map(({ row_id }) => row_id)
}

/** Forgets tombstones, and remembers up to which number: devices that know less must fill anew. */
export async function deleteOldTombstones(db: DatabaseHandle, createdBefore: number): Promise<number> {
  const result = await sql<{ count: number }>`
    with gone as (delete from tombstone where time < ${createdBefore} returning company_id, change),
    floors as (
      update change set floor = greatest(change.floor, swept.highest)
      from (select company_id, max(change) as highest from gone group by company_id) swept
      where swept.company_id = change.company_id)
    select count(*) as count from gone`.execute(db)
  return result.rows[0]?.count ?? 0
}
