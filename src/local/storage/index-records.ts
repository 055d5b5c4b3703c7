/** Deletes the index of a list. How it is made and read is in local/list-index. */
import { Dexie } from 'dexie'
import type { ListIndex } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Deletes the buckets and columns of one index. Inside a transaction. */
export async function deleteIndexRecords(db: UserDatabase, listName: string): Promise<void> {
  await db.buckets.where('[list+at]').between([listName], [listName, Dexie.maxKey]).delete()
  await db.columns.where('[list+column+at]').between([listName], [listName, Dexie.maxKey]).delete()
}

/** Deletes the index of a list and the one that a fill was about to put in its place. Inside a transaction. */
export async function deleteIndex(db: UserDatabase, { id, name, next }: ListIndex): Promise<void> {
  await db.indexes.delete(id)
  await deleteIndexRecords(db, name)
  if (next !== null) await deleteIndexRecords(db, next)
}
