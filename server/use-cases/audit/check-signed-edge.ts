/**
 * What the integrator looks at before it signs: that the log is exactly the one that its newest checkpoint signs, that it goes on from the
 * checkpoint in the store, and that some of its entries still are what their hashes say. A log in which somebody has changed anything of
 * this is not signed over. All of its entries are looked at from time to time (`checkWholeLog`).
 */
import { type Checkpoint, openCheckpoint, type StoredChain } from '#domain/audit-log/checkpoint.ts'
import { LogError, type LogFault } from '#domain/audit-log/fault.ts'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import { consistencyFault, consistencyProof } from '#domain/audit-log/proofs.ts'
import { edgeTiles, hashAt, nodesOf, tilesReadBy, tileWidth, widthOf } from '#domain/audit-log/tiles.ts'
import { type Edge, rootOfEdge } from '#domain/audit-log/tree.ts'
import type { AppContext } from '#server/context/context.ts'
import { archivedUpTo, isArchiveRecorded } from '#server/db/audit/audit-archive.ts'
import { findPlacedWaiting, glanceAtEntries, isEpochRecorded } from '#server/db/audit/audit-checks.ts'
import {
  edgeOf,
  listCheckpoints,
  newestCheckpoint,
  sizeOf,
  type StoredCheckpoint,
  tileOf,
} from '#server/db/audit/audit-log.ts'
import { epochOf } from '#server/db/audit/audit-epochs.ts'
import { findSchemaFaults } from '#server/db/audit/audit-schema.ts'
import type { Handle } from '#server/db/handle.ts'
import { chainOf } from '#server/use-cases/audit/check-checkpoints.ts'
import { isAsRecorded, isTileInTree } from '#server/use-cases/audit/is-as-recorded.ts'
import { type Keyed, keyOf, originOf } from '#server/use-cases/audit/log-identity.ts'

/** A log that is not what was signed. Entries from that place on, up to the other without it. */
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
  edge: Edge
  /** Null: the log is empty, and nothing was ever signed. */
  newest: { row: StoredCheckpoint; checkpoint: Checkpoint; chain: StoredChain | undefined } | null
}

export interface CheckOptions {
  /** From the store; undefined: it has none of this log. */
  storedNote: string | undefined
  /** Entries to be hashed anew beside those of the last tile. */
  maxEntries: number
  /** The entry that tells of the newest epoch is written after this. */
  isBeginningEpoch?: boolean
}

/** The caller holds the log. Throws ChangedLogError. */
export async function checkSignedEdge(
  app: AppContext,
  db: Handle,
  companyId: number,
  { storedNote, maxEntries, isBeginningEpoch = false }: CheckOptions,
): Promise<SignedEdge> {
  const size = await sizeOf(db, companyId)
  const row = await newestCheckpoint(db, companyId)
  const [planted] = await findSchemaFaults(db)
  if (planted !== undefined) throw new ChangedLogError('TABLES_CHANGED', planted, { from: 0, to: Math.max(1, size) })
  const placedWaiting = await findPlacedWaiting(db, companyId)
  if (placedWaiting !== null) {
    const detail = `entry ${placedWaiting} waits for a second place`
    throw new ChangedLogError('ENTRY_DIFFERS', detail, { from: size, to: size + 1 })
  }
  if (!row) {
    const stored = storedNote === undefined ? null : openStored(app, companyId, storedNote, 0)
    if (size === 0 && stored === null) return { edge: { size, tiles: [] }, newest: null }
    throw new ChangedLogError('LOG_SHRANK', 'its checkpoints are missing', { from: 0, to: stored?.size ?? size })
  }
  const all = { from: 0, to: Math.max(size, row.size) }
  const checkpoint = asChanged(all, () => openCheckpoint(row.note, keyOf(app, companyId, row.note)))
  if (checkpoint.origin !== originOf(app, companyId)) throw new ChangedLogError('OTHER_LOG', checkpoint.origin, all)
  if (checkpoint.size !== row.size) throw new ChangedLogError('BAD_CHECKPOINT', 'another size than is signed', all)
  const epoch = await epochOf(db)
  if (checkpoint.epoch > epoch) throw new ChangedLogError('BAD_CHECKPOINT', 'a later epoch', all)
  if (checkpoint.epoch < epoch && !(await isEpochRecorded(db, companyId, epoch)) && !isBeginningEpoch)
    throw new ChangedLogError('BAD_CHECKPOINT', 'a restore that no entry tells of', all)
  if (size !== checkpoint.size) {
    const places = { from: Math.min(size, checkpoint.size), to: Math.max(size, checkpoint.size) }
    const code = size < checkpoint.size ? 'LOG_SHRANK' : 'ENTRY_DIFFERS'
    throw new ChangedLogError(code, `${size} entries, and ${checkpoint.size} are signed`, places)
  }
  const edge = await edgeOf(db, companyId, size)
  await checkWidths(db, companyId, size)
  const root = asChanged(all, () => rootOfEdge(edge))
  if (!equalHashes(root, checkpoint.root)) throw new ChangedLogError('ROOT_DIFFERS', 'not the tree that is signed', all)
  if (storedNote !== undefined)
    await checkContinued(db, companyId, openStored(app, companyId, storedNote, size), checkpoint)
  if (!(await isArchiveRecorded(db, companyId)))
    throw new ChangedLogError('ENTRY_DIFFERS', 'entries were taken out as archived, and none says so', {
      from: 0,
      to: 1,
    })
  await checkSomeEntries(app, db, companyId, { size, maxEntries })
  const chain = checkpoint.stored ?? chainOf((await listCheckpoints(db, companyId)).filter((one) => one.size < size))
  return { edge, newest: { row, checkpoint, chain } }
}

function openStored(app: Keyed, companyId: number, note: string, size: number): Checkpoint {
  const checkpoint = asChanged({ from: 0, to: size }, () => openCheckpoint(note, keyOf(app, companyId, note)))
  if (checkpoint.origin === originOf(app, companyId)) return checkpoint
  throw new ChangedLogError('OTHER_LOG', `the store has ${checkpoint.origin}`, { from: 0, to: size })
}

/** A tile that holds more than the log has was written by somebody else. */
async function checkWidths(db: Handle, companyId: number, size: number): Promise<void> {
  for (const name of edgeTiles(size)) {
    const hashes = await tileOf(db, companyId, name.level, name.index)
    if ((hashes?.length ?? 0) === widthOf(name, size) * hashBytes) continue
    const detail = `tile ${name.level}/${name.index} has ${hashes?.length ?? 0} bytes`
    throw new ChangedLogError('BAD_TILE', detail, { from: name.index * tileWidth ** (name.level + 1), to: size })
  }
}

async function checkContinued(db: Handle, companyId: number, old: Checkpoint, now: Checkpoint): Promise<void> {
  const [from, to] = [old.size, now.size]
  if (from > to)
    throw new ChangedLogError('LOG_SHRANK', `${to} entries, and the store has signed ${from}`, { from: to, to: from })
  const all = { from: 0, to: from }
  const tiles = new Map<string, Uint8Array>()
  for (const { level, index } of tilesReadBy((read) => consistencyProof(from, to, read))) {
    const hashes = await tileOf(db, companyId, level, index)
    if (hashes) tiles.set(`${level}/${index}`, hashes)
  }
  const read = nodesOf((level, index) => tiles.get(`${level}/${index}`))
  const proof = asChanged(all, () => consistencyProof(from, to, read))
  const fault = consistencyFault({ from, to, fromRoot: old.root, toRoot: now.root, proof })
  if (fault) throw new ChangedLogError(fault, 'the log does not go on from what the store has', all)
}

/** Where this process goes on, by company. */
const nextPlaces = new WeakMap<AppContext, Map<number, number>>()

/** Those of the last tile, and each time some others in turn. */
async function checkSomeEntries(
  app: AppContext,
  db: Handle,
  companyId: number,
  { size, maxEntries }: { size: number; maxEntries: number },
): Promise<void> {
  if (size === 0) return
  const last = Math.floor((size - 1) / tileWidth) * tileWidth
  const places = nextPlaces.get(app) ?? new Map<number, number>()
  nextPlaces.set(app, places)
  const from = (places.get(companyId) ?? 0) < last ? (places.get(companyId) ?? 0) : 0
  const to = Math.min(last, from + maxEntries)
  const first = await archivedUpTo(db, companyId)
  for (const range of [
    { from: Math.max(first, from), to },
    { from: Math.max(first, last), to: size },
  ]) {
    const place = range.from < range.to ? await findChangedPlace(app, db, { companyId, size, ...range }) : null
    if (place !== null) throw new ChangedLogError('ENTRY_DIFFERS', `entry ${place}`, { from: place, to: place + 1 })
  }
  places.set(companyId, to)
}

/** The first place whose entry is missing or is not what was recorded; null: there is none. */
export async function findChangedPlace(
  app: AppContext,
  db: Handle,
  { companyId, size, from, to }: { companyId: number; size: number; from: number; to: number },
): Promise<number | null> {
  const tiles = new Map<number, Uint8Array>()
  let expected = from
  for (const entry of await glanceAtEntries(db, companyId, { from, to })) {
    if (entry.log_index !== expected) return expected
    const index = Math.floor(expected / tileWidth)
    let hashes = tiles.get(index)
    if (!hashes) {
      hashes = (await tileOf(db, companyId, 0, index)) ?? new Uint8Array()
      tiles.set(index, hashes)
      if (!(await isTileInTree(app, db, { companyId, size, index, hashes }))) return expected
    }
    if (!isAsRecorded(entry, companyId, hashAt(hashes, expected % tileWidth))) return expected
    expected++
  }
  return expected < to ? expected : null
}

function asChanged<T>(places: { from: number; to: number }, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof LogError) throw new ChangedLogError(error.code, error.message, places)
    throw error
  }
}
