/** What the rows of modules, apps and price lists share: one number for all that changes in them, and who may see which type. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { Handle } from '#server/db/handle.ts'
import type { Tables } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

type Shared = 'module' | 'app_version' | 'price_list'

/** The next number; its row stays locked until the commit, so numbers follow the order of commits. */
export async function takeCatalogueChange(db: Handle): Promise<number> {
  const { change } = await db
    .updateTable('catalogue')
    .set({ change: sql`change + 1` })
    .returning('change')
    .executeTakeFirstOrThrow()
  return change
}

/** Holds the catalogue until the commit: what is read of it now is so when this writes. */
export async function lockCatalogue(db: Handle): Promise<void> {
  await db.selectFrom('catalogue').select('change').forUpdate().executeTakeFirstOrThrow()
}

export async function catalogueChange(db: Handle): Promise<number> {
  return (await db.selectFrom('catalogue').select('change').executeTakeFirstOrThrow()).change
}

/**
 * Rows as they are now whose number is above `since`; null: all there are. Throws GONE for a number of no known past.
 * `isGone`: whether devices forget the row.
 */
export async function catalogueSince<T extends Shared, R extends { deleted: boolean; id: number }>(
  db: Handle,
  rows: SelectQueryBuilder<Tables, T, R>,
  since: number | null,
  isGone: (row: R) => boolean = ({ deleted }) => deleted,
): Promise<{ changed: R[]; gone: number[]; upto: number }> {
  const upto = await catalogueChange(db)
  if (since !== null && since > upto) throw new ProblemError('GONE')
  const all = await rows
    .where(sql.ref('change'), '>', sql.lit(since ?? -1))
    .orderBy(sql.ref('change'))
    .orderBy(sql.ref('id'))
    .execute()
  // Deleted rows stay, so a device that was away for years still learns that they are gone.
  const gone = since === null ? [] : all.filter(isGone).map(({ id }) => id)
  return { changed: all.filter((row) => !isGone(row)), gone, upto }
}

/** `null`: of every type. */
export type VisibleTypes = ClientType | null
