/**
 * Checks a log before the integrator signs it: the log matches its newest checkpoint and continues the stored one, and some of its entries
 * match their hashes. `checkCompleteLog` checks all entries from time to time.
 */
import { type Checkpoint, openCheckpoint, type StoredChain } from '#domain/audit-log/checkpoint.ts'
import { LogError, type LogFault } from '#domain/audit-log/fault.ts'
import { isEqualHash, hashLength } from '#domain/audit-log/hash.ts'
import { findConsistencyFault, buildConsistencyProof } from '#domain/audit-log/proofs.ts'
import {
  listEdgeTiles,
  getHash,
  createNodeReader,
  listTilesRead,
  tileWidth,
  getTileWidth,
} from '#domain/audit-log/tiles.ts'
import { type TreeEdge, calculateEdgeRoot } from '#domain/audit-log/tree-edge.ts'
import type { AppContext } from '#server/context/context.ts'
import { readArchivedEnd, isArchiveRecorded } from '#server/db/audit/audit-archive.ts'
import { findPlacedPendingEntry, readLogEntries, isEpochRecorded } from '#server/db/audit/audit-checks.ts'
import {
  readEdge,
  listCheckpoints,
  readLatestCheckpoint,
  getLogSize,
  type StoredCheckpoint,
  readTile,
} from '#server/db/audit/audit-log.ts'
import { readEpoch } from '#server/db/audit/audit-epochs.ts'
import { findSchemaFaults } from '#server/db/audit/audit-schema.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { buildStoredChain } from '#server/use-cases/audit/check-checkpoints.ts'
import { isAsRecorded, isTileInTree } from '#server/use-cases/audit/is-as-recorded.ts'
import { type AuditKeyContext, getVerifierKey, getLogOrigin } from '#server/use-cases/audit/log-identity.ts'

/** The error for a log that differs from what was signed. The range of entries starts at `from` and ends before `to`. */
export class ChangedLogError extends LogError {
  readonly from: number
  readonly to: number
  constructor(code: LogFault, detail: string, { from, to }: { from: number; to: number }) {
    super(code, detail)
    this.from = from
    this.to = to
  }
}

export interface SignedEdge {
  edge: TreeEdge
  /** Null if the log is empty and was never signed. */
  latestCheckpoint: { row: StoredCheckpoint; checkpoint: Checkpoint; chain: StoredChain | undefined } | null
}

export interface EdgeCheckOptions {
  storedNote: string | undefined
  /** Number of entries to hash, in addition to those of the last tile. */
  maxEntries: number
  /** Set if the caller writes the entry that records the newest epoch after this check. */
  isBeginningEpoch?: boolean
}

/** The caller must hold the lock of the log. Throws ChangedLogError. */
export async function checkSignedEdge(
  app: AppContext,
  db: DatabaseHandle,
  companyId: number,
  { storedNote, maxEntries, isBeginningEpoch = false }: EdgeCheckOptions,
): Promise<SignedEdge> {
  const size = await getLogSize(db, companyId)
  const row = await readLatestCheckpoint(db, companyId)
  const [schemaFault] = await findSchemaFaults(db)
  if (schemaFault !== undefined)
    throw new ChangedLogError('TABLES_CHANGED', schemaFault, { from: 0, to: Math.max(1, size) })
  const placedPendingId = await findPlacedPendingEntry(db, companyId)
  if (placedPendingId !== null) {
    const detail = `entry ${placedPendingId} is already in the log and waits to be added again`
    throw new ChangedLogError('ENTRY_DIFFERS', detail, { from: size, to: size + 1 })
  }
  if (!row) {
    const storedCheckpoint = storedNote === undefined ? null : openStoredCheckpoint(app, companyId, storedNote, 0)
    if (size === 0 && storedCheckpoint === null) return { edge: { size, tiles: [] }, latestCheckpoint: null }
    throw new ChangedLogError('LOG_SHRANK', 'the checkpoints of the log are missing', {
      from: 0,
      to: storedCheckpoint?.size ?? size,
    })
  }
  const allEntries = { from: 0, to: Math.max(size, row.size) }
  const checkpoint = rethrowAsChanged(allEntries, () =>
    openCheckpoint(row.note, getVerifierKey(app, companyId, row.note)),
  )
  if (checkpoint.origin !== getLogOrigin(app, companyId))
    throw new ChangedLogError('OTHER_LOG', `the checkpoint is of the log ${checkpoint.origin}`, allEntries)
  if (checkpoint.size !== row.size)
    throw new ChangedLogError('BAD_CHECKPOINT', 'the stored size differs from the signed size', allEntries)
  const epoch = await readEpoch(db)
  if (checkpoint.epoch > epoch)
    throw new ChangedLogError('BAD_CHECKPOINT', 'the checkpoint has a later epoch than the database', allEntries)
  if (checkpoint.epoch < epoch && !(await isEpochRecorded(db, companyId, epoch)) && !isBeginningEpoch)
    throw new ChangedLogError('BAD_CHECKPOINT', 'no entry records the latest restore', allEntries)
  if (size !== checkpoint.size) {
    const entryRange = { from: Math.min(size, checkpoint.size), to: Math.max(size, checkpoint.size) }
    const code = size < checkpoint.size ? 'LOG_SHRANK' : 'ENTRY_DIFFERS'
    throw new ChangedLogError(
      code,
      `the log has ${size} entries, but the signed size is ${checkpoint.size}`,
      entryRange,
    )
  }
  const edge = await readEdge(db, companyId, size)
  await checkTileWidths(db, companyId, size)
  const root = rethrowAsChanged(allEntries, () => calculateEdgeRoot(edge))
  if (!isEqualHash(root, checkpoint.root))
    throw new ChangedLogError('ROOT_DIFFERS', 'the root of the hash tree differs from the signed root', allEntries)
  if (storedNote !== undefined)
    await requireContinuedFrom(db, companyId, openStoredCheckpoint(app, companyId, storedNote, size), checkpoint)
  if (!(await isArchiveRecorded(db, companyId)))
    throw new ChangedLogError('ENTRY_DIFFERS', 'entries were removed as archived, but no entry records it', {
      from: 0,
      to: 1,
    })
  await checkEntriesInTurn(app, db, companyId, { size, maxEntries })
  const chain =
    checkpoint.storedChain ??
    buildStoredChain((await listCheckpoints(db, companyId)).filter((earlier) => earlier.size < size))
  return { edge, latestCheckpoint: { row, checkpoint, chain } }
}

function openStoredCheckpoint(app: AuditKeyContext, companyId: number, note: string, size: number): Checkpoint {
  const checkpoint = rethrowAsChanged({ from: 0, to: size }, () =>
    openCheckpoint(note, getVerifierKey(app, companyId, note)),
  )
  if (checkpoint.origin === getLogOrigin(app, companyId)) return checkpoint
  throw new ChangedLogError('OTHER_LOG', `the checkpoint store has a checkpoint of the log ${checkpoint.origin}`, {
    from: 0,
    to: size,
  })
}

/** The portal never writes a tile that has more hashes than the log has entries. Throws ChangedLogError for such a tile. */
async function checkTileWidths(db: DatabaseHandle, companyId: number, size: number): Promise<void> {
  for (const tileName of listEdgeTiles(size)) {
    const hashes = await readTile(db, companyId, tileName.level, tileName.index)
    if ((hashes?.length ?? 0) === getTileWidth(tileName, size) * hashLength) continue
    const detail = `tile ${tileName.level}/${tileName.index} has ${hashes?.length ?? 0} bytes`
    throw new ChangedLogError('BAD_TILE', detail, {
      from: tileName.index * tileWidth ** (tileName.level + 1),
      to: size,
    })
  }
}

async function requireContinuedFrom(
  db: DatabaseHandle,
  companyId: number,
  storedCheckpoint: Checkpoint,
  currentCheckpoint: Checkpoint,
): Promise<void> {
  const [from, to] = [storedCheckpoint.size, currentCheckpoint.size]
  if (from > to)
    throw new ChangedLogError(
      'LOG_SHRANK',
      `the log has ${to} entries, but the checkpoint store has a signed size of ${from}`,
      { from: to, to: from },
    )
  const storedEntries = { from: 0, to: from }
  const tiles = new Map<string, Uint8Array>()
  for (const { level, index } of listTilesRead((read) => buildConsistencyProof(from, to, read))) {
    const hashes = await readTile(db, companyId, level, index)
    if (hashes) tiles.set(`${level}/${index}`, hashes)
  }
  const readNode = createNodeReader((level, index) => tiles.get(`${level}/${index}`))
  const proof = rethrowAsChanged(storedEntries, () => buildConsistencyProof(from, to, readNode))
  const fault = findConsistencyFault({
    from,
    to,
    fromRoot: storedCheckpoint.root,
    toRoot: currentCheckpoint.root,
    proof,
  })
  if (fault) throw new ChangedLogError(fault, 'the log does not extend the checkpoint in the store', storedEntries)
}

const nextIndexesByApp = new WeakMap<AppContext, Map<number, number>>()

/** Checks the entries of the last tile, and in each call some of the earlier entries, in turn. */
async function checkEntriesInTurn(
  app: AppContext,
  db: DatabaseHandle,
  companyId: number,
  { size, maxEntries }: { size: number; maxEntries: number },
): Promise<void> {
  if (size === 0) return
  const lastTileStart = Math.floor((size - 1) / tileWidth) * tileWidth
  const nextIndexes = nextIndexesByApp.get(app) ?? new Map<number, number>()
  nextIndexesByApp.set(app, nextIndexes)
  const from = (nextIndexes.get(companyId) ?? 0) < lastTileStart ? (nextIndexes.get(companyId) ?? 0) : 0
  const to = Math.min(lastTileStart, from + maxEntries)
  const firstIndex = await readArchivedEnd(db, companyId)
  for (const range of [
    { from: Math.max(firstIndex, from), to },
    { from: Math.max(firstIndex, lastTileStart), to: size },
  ]) {
    const changedIndex = range.from < range.to ? await findChangedIndex(app, db, { companyId, size, ...range }) : null
    if (changedIndex !== null)
      throw new ChangedLogError('ENTRY_DIFFERS', `entry ${changedIndex} was changed or is missing`, {
        from: changedIndex,
        to: changedIndex + 1,
      })
  }
  nextIndexes.set(companyId, to)
}

/** Returns the first log index whose entry is missing or was changed, or null. */
export async function findChangedIndex(
  app: AppContext,
  db: DatabaseHandle,
  { companyId, size, from, to }: { companyId: number; size: number; from: number; to: number },
): Promise<number | null> {
  const tiles = new Map<number, Uint8Array>()
  let expectedIndex = from
  for (const entry of await readLogEntries(db, companyId, { from, to })) {
    if (entry.log_index !== expectedIndex) return expectedIndex
    const tileIndex = Math.floor(expectedIndex / tileWidth)
    let hashes = tiles.get(tileIndex)
    if (!hashes) {
      hashes = (await readTile(db, companyId, 0, tileIndex)) ?? new Uint8Array()
      tiles.set(tileIndex, hashes)
      if (!(await isTileInTree(app, db, { companyId, size, index: tileIndex, hashes }))) return expectedIndex
    }
    if (!isAsRecorded(entry, companyId, getHash(hashes, expectedIndex % tileWidth))) return expectedIndex
    expectedIndex++
  }
  return expectedIndex < to ? expectedIndex : null
}

function rethrowAsChanged<T>(entryRange: { from: number; to: number }, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof LogError) throw new ChangedLogError(error.code, error.message, entryRange)
    throw error
  }
}
