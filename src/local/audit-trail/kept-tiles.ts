/** The kinds of records of kept tiles: hashes, by level and index; the leaves of level 0; what free text looks through in them. */
import type { TileName } from '#domain/audit-log/tiles.ts'
import type { KeptLeaves, KeptTexts, KeptTile } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Ends each text of `KeptTexts`. */
export const textEnd = '\u0000'

/** Entries in one record of leaves. */
export const leafBlock = 32

type Key = [number, number, number]

/** Tiles of hashes by their names; undefined where one is not here. */
export async function getTiles(
  db: UserDatabase,
  companyId: number,
  names: readonly TileName[],
): Promise<(KeptTile | undefined)[]> {
  const found = await db.keptTiles.bulkGet(names.map(({ level, index }): Key => [companyId, level, index]))
  return found as (KeptTile | undefined)[]
}

/** Leaves by the index of their block. */
export async function getLeaves(
  db: UserDatabase,
  companyId: number,
  indexes: readonly number[],
): Promise<(KeptLeaves | undefined)[]> {
  const found = await db.keptTiles.bulkGet(indexes.map((index): Key => [companyId, -1, index]))
  return found as (KeptLeaves | undefined)[]
}

/** Texts by the index of their tile. */
export async function getTexts(
  db: UserDatabase,
  companyId: number,
  indexes: readonly number[],
): Promise<(KeptTexts | undefined)[]> {
  const found = await db.keptTiles.bulkGet(indexes.map((index): Key => [companyId, -2, index]))
  return found as (KeptTexts | undefined)[]
}

/** All kept texts, in order. */
export async function allTexts(db: UserDatabase, companyId: number): Promise<KeptTexts[]> {
  const found = await db.keptTiles.where('[companyId+level+index]').between([companyId, -2], [companyId, -1]).toArray()
  return found as KeptTexts[]
}

/** All kept tiles of leaf hashes, in order. */
export async function allLeafTiles(db: UserDatabase, companyId: number): Promise<KeptTile[]> {
  const found = await db.keptTiles.where('[companyId+level+index]').between([companyId, 0], [companyId, 1]).toArray()
  return found as KeptTile[]
}
