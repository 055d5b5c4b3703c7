/**
 * Checks a company's log (S-91): every entry hashes to what its tile says, its columns are what its leaf says, nothing is missing
 * between, the tiles make the root that the newest checkpoint signs, and no entry stands outside. What is found is named by the id of
 * the entry, or by its place in the log where there is no entry any more.
 */
import { openCheckpoint, readUnverified } from '#domain/audit-log/checkpoint.ts'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import { countAt, hashAt, nodesOf, tileWidth, wholeRoot } from '#domain/audit-log/tiles.ts'
import { rootOf } from '#domain/audit-log/tree.ts'
import { archivedUpTo, isArchiveRecorded } from '#server/db/audit/audit-archive.ts'
import {
  findPlacedWaiting,
  glanceAtEntries,
  isEpochRecorded,
  type LogToCheck,
  logsToCheck,
  strayEntries,
} from '#server/db/audit/audit-checks.ts'
import { epochOf } from '#server/db/audit/audit-epochs.ts'
import {
  countTiles,
  holdLog,
  listCheckpoints,
  newestCheckpoint,
  pendingEntries,
  sizeOf,
  tileOf,
} from '#server/db/audit/audit-log.ts'
import { findSchemaFaults } from '#server/db/audit/audit-schema.ts'
import type { Handle } from '#server/db/handle.ts'
import { findBrokenCheckpoints, isContinued } from '#server/use-cases/audit/check-checkpoints.ts'
import { sortWaiting } from '#server/use-cases/audit/check-waiting.ts'
import { isAsRecorded } from '#server/use-cases/audit/is-as-recorded.ts'
import { type Keyed, keyOf, originOf } from '#server/use-cases/audit/log-identity.ts'
import type { StoredNotes } from '#server/use-cases/audit/stored-notes.ts'

export interface Broken {
  company_id: number
  id: number
}

export interface CheckedPiece {
  /** Places that were looked at; less than asked for at the end of the log. */
  rows: number
  broken: number[]
  /** The same by their places in the log. */
  places: number[]
}

/** The entries of the places from `from` on. */
export async function checkEntries(
  db: Handle,
  companyId: number,
  piece: { from: number; most: number },
): Promise<CheckedPiece> {
  const entries = await glanceAtEntries(db, companyId, piece)
  const tiles = new Map<number, Uint8Array>()
  const hashOf = async (index: number) => {
    const at = Math.floor(index / tileWidth)
    const tile = tiles.get(at) ?? (await tileOf(db, companyId, 0, at)) ?? new Uint8Array()
    tiles.set(at, tile)
    return hashAt(tile, index % tileWidth)
  }
  const [broken, places]: [number[], number[]] = [[], []]
  const add = (place: number, id = place) => {
    broken.push(id)
    places.push(place)
  }
  // What is in an archive is gone from here, and only from the beginning.
  let expected = Math.max(piece.from, await archivedUpTo(db, companyId))
  for (const entry of entries) {
    // A place that comes twice is one too many.
    if (entry.log_index < expected) add(entry.log_index, entry.id ?? entry.log_index)
    for (; expected < entry.log_index; expected++) add(expected)
    expected = entry.log_index + 1
    if (!isAsRecorded(entry, companyId, await hashOf(entry.log_index)))
      add(entry.log_index, entry.id ?? entry.log_index)
  }
  return { rows: entries.length, broken, places }
}

export interface TreeOptions {
  most: number
  /** The checkpoint of this log in the store, as it was before the log was read; undefined: it has none. */
  storedNote: string | undefined
}

/**
 * The tree above the entries, its checkpoints, and what stands beside the log. Its entries are looked at apart. A checkpoint that is
 * broken is named by its size.
 */
export async function checkTree(
  app: Keyed,
  db: Handle,
  companyId: number,
  { most, storedNote }: TreeOptions,
): Promise<number[]> {
  // Size, tiles and checkpoint are read one after the other.
  await holdLog(db, companyId)
  const size = await sizeOf(db, companyId)
  const { tiles, broken } = await checkTiles(db, companyId, size)
  const nodes = nodesOf((level, index) => tiles.get(`${level}/${index}`))
  const isSigned = size === 0 || (await isRootSigned(app, db, { companyId, size, tiles }))
  const checkpoints = findBrokenCheckpoints(app, { companyId, size, nodes }, await listCheckpoints(db, companyId))
  const isStoredContinued = isContinued(app, { companyId, size, nodes }, storedNote ?? null)
  const isArchiveKnown = await isArchiveRecorded(db, companyId)
  const placedWaiting = await findPlacedWaiting(db, companyId)
  // More tiles than the log has were written by somebody else.
  const isAsMade = (await findSchemaFaults(db)).length === 0 && (await countTiles(db, companyId)) === tiles.size
  return [
    ...new Set([
      ...broken,
      ...(isSigned && isStoredContinued ? [] : [size]),
      ...checkpoints,
      ...(isArchiveKnown && isAsMade && (await isNewestEpochRecorded(db, companyId)) ? [] : [0]),
      ...(placedWaiting === null ? [] : [placedWaiting]),
      ...(await strayEntries(db, companyId, most)),
      ...sortWaiting(app, companyId, await pendingEntries(db, companyId, maxWaiting)).unsealed,
    ]),
  ]
}

/** A restore since the newest checkpoint is told by an entry, which may still wait for its place. */
async function isNewestEpochRecorded(db: Handle, companyId: number): Promise<boolean> {
  const [newest, epoch] = [await newestCheckpoint(db, companyId), await epochOf(db)]
  if (!newest) return true
  try {
    return readUnverified(newest.note).epoch >= epoch || (await isEpochRecorded(db, companyId, epoch))
  } catch {
    return false
  }
}

/** Entries that wait and are looked at: all but after a long stop. */
const maxWaiting = 5_000

type Tiles = Map<string, Uint8Array>

/** Each hash of a tile above the leaves is the root of the tile under it. Broken ones are named by their first place. */
async function checkTiles(db: Handle, companyId: number, size: number): Promise<{ tiles: Tiles; broken: number[] }> {
  const tiles: Tiles = new Map()
  const broken: number[] = []
  for (let level = 0; countAt(level, size) > 0; level++) {
    const count = countAt(level, size)
    for (let index = 0; index * tileWidth < count; index++) {
      const tile = (await tileOf(db, companyId, level, index)) ?? new Uint8Array()
      const width = Math.min(tileWidth, count - index * tileWidth)
      if (tile.length !== width * hashBytes) broken.push(index * tileWidth ** (level + 1))
      tiles.set(`${level}/${index}`, tile.slice(0, width * hashBytes))
      if (level === 0) continue
      for (let at = 0; at < width; at++) {
        const under = tiles.get(`${level - 1}/${index * tileWidth + at}`)
        if (under?.length !== tileWidth * hashBytes || !equalHashes(wholeRoot(under), hashAt(tile, at)))
          broken.push((index * tileWidth + at) * tileWidth ** level)
      }
    }
  }
  return { tiles, broken }
}

async function isRootSigned(
  app: Keyed,
  db: Handle,
  { companyId, size, tiles }: { companyId: number; size: number; tiles: Tiles },
): Promise<boolean> {
  try {
    const newest = await newestCheckpoint(db, companyId)
    const origin = originOf(app, companyId)
    const checkpoint = openCheckpoint(newest?.note, keyOf(app, companyId, newest?.note ?? null))
    const root = rootOf(
      size,
      nodesOf((level, index) => tiles.get(`${level}/${index}`)),
    )
    return checkpoint.origin === origin && checkpoint.size === size && equalHashes(checkpoint.root, root)
  } catch {
    return false
  }
}

/** Walks every log to its end: the first `most` of what is broken; none, as long as nobody touched the tables. */
export async function brokenEntries(
  app: Keyed,
  db: Handle,
  { most = 10, storedNotes = new Map() }: { most?: number; storedNotes?: StoredNotes } = {},
): Promise<Broken[]> {
  const broken: Broken[] = []
  const logs = await logsToCheck(db, null)
  for (const id of findLostLogs(logs, storedNotes, null)) broken.push({ company_id: id, id: 0 })
  for (const { companyId } of logs) {
    const add = (ids: number[]) => broken.push(...ids.map((id) => ({ company_id: companyId, id })))
    for (let from = 0, rows = pieceRows; rows === pieceRows; from += pieceRows) {
      const piece = await checkEntries(db, companyId, { from, most: pieceRows })
      rows = piece.rows
      add(piece.broken)
    }
    add(await checkTree(app, db, companyId, { most, storedNote: storedNotes.get(companyId) }))
  }
  return broken.slice(0, most)
}

const pieceRows = 500

/** Companies whose logs the store has and the database has nothing of. `companyId`: the one that is looked at; null: all. */
export function findLostLogs(
  logs: readonly LogToCheck[],
  storedNotes: StoredNotes,
  companyId: number | null,
): number[] {
  const present = new Set(logs.map((log) => log.companyId))
  return [...storedNotes.keys()].filter((id) => !present.has(id) && (companyId === null || companyId === id))
}
