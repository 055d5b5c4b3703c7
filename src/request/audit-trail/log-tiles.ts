/** Tiles of a log, from what is kept of it or from the server. */
import { trailTile } from '#contract/audit-trail.ts'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { hashBytes } from '#domain/audit-log/hash.ts'
import type { TileName, TileReader } from '#domain/audit-log/tiles.ts'
import { tileWidth, widthOf } from '#domain/audit-log/tiles.ts'
import { getTiles } from '#local/audit-trail/kept-tiles.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { ask } from '#request/audit-trail/ask.ts'
import type { Ports } from '#request/ports.ts'
import type { Guard } from '#request/reads/read-context.ts'

/** Throws TrailProblem, BAD_TILE. */
export async function fetchTile(
  ports: Ports,
  guard: Guard,
  companyId: number,
  { level, index }: TileName,
): Promise<Uint8Array> {
  const params = { level: String(level), index: String(index) }
  const { body } = await ask(ports, guard, trailTile, { params, query: { companyId } })
  const hashes = typeof body.hashes === 'string' ? fromBase64(body.hashes) : null
  if (!hashes || hashes.length % hashBytes !== 0 || hashes.length > tileWidth * hashBytes)
    throw new LogError('BAD_TILE', `tile ${level}/${index}`)
  return hashes
}

const nameOf = (level: number, index: number) => `${level}/${index}`

const readerOf =
  (tiles: ReadonlyMap<string, Uint8Array>): TileReader =>
  (level, index) =>
    tiles.get(nameOf(level, index))

/** Throws as `fetchTile`. */
export async function fetchTiles(
  ports: Ports,
  guard: Guard,
  companyId: number,
  names: readonly TileName[],
): Promise<TileReader> {
  const tiles = new Map<string, Uint8Array>()
  for (const name of names) tiles.set(nameOf(name.level, name.index), await fetchTile(ports, guard, companyId, name))
  return readerOf(tiles)
}

/** Those of the names that are kept, as far as a log of `size` leaves has them. */
export async function readKeptTiles(
  db: UserDatabase,
  companyId: number,
  names: readonly TileName[],
  size: number,
): Promise<{ tiles: TileReader; missing: TileName[] }> {
  const found = await getTiles(db, companyId, names)
  const tiles = new Map<string, Uint8Array>()
  const missing: TileName[] = []
  for (const [at, name] of names.entries()) {
    const tile = found[at]
    const width = widthOf(name, size)
    if (tile && tile.from === 0 && tile.to >= width)
      tiles.set(nameOf(name.level, name.index), tile.hashes.subarray(0, width * hashBytes))
    else missing.push(name)
  }
  return { tiles: readerOf(tiles), missing }
}

/** One reader before another. */
export const either =
  (one: TileReader, other: TileReader): TileReader =>
  (level, index) =>
    one(level, index) ?? other(level, index)
