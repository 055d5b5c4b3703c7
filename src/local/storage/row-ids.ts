/** Finds the ids of rows created on this device (protocol 18). */
import type { RowRef } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Returns the id of `~{intent}`, or null if the server has not assigned one yet. */
export const findRowId = async (db: UserDatabase, id: RowRef): Promise<number | null> =>
  typeof id === 'number' ? id : ((await db.rowIds.get(id.slice(1)))?.id ?? null)
