/** What made rows are called on this device (protocol 18). */
import type { RowRef } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** The id behind `~{intent}`; null while the server has not given one. */
export const findRowId = async (db: UserDatabase, id: RowRef): Promise<number | null> =>
  typeof id === 'number' ? id : ((await db.rowIds.get(id.slice(1)))?.id ?? null)
