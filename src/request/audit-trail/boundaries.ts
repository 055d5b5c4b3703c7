import type { Checkpoint } from '#domain/audit-log/checkpoint.ts'
import { hashLength } from '#domain/audit-log/hash.ts'
import { checkRange, type LogRange, listRangeTiles } from '#domain/audit-log/range.ts'
import { type TileName, getTileWidth } from '#domain/audit-log/tiles.ts'
import { storeTrailTiles } from '#local/audit-trail/store-trail.ts'
import { getTiles } from '#local/audit-trail/stored-tiles.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import {
  clipToTile,
  fetchTile,
  findDifference,
  type LogEntryRange,
  readStoredTiles,
} from '#request/audit-trail/log-tiles.ts'
import type { LogContext } from '#request/audit-trail/fetch-trail.ts'

/**
 * Stores the missing hashes of the stored range. Returns null if every stored entry is in this log, else the range that differs. Throws
 * TrailProblem, LogError.
 */
export async function storeBoundaries(context: LogContext, checkpoint: Checkpoint): Promise<LogEntryRange | null> {
  const { guard, companyId } = context
  const { db } = guard
  const storedTrail = await db.storedTrails.get(companyId)
  if (!storedTrail) return null
  const range = { from: storedTrail.from, to: storedTrail.next, size: checkpoint.size }
  const { missingNames } = await readStoredTiles(db, companyId, listRangeTiles(range), checkpoint.size)
  for (const name of missingNames) {
    const hashes = await fetchTile(context, name)
    const firstDifference = await findFirstDifference(db, companyId, name, hashes)
    if (firstDifference !== null) return { from: firstDifference, to: firstDifference + 1 }
    const width = getTileWidth(name, checkpoint.size)
    await storeTrailTiles(db, companyId, [{ ...name, hashes: hashes.slice(0, width * hashLength) }], guard.generation)
  }
  const wrongTile = await checkStoredTiles(db, companyId, { ...range, root: checkpoint.root })
  return wrongTile && (await findWrongRange(context, wrongTile, range))
}

/** Returns the first log index whose hash differs, or null. Only level 0 has hashes of stored entries. */
async function findFirstDifference(
  db: UserDatabase,
  companyId: number,
  name: TileName,
  hashes: Uint8Array,
): Promise<number | null> {
  const [storedTile] = name.level === 0 ? await getTiles(db, companyId, [name]) : []
  return storedTile ? findDifference(storedTile, hashes) : null
}

const yieldToPage = () => new Promise<void>((resolve) => setTimeout(resolve))
/** Number of tiles checked per step. A step takes about 30 ms on a phone. */
const maxTilesPerStep = 16

/** Returns the first wrong tile, or null. Lets the page render between steps. Throws TILE_MISSING or BAD_TILE. */
export async function checkStoredTiles(
  db: UserDatabase,
  companyId: number,
  range: LogRange & { root: Uint8Array },
): Promise<TileName | null> {
  const { tiles } = await readStoredTiles(db, companyId, listRangeTiles(range), range.size)
  const steps = checkRange(tiles, range)
  for (let checkedCount = 0; ; checkedCount += 1) {
    const step = steps.next()
    if (step.done) return step.value
    if (checkedCount % maxTilesPerStep === maxTilesPerStep - 1) await yieldToPage()
  }
}

async function findWrongRange(
  context: LogContext,
  { level, index }: TileName,
  range: LogRange,
): Promise<LogEntryRange> {
  const tileRange = clipToTile(range, { level, index })
  if (level > 0) return tileRange
  const serverHashes = await fetchTile(context, { level, index })
  const firstDifference = await findFirstDifference(context.guard.db, context.companyId, { level, index }, serverHashes)
  return firstDifference === null ? tileRange : { from: firstDifference, to: firstDifference + 1 }
}
