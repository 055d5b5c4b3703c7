/** Change numbers and tombstones. They let a device request only the changes after its last read (protocol 34). */
import { type Expression, type QueryCreator, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { RowChanges } from '#server/db/list-query.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/**
 * Takes the company's next change number. Call it last: the counter stays locked until the commit, so that numbers follow the order of
 * commits.
 */
export async function takeChangeNumber(db: DatabaseHandle, companyId: number): Promise<number> {
  const row = await incrementChangeNumber(db, companyId).executeTakeFirst()
  if (!row) throw new Error('the change counter of the company does not exist')
  return row.value
}

/** The same as `takeChangeNumber`, as a part of a statement that also writes the row. */
export const incrementChangeNumber = (db: QueryCreator<DatabaseTables>, companyId: number) =>
  db
    .updateTable('change')
    .set((column) => ({ value: column('value', '+', 1) }))
    .where('company_id', '=', companyId)
    .returning('value')

/** Returns the latest committed number. Read it before the rows that are returned with it. */
export async function readChangeNumber(db: DatabaseHandle, companyId: number): Promise<number> {
  return (await readCounter(db, companyId)).value
}

/**
 * Returns the latest number. Throws GONE if tombstones after `since` were deleted, or if `since` is above the latest number, as after a
 * restore.
 */
export async function readChangeNumberSince(
  db: DatabaseHandle,
  companyId: number,
  since: number | null,
): Promise<number> {
  const { value, floor } = await readCounter(db, companyId)
  if (since !== null && (since < floor || since > value)) throw new ProblemError('GONE')
  return value
}

/** If `since` is null, returns all rows. `isChanged` replaces the default condition. Throws GONE as `readChangeNumberSince` does. */
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

/**
 * Deletes old tombstones and stores the highest deleted change number. Devices with a lower number must load all rows again. Returns the
 * number of deleted tombstones.
 */
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
