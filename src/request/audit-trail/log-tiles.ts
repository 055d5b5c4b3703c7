import { trailTile } from '#contract/audit-trail.ts'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { hashLength, isEqualHash } from '#domain/audit-log/hash.ts'
import { getHash, getTileWidth, type TileName, type TileReader, tileWidth } from '#domain/audit-log/tiles.ts'
import { getTiles } from '#local/audit-trail/stored-tiles.ts'
import type { StoredTile } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { fetchTrail, type LogContext } from '#request/audit-trail/fetch-trail.ts'

/** Log indexes; `to` is exclusive. */
export interface LogEntryRange {
  from: number
  to: number
}

export function clipToTile({ from, to }: LogEntryRange, { level, index }: TileName): LogEntryRange {
  const width = tileWidth ** (level + 1)
  return { from: Math.max(from, index * width), to: Math.min(to, (index + 1) * width) }
}

export function findDifference({ index, from, to, hashes }: StoredTile, serverHashes: Uint8Array): number | null {
  for (let entryIndex = from; entryIndex < to; entryIndex += 1) {
    const isInTile = (entryIndex + 1) * hashLength <= serverHashes.length
    if (!isInTile || !isEqualHash(getHash(serverHashes, entryIndex), getHash(hashes, entryIndex)))
      return index * tileWidth + entryIndex
  }
  return null
}

/** Throws TrailProblem or BAD_TILE. */
export async function fetchTile(context: LogContext, { level, index }: TileName): Promise<Uint8Array> {
  const params = { level: String(level), index: String(index) }
  const { body } = await fetchTrail(context, trailTile, { params, query: { companyId: context.companyId } })
  const hashes = typeof body.hashes === 'string' ? fromBase64(body.hashes) : null
  if (!hashes || hashes.length % hashLength !== 0 || hashes.length > tileWidth * hashLength)
    throw new LogError('BAD_TILE', `tile ${level}/${index} is invalid`)
  return hashes
}

const toTileKey = (level: number, index: number) => `${level}/${index}`

const createTileReader =
  (tiles: ReadonlyMap<string, Uint8Array>): TileReader =>
  (level, index) =>
    tiles.get(toTileKey(level, index))

/** Throws the same errors as `fetchTile`. */
export async function fetchTiles(context: LogContext, names: readonly TileName[]): Promise<TileReader> {
  const tiles = new Map<string, Uint8Array>()
  for (const name of names) tiles.set(toTileKey(name.level, name.index), await fetchTile(context, name))
  return createTileReader(tiles)
}

export async function readStoredTiles(
  db: UserDatabase,
  companyId: number,
  names: readonly TileName[],
  size: number,
): Promise<{ tiles: TileReader; missingNames: TileName[] }> {
  const storedTiles = await getTiles(db, companyId, names)
  const tiles = new Map<string, Uint8Array>()
  const missingNames: TileName[] = []
  for (const [i, name] of names.entries()) {
    const tile = storedTiles[i]
    const width = getTileWidth(name, size)
    if (tile && tile.from === 0 && tile.to >= width)
      tiles.set(toTileKey(name.level, name.index), tile.hashes.subarray(0, width * hashLength))
    else missingNames.push(name)
  }
  return { tiles: createTileReader(tiles), missingNames }
}

export const combineReaders =
  (firstReader: TileReader, secondReader: TileReader): TileReader =>
  (level, index) =>
    firstReader(level, index) ?? secondReader(level, index)
