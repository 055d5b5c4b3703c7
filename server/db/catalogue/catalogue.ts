/** Change numbers of the catalogue: modules, apps and price lists share one counter. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { RowChanges } from '#server/db/list-query.ts'
import { restoredChangeFloor } from '#server/db/restored-numbers.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** The counter's row stays locked until the commit, so numbers follow the order of commits. */
export async function takeCatalogueChangeNumber(db: DatabaseHandle): Promise<number> {
  const { change } = await db
    .updateTable('catalogue')
    .set({ change: sql`change + 1` })
    .returning('change')
    .executeTakeFirstOrThrow()
  return change
}

/** Locks the catalogue until the commit, so that the rows read so far are still valid when the transaction writes. */
export async function lockCatalogue(db: DatabaseHandle): Promise<void> {
  await db.selectFrom('catalogue').select('change').forUpdate().executeTakeFirstOrThrow()
}

export async function readCatalogueChangeNumber(db: DatabaseHandle): Promise<number> {
  return (await db.selectFrom('catalogue').select('change').executeTakeFirstOrThrow()).change
}

/**
 * If `since` is null, returns all rows. Throws GONE if `since` is above the current number or from before a restore. `isDeleted` selects the
 * rows that devices must remove.
 */
export async function readCatalogueChanges<T extends keyof DatabaseTables, R extends { deleted: boolean; id: number }>(
  db: DatabaseHandle,
  query: SelectQueryBuilder<DatabaseTables, T, R>,
  since: number | null,
  isDeleted: (row: R) => boolean = ({ deleted }) => deleted,
): Promise<RowChanges<R>> {
  const { change: maxChange, floor } = await db
    .selectFrom('catalogue')
    .select(['change', restoredChangeFloor.as('floor')])
    .executeTakeFirstOrThrow()
  if (since !== null && (since < floor || since > maxChange)) throw new ProblemError('GONE')
  const changedRows = await query
    .where(sql.ref('change'), '>', sql.lit(since ?? -1))
    .orderBy(sql.ref('change'))
    .orderBy(sql.ref('id'))
    .execute()
  // Deleted rows stay in the database, so that even a device that was offline for years removes them.
  const deletedIds = since === null ? [] : changedRows.filter(isDeleted).map(({ id }) => id)
  return { changed: changedRows.filter((row) => !isDeleted(row)), gone: deletedIds, upto: maxChange }
}

export type VisibleClientTypes = ClientType | null
