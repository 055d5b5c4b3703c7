/** Reads the records of stored tiles: hashes by level and index (level 0 and above), leaves (level -1) and search texts (level -2). */
import type { TileName } from '#domain/audit-log/tiles.ts'
import type { StoredLeaves, StoredTexts, StoredTile } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

export const textTerminator = '\u0000'

export const leavesPerBlock = 32

type TileKey = [number, number, number]

async function getRecords<T>(db: UserDatabase, keys: TileKey[]): Promise<(T | undefined)[]> {
  return (await db.storedTiles.bulkGet(keys)) as (T | undefined)[]
}

/** Returns tiles of hashes by name, with undefined for a tile that is not stored. */
export const getTiles = (db: UserDatabase, companyId: number, names: readonly TileName[]) =>
  getRecords<StoredTile>(
    db,
    names.map(({ level, index }) => [companyId, level, index]),
  )

export const getLeaves = (db: UserDatabase, companyId: number, indexes: readonly number[]) =>
  getRecords<StoredLeaves>(
    db,
    indexes.map((index) => [companyId, -1, index]),
  )

export const getTexts = (db: UserDatabase, companyId: number, indexes: readonly number[]) =>
  getRecords<StoredTexts>(
    db,
    indexes.map((index) => [companyId, -2, index]),
  )

const getLevel = (db: UserDatabase, companyId: number, level: number) =>
  db.storedTiles
    .where('[companyId+level+index]')
    .between([companyId, level], [companyId, level + 1])
    .toArray()

export const getAllTexts = async (db: UserDatabase, companyId: number) =>
  (await getLevel(db, companyId, -2)) as StoredTexts[]

export const getAllLeafTiles = async (db: UserDatabase, companyId: number) =>
  (await getLevel(db, companyId, 0)) as StoredTile[]
