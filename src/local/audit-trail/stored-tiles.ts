/** The kinds of records of kept tiles: hashes, by level and index; the leaves of level 0; what free text looks through in them. */
import type { TileName } from '#domain/audit-log/tiles.ts'
import type { StoredLeaves, StoredTexts, StoredTile } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Ends each text of `StoredTexts`. */
export const textTerminator = '\u0000'

/** Entries in one record of leaves. */
export const leavesPerBlock = 32

type TileKey = [number, number, number]

/** Tiles of hashes by their names; undefined where one is not here. */
export async function getTiles(
  db: UserDatabase,
  companyId: number,
  names: readonly TileName[],
): Promise<(StoredTile | undefined)[]> {
  const records = await db.storedTiles.bulkGet(names.map(({ level, index }): TileKey => [companyId, level, index]))
  return records as (StoredTile | undefined)[]
}

/** Leaves by the index of their block. */
export async function getLeaves(
  db: UserDatabase,
  companyId: number,
  indexes: readonly number[],
): Promise<(StoredLeaves | undefined)[]> {
  const records = await db.storedTiles.bulkGet(indexes.map((index): TileKey => [companyId, -1, index]))
  return records as (StoredLeaves | undefined)[]
}

/** Texts by the index of their tile. */
export async function getTexts(
  db: UserDatabase,
  companyId: number,
  indexes: readonly number[],
): Promise<(StoredTexts | undefined)[]> {
  const records = await db.storedTiles.bulkGet(indexes.map((index): TileKey => [companyId, -2, index]))
  return records as (StoredTexts | undefined)[]
}

/** All kept texts, in order. */
export async function getAllTexts(db: UserDatabase, companyId: number): Promise<StoredTexts[]> {
  const records = await db.storedTiles
    .where('[companyId+level+index]')
    .between([companyId, -2], [companyId, -1])
    .toArray()
  return records as StoredTexts[]
}

/** All kept tiles of leaf hashes, in order. */
export async function getAllLeafTiles(db: UserDatabase, companyId: number): Promise<StoredTile[]> {
  const records = await db.storedTiles
    .where('[companyId+level+index]')
    .between([companyId, 0], [companyId, 1])
    .toArray()
  return records as StoredTile[]
}
