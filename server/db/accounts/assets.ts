/** Rows of pictures. A picture is inserted once, never changed, and deleted when nobody uses it. */
import { type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { AssetTable } from '#server/db/tables/tables.ts'

export type NewAsset = Omit<Selectable<AssetTable>, 'id'>

/** Returns the number of the new row, which the idempotency store keeps as the result of the write. */
export async function insertAsset(db: DatabaseHandle, asset: NewAsset): Promise<number> {
  const { id } = await db
    .insertInto('asset')
    .values({ ...asset, bytes: Buffer.from(asset.bytes) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Finds a picture by its name or by the row number from a write. Returns null if it does not belong to this user. */
export async function findOwnAssetName(
  db: DatabaseHandle,
  userId: number,
  nameOrId: string | number,
): Promise<string | null> {
  const row = await db
    .selectFrom('asset')
    .select('name')
    .where('user_id', '=', userId)
    .where((where) => (typeof nameOrId === 'number' ? where('id', '=', nameOrId) : where('name', '=', nameOrId)))
    .executeTakeFirst()
  return row?.name ?? null
}

export const findAssetByName = (db: DatabaseHandle, name: string) =>
  findRow(db.selectFrom('asset').select(['type', 'bytes']).where('name', '=', name))

/**
 * Deletes pictures that no user has and that were created before `createdBefore`: a newer picture may still be named by a waiting write.
 * Returns their number.
 */
export async function deleteUnusedAssets(db: DatabaseHandle, createdBefore: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('asset')
    .where('create_time', '<', createdBefore)
    .where(sql<boolean>`not exists (select from portal_user where portal_user.avatar = asset.name)`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns the size of all pictures of the company, in bytes. */
export async function sumPictureBytes(db: DatabaseHandle, companyId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('asset')
    .select(sql<number>`coalesce(sum(octet_length(bytes)), 0)::float8`.as('bytes'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return bytes
}

export async function countAssets(db: DatabaseHandle, userId: number, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('asset')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('user_id', '=', userId)
    .where('create_time', '>=', since)
    .executeTakeFirstOrThrow()
  return count
}
