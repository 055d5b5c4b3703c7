/** Price lists that were checked before an import, stored by user and by the hash of their file. */
import type { Insertable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { PriceUploadTable } from '#server/db/tables/tables.ts'

/** Stores a checked price list. Storing the same file again renews its time. */
export async function storePriceUpload(db: DatabaseHandle, upload: Insertable<PriceUploadTable>): Promise<void> {
  const { content, create_time } = upload
  await db
    .insertInto('price_upload')
    .values(upload)
    .onConflict((conflict) => conflict.columns(['user_id', 'md5']).doUpdateSet({ content, create_time }))
    .execute()
}

export async function findPriceUpload(db: DatabaseHandle, userId: number, md5: string): Promise<unknown> {
  const row = await db
    .selectFrom('price_upload')
    .select('content')
    .where(hasValues({ user_id: userId, md5 }))
    .executeTakeFirst()
  return row?.content ?? null
}
