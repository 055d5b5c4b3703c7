/**
 * Checks a company's log (S-91): hashes, columns, gaps, the signed root, and entries outside of the log. A fault is reported by the id of
 * the entry, or by its log index if the entry is missing.
 */
import { openCheckpoint, readUnverifiedCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { isEqualHash, hashLength } from '#domain/audit-log/hash.ts'
import { countHashes, getHash, createNodeReader, tileWidth, calculateSubtreeRoot } from '#domain/audit-log/tiles.ts'
import { calculateRoot } from '#domain/audit-log/tree-edge.ts'
import { readArchivedEnd, isArchiveRecorded } from '#server/db/audit/audit-archive.ts'
import {
  findPlacedPendingEntry,
  readLogEntries,
  isEpochRecorded,
  type AuditLogSummary,
  listLogsToCheck,
  findUnplacedEntries,
} from '#server/db/audit/audit-checks.ts'
import { readEpoch } from '#server/db/audit/audit-epochs.ts'
import {
  countTiles,
  waitForLogLock,
  listCheckpoints,
  readLatestCheckpoint,
  listPendingEntries,
  getLogSize,
  readTile,
} from '#server/db/audit/audit-log.ts'
import { findSchemaFaults } from '#server/db/audit/audit-schema.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findBrokenCheckpoints, isContinued } from '#server/use-cases/audit/check-checkpoints.ts'
import { sortWaitingEntries } from '#server/use-cases/audit/check-waiting-entries.ts'
import { isAsRecorded } from '#server/use-cases/audit/is-as-recorded.ts'
import { type AuditKeyContext, getVerifierKey, getLogOrigin } from '#server/use-cases/audit/log-identity.ts'
import type { StoredNotes } from '#server/use-cases/audit/stored-notes.ts'

export interface BrokenEntry {
  company_id: number
  id: number
}

export interface EntriesCheck {
  /** Number of entries that were checked. It is less than the limit at the end of the log. */
  rows: number
  brokenIds: number[]
  brokenIndexes: number[]
}

export async function checkEntries(
  db: DatabaseHandle,
  companyId: number,
  piece: { from: number; limit: number },
): Promise<EntriesCheck> {
  const entries = await readLogEntries(db, companyId, piece)
  const tiles = new Map<number, Uint8Array>()
  const getEntryHash = async (index: number) => {
    const tileIndex = Math.floor(index / tileWidth)
    const tile = tiles.get(tileIndex) ?? (await readTile(db, companyId, 0, tileIndex)) ?? new Uint8Array()
    tiles.set(tileIndex, tile)
    return getHash(tile, index % tileWidth)
  }
  const [brokenIds, brokenIndexes]: [number[], number[]] = [[], []]
  const addBroken = (logIndex: number, id = logIndex) => {
    brokenIds.push(id)
    brokenIndexes.push(logIndex)
  }
  // Archived entries are no longer here. They are always the first ones of the log.
  let expectedIndex = Math.max(piece.from, await readArchivedEnd(db, companyId))
  for (const entry of entries) {
    // A log index that occurs twice is a fault.
    if (entry.log_index < expectedIndex) addBroken(entry.log_index, entry.id ?? entry.log_index)
    for (; expectedIndex < entry.log_index; expectedIndex++) addBroken(expectedIndex)
    expectedIndex = entry.log_index + 1
    if (!isAsRecorded(entry, companyId, await getEntryHash(entry.log_index)))
      addBroken(entry.log_index, entry.id ?? entry.log_index)
  }
  return { rows: entries.length, brokenIds, brokenIndexes }
}

export interface TreeCheckOptions {
  maxBroken: number
  /** The checkpoint of this log from the store, read before the log itself. Undefined if the store has none. */
  storedNote: string | undefined
}

/**
 * Returns the faults of the tree and of the checkpoints; `checkEntries` checks the entries. A faulty checkpoint is reported by its size.
 */
export async function checkTree(
  app: AuditKeyContext,
  db: DatabaseHandle,
  companyId: number,
  { maxBroken, storedNote }: TreeCheckOptions,
): Promise<number[]> {
  // The log is locked, because its size, tiles and checkpoints are read one after the other.
  await waitForLogLock(db, companyId)
  const size = await getLogSize(db, companyId)
  const { tiles, brokenIndexes: brokenTiles } = await checkTiles(db, companyId, size)
  const nodes = createNodeReader((level, index) => tiles.get(`${level}/${index}`))
  const isSigned = size === 0 || (await isRootSigned(app, db, { companyId, size, tiles }))
  const brokenSizes = findBrokenCheckpoints(app, { companyId, size, nodes }, await listCheckpoints(db, companyId))
  const isStoredContinued = isContinued(app, { companyId, size, nodes }, storedNote ?? null)
  const isArchiveKnown = await isArchiveRecorded(db, companyId)
  const placedPendingId = await findPlacedPendingEntry(db, companyId)
  // The portal never writes tiles beyond the size of the log, so such a tile is a fault.
  const isUnaltered = (await findSchemaFaults(db)).length === 0 && (await countTiles(db, companyId)) === tiles.size
  return [
    ...new Set([
      ...brokenTiles,
      ...(isSigned && isStoredContinued ? [] : [size]),
      ...brokenSizes,
      ...(isArchiveKnown && isUnaltered && (await isNewestEpochRecorded(db, companyId)) ? [] : [0]),
      ...(placedPendingId === null ? [] : [placedPendingId]),
      ...(await findUnplacedEntries(db, companyId, maxBroken)),
      ...sortWaitingEntries(app, companyId, await listPendingEntries(db, companyId, maxWaiting)).unsealedIds,
    ]),
  ]
}

/**
 * Whether the log contains the latest restore. A restore after the newest checkpoint is recorded in an entry, which may still wait for its
 * log index.
 */
async function isNewestEpochRecorded(db: DatabaseHandle, companyId: number): Promise<boolean> {
  const [latestCheckpoint, epoch] = [await readLatestCheckpoint(db, companyId), await readEpoch(db)]
  if (!latestCheckpoint) return true
  try {
    return (
      readUnverifiedCheckpoint(latestCheckpoint.note).epoch >= epoch || (await isEpochRecorded(db, companyId, epoch))
    )
  } catch {
    return false
  }
}

/** Maximum number of waiting entries that are checked. More entries wait only after a long stop. */
const maxWaiting = 5_000

type Tiles = Map<string, Uint8Array>

/** Checks that each hash above the leaves is the root of the tile below. Returns the first log indexes of broken tiles. */
async function checkTiles(
  db: DatabaseHandle,
  companyId: number,
  size: number,
): Promise<{ tiles: Tiles; brokenIndexes: number[] }> {
  const tiles: Tiles = new Map()
  const brokenIndexes: number[] = []
  for (let level = 0; countHashes(level, size) > 0; level++) {
    const hashCount = countHashes(level, size)
    for (let index = 0; index * tileWidth < hashCount; index++) {
      const tile = (await readTile(db, companyId, level, index)) ?? new Uint8Array()
      const width = Math.min(tileWidth, hashCount - index * tileWidth)
      if (tile.length !== width * hashLength) brokenIndexes.push(index * tileWidth ** (level + 1))
      tiles.set(`${level}/${index}`, tile.slice(0, width * hashLength))
      if (level === 0) continue
      for (let position = 0; position < width; position++) {
        const childTile = tiles.get(`${level - 1}/${index * tileWidth + position}`)
        if (
          childTile?.length !== tileWidth * hashLength ||
          !isEqualHash(calculateSubtreeRoot(childTile), getHash(tile, position))
        )
          brokenIndexes.push((index * tileWidth + position) * tileWidth ** level)
      }
    }
  }
  return { tiles, brokenIndexes }
}

async function isRootSigned(
  app: AuditKeyContext,
  db: DatabaseHandle,
  { companyId, size, tiles }: { companyId: number; size: number; tiles: Tiles },
): Promise<boolean> {
  try {
    const latestCheckpoint = await readLatestCheckpoint(db, companyId)
    const origin = getLogOrigin(app, companyId)
    const checkpoint = openCheckpoint(
      latestCheckpoint?.note,
      getVerifierKey(app, companyId, latestCheckpoint?.note ?? null),
    )
    const root = calculateRoot(
      size,
      createNodeReader((level, index) => tiles.get(`${level}/${index}`)),
    )
    return checkpoint.origin === origin && checkpoint.size === size && isEqualHash(checkpoint.root, root)
  } catch {
    return false
  }
}

/** Checks all logs. Returns the first `maxBroken` faults. The list is empty unless somebody changed the tables. */
export async function findBrokenEntries(
  app: AuditKeyContext,
  db: DatabaseHandle,
  { maxBroken = 10, storedNotes = new Map() }: { maxBroken?: number; storedNotes?: StoredNotes } = {},
): Promise<BrokenEntry[]> {
  const brokenRows: BrokenEntry[] = []
  const logs = await listLogsToCheck(db, null)
  for (const id of findLostLogCompanies(logs, storedNotes, null)) brokenRows.push({ company_id: id, id: 0 })
  for (const { companyId } of logs) {
    const addBroken = (ids: number[]) => brokenRows.push(...ids.map((id) => ({ company_id: companyId, id })))
    for (let from = 0, rows = rowsPerPiece; rows === rowsPerPiece; from += rowsPerPiece) {
      const piece = await checkEntries(db, companyId, { from, limit: rowsPerPiece })
      rows = piece.rows
      addBroken(piece.brokenIds)
    }
    addBroken(await checkTree(app, db, companyId, { maxBroken, storedNote: storedNotes.get(companyId) }))
  }
  return brokenRows.slice(0, maxBroken)
}

const rowsPerPiece = 500

/** Returns companies with a log in the checkpoint store but not in the database. `companyId` limits the check to one company. */
export function findLostLogCompanies(
  logs: readonly AuditLogSummary[],
  storedNotes: StoredNotes,
  companyId: number | null,
): number[] {
  const presentCompanyIds = new Set(logs.map((log) => log.companyId))
  return [...storedNotes.keys()].filter((id) => !presentCompanyIds.has(id) && (companyId === null || companyId === id))
}
