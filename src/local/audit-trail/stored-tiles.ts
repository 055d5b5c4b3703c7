/** The kinds of records of kept tiles: hashes, by level and index; the leaves of level 0; what free text looks through in them. */
import type { TileName } from '#domain/audit-log/tiles.ts'
import type { StoredLeaves, StoredTexts, StoredTile } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Ends each text of `StoredTexts`. */
export const textTerminator = '\u0000'

/** Entries in one record of leaves. */
export const leavesPerBlock = 32

type TileKey = [number, number, number]

async function getRecords<T>(db: UserDatabase, keys: TileKey[]): Promise<(T | undefined)[]> {
  return (await db.storedTiles.bulkGet(keys)) as (T | undefined)[]
}

/** Tiles of hashes by their names; undefined where one is not here. */
export const getTiles = (db: UserDatabase, companyId: number, names: readonly TileName[]) =>
  getRecords<StoredTile>(
    db,
    names.map(({ level, index }) => [companyId, level, index]),
  )

/** Leaves by the index of their block. */
export const getLeaves = (db: UserDatabase, companyId: number, indexes: readonly number[]) =>
  getRecords<StoredLeaves>(
    db,
    indexes.map((index) => [companyId, -1, index]),
  )

/** Texts by the index of their tile. */
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

/** All stored texts, in order. */
export const getAllTexts = async (db: UserDatabase, companyId: number) =>
  (await getLevel(db, companyId, -2)) as StoredTexts[]

/** All stored tiles of leaf hashes, in order. */
export const getAllLeafTiles = async (db: UserDatabase, companyId: number) =>
  (await getLevel(db, companyId, 0)) as StoredTile[]
