/** What the rows of modules, apps and price lists share: one number for all that changes in them, and who may see which type. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { RowChanges } from '#server/db/list-query.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** The next number; its row stays locked until the commit, so numbers follow the order of commits. */
export async function takeCatalogueChangeNumber(db: DatabaseHandle): Promise<number> {
  const { change } = await db
    .updateTable('catalogue')
    .set({ change: sql`change + 1` })
    .returning('change')
    .executeTakeFirstOrThrow()
  return change
}

/** Holds the catalogue until the commit: what is read of it now is so when this writes. */
export async function lockCatalogue(db: DatabaseHandle): Promise<void> {
  await db.selectFrom('catalogue').select('change').forUpdate().executeTakeFirstOrThrow()
}

export async function readCatalogueChangeNumber(db: DatabaseHandle): Promise<number> {
  return (await db.selectFrom('catalogue').select('change').executeTakeFirstOrThrow()).change
}

/**
 * Rows as they are now whose number is above `since`; null: all there are. Throws GONE for a number of no known past.
 * `isDeleted`: whether devices forget the row.
 */
export async function readCatalogueChanges<T extends keyof DatabaseTables, R extends { deleted: boolean; id: number }>(
  db: DatabaseHandle,
  query: SelectQueryBuilder<DatabaseTables, T, R>,
  since: number | null,
  isDeleted: (row: R) => boolean = ({ deleted }) => deleted,
): Promise<RowChanges<R>> {
  const maxChange = await readCatalogueChangeNumber(db)
  if (since !== null && since > maxChange) throw new ProblemError('GONE')
  const changedRows = await query
    .where(sql.ref('change'), '>', sql.lit(since ?? -1))
    .orderBy(sql.ref('change'))
    .orderBy(sql.ref('id'))
    .execute()
  // Deleted rows stay, so a device that was away for years still learns that they are gone.
  const deletedIds = since === null ? [] : changedRows.filter(isDeleted).map(({ id }) => id)
  return { changed: changedRows.filter((row) => !isDeleted(row)), gone: deletedIds, upto: maxChange }
}

/** `null`: of every type. */
export type VisibleClientTypes = ClientType | null
