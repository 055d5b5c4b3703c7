/** Brings the hashes that lie around a kept range, and proves the range by them. */
import type { Checkpoint } from '#domain/audit-log/checkpoint.ts'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import { checkRange, type LogRange, tilesOfRange } from '#domain/audit-log/range.ts'
import { hashAt, type TileName, tileWidth, widthOf } from '#domain/audit-log/tiles.ts'
import { storeTiles } from '#local/audit-trail/kept-store.ts'
import { getTiles } from '#local/audit-trail/kept-tiles.ts'
import type { KeptTile } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { fetchTile, readKeptTiles } from '#request/audit-trail/log-tiles.ts'
import type { Ports } from '#request/ports.ts'
import type { Guard } from '#request/reads/read-context.ts'

/** Entries from that place on, up to the other without it. */
export interface Place {
  from: number
  to: number
}

/** Null: every kept entry is in the log of this checkpoint; else where it is not. Throws TrailProblem, LogError. */
export async function storeBoundaries(
  ports: Ports,
  guard: Guard,
  companyId: number,
  checkpoint: Checkpoint,
): Promise<Place | null> {
  const { db } = guard
  const kept = await db.keptTrails.get(companyId)
  if (!kept) return null
  const range = { from: kept.from, to: kept.next, size: checkpoint.size }
  const { missing } = await readKeptTiles(db, companyId, tilesOfRange(range), checkpoint.size)
  for (const name of missing) {
    const hashes = await fetchTile(ports, guard, companyId, name)
    const differs = await firstOtherThan(db, companyId, name, hashes)
    if (differs !== null) return { from: differs, to: differs + 1 }
    const width = widthOf(name, checkpoint.size)
    await storeTiles(db, companyId, [{ ...name, hashes: hashes.slice(0, width * hashBytes) }], guard.generation)
  }
  const tile = await checkKeptTiles(db, companyId, { ...range, root: checkpoint.root })
  return tile && (await placeIn(ports, guard, companyId, tile, range))
}

/** The first place at which these hashes are not those that are kept; null: there is none. Above level 0 nothing is of ours. */
async function firstOtherThan(
  db: UserDatabase,
  companyId: number,
  name: TileName,
  hashes: Uint8Array,
): Promise<number | null> {
  const [own] = name.level === 0 ? await getTiles(db, companyId, [name]) : []
  return own ? differenceOf(own, hashes) : null
}

function differenceOf({ index, from, to, hashes }: KeptTile, theirs: Uint8Array): number | null {
  for (let at = from; at < to; at += 1) {
    const isThere = (at + 1) * hashBytes <= theirs.length
    if (!isThere || !equalHashes(hashAt(theirs, at), hashAt(hashes, at))) return index * tileWidth + at
  }
  return null
}

const pause = () => new Promise<void>((go) => setTimeout(go))
/** Tiles checked at once: some 30 ms on a phone. */
const tilesAtOnce = 16

/** The tile that is not as the log has it, or null. In pieces, so that a page goes on being drawn. Throws TILE_MISSING, BAD_TILE. */
export async function checkKeptTiles(
  db: UserDatabase,
  companyId: number,
  range: LogRange & { root: Uint8Array },
): Promise<TileName | null> {
  const { tiles } = await readKeptTiles(db, companyId, tilesOfRange(range), range.size)
  const steps = checkRange(tiles, range)
  for (let done = 0; ; done += 1) {
    const step = steps.next()
    if (step.done) return step.value
    if (done % tilesAtOnce === tilesAtOnce - 1) await pause()
  }
}

async function placeIn(
  ports: Ports,
  guard: Guard,
  companyId: number,
  { level, index }: TileName,
  range: LogRange,
): Promise<Place> {
  const width = tileWidth ** (level + 1)
  const whole = { from: Math.max(range.from, index * width), to: Math.min(range.to, (index + 1) * width) }
  if (level > 0) return whole
  const theirs = await fetchTile(ports, guard, companyId, { level, index })
  const first = await firstOtherThan(guard.db, companyId, { level, index }, theirs)
  return first === null ? whole : { from: first, to: first + 1 }
}
