import { Dexie } from 'dexie'
import type { ListIndex } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Deletes the buckets and columns of one index. Must run inside a transaction. */
export async function deleteIndexRecords(db: UserDatabase, listName: string): Promise<void> {
  await db.buckets.where('[list+at]').between([listName], [listName, Dexie.maxKey]).delete()
  await db.columns.where('[list+column+at]').between([listName], [listName, Dexie.maxKey]).delete()
}

/** Deletes the index of a list and the next index of a running fill. Must run inside a transaction. */
export async function deleteIndex(db: UserDatabase, { id, name, next }: ListIndex): Promise<void> {
  await db.indexes.delete(id)
  await deleteIndexRecords(db, name)
  if (next !== null) await deleteIndexRecords(db, next)
}
