import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { type Checkpoint, openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { isEqualHash, hashLeaf } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow, readLeaf } from '#domain/audit-log/leaf.ts'
import { findInclusionFault, buildInclusionProof } from '#domain/audit-log/proofs.ts'
import { formatProofFile } from '#domain/audit-log/proof-file.ts'
import { getHash, createNodeReader, listTilesRead, tileWidth } from '#domain/audit-log/tiles.ts'
import { getAllLeafTiles, getLeaves, leavesPerBlock } from '#local/audit-trail/stored-tiles.ts'
import type { LogCheckpoint } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type LogContext, TrailProblem } from '#request/audit-trail/fetch-trail.ts'
import { checkStoredTiles } from '#request/audit-trail/boundaries.ts'
import { checkLog } from '#request/audit-trail/check-log.ts'
import { clipToTile, combineReaders, fetchTiles, readStoredTiles } from '#request/audit-trail/log-tiles.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { readSessionGuard } from '#request/reads/read-context.ts'
import type { EntryProof, StoredTrailProof } from '#request/call-results.ts'

interface SignedNote {
  note: string
  key: string
}

/** Proves that an entry is in the log. Returns `unchecked` if neither the device nor the server has the necessary data. Never rejects. */
export async function proveEntry(ports: PipelinePorts, companyId: number, entry: AuditEntryRow): Promise<EntryProof> {
  try {
    const { guard } = await readSessionGuard(ports)
    return guard ? await findEntryProof({ ports, guard, companyId }, entry) : { kind: 'unchecked' }
  } catch (error) {
    if (error instanceof TrailProblem) return { kind: 'unchecked' }
    if (error instanceof LogError) return toEntryAlarm(entry.log_index ?? 0, error.code)
    ports.report(error)
    return { kind: 'unchecked' }
  }
}

const toEntryAlarm = (index: number, fault: LogError['code']): EntryProof => ({
  kind: 'alarm',
  alarm: { fault, from: index, to: index + 1 },
})

async function findEntryProof(context: LogContext, entry: AuditEntryRow): Promise<EntryProof> {
  const index = entry.log_index
  if (index === null) return { kind: 'recording' }
  if (!matchesLeaf(entry)) return toEntryAlarm(index, 'ROW_DIFFERS')
  const record = await findCheckpoint(context, index)
  if (record?.alarm) return { kind: 'alarm', alarm: record.alarm }
  if (!record) return { kind: 'unchecked' }
  if (record.size <= index) return { kind: 'recording' }
  // Offline, the latest checkpoint may be newer than the stored hashes, so an older one is tried too.
  const storedTrail = await context.guard.db.storedTrails.get(context.companyId)
  const olderNotes =
    storedTrail?.note != null && storedTrail.key !== null ? [{ note: storedTrail.note, key: storedTrail.key }] : []
  for (const signedNote of [record, ...olderNotes]) {
    const proof = await buildEntryProof(context, entry, signedNote)
    if (proof) return proof
  }
  return { kind: 'unchecked' }
}

/** Returns the stored checkpoint if it includes the entry, otherwise the latest one of the server. */
async function findCheckpoint(context: LogContext, index: number): Promise<LogCheckpoint | null> {
  const knownCheckpoint = (await context.guard.db.logCheckpoints.get(context.companyId)) ?? null
  if (knownCheckpoint && (knownCheckpoint.alarm || knownCheckpoint.size > index)) return knownCheckpoint
  try {
    return (await checkLog(context)).record
  } catch (error) {
    if (error instanceof TrailProblem) return knownCheckpoint
    throw error
  }
}

/** Returns null if the entry is not in this checkpoint, or if hashes are missing and the server cannot be reached. */
async function buildEntryProof(
  context: LogContext,
  entry: AuditEntryRow,
  { note, key }: SignedNote,
): Promise<EntryProof | null> {
  const { size, root } = openCheckpoint(note, key)
  const index = entry.log_index ?? 0
  if (index >= size) return null
  const tileNames = listTilesRead((read) => buildInclusionProof(index, size, read))
  const { tiles, missingNames } = await readStoredTiles(context.guard.db, context.companyId, tileNames, size)
  const fetchedTiles = await fetchTiles(context, missingNames).catch((error: unknown) => {
    if (error instanceof TrailProblem) return null
    throw error
  })
  if (!fetchedTiles) return null
  const hashes = buildInclusionProof(index, size, createNodeReader(combineReaders(tiles, fetchedTiles)))
  const fault = findInclusionFault({ index, size, root, leaf: hashLeaf(entry.leaf), proof: hashes })
  if (fault) return toEntryAlarm(index, fault === 'ROOT_DIFFERS' ? 'ENTRY_DIFFERS' : fault)
  return {
    kind: 'proven',
    size,
    file: formatProofFile({ leaf: entry.leaf, index, size, hashes, checkpoint: note, key }),
  }
}

/**
 * Returns true if the row shows the content of its leaf, so that the proof covers what the user sees. Not compared are times, which are
 * formatted in a time zone, and names of the provider's staff, of which the leaf has only a hash.
 */
function matchesLeaf(entry: AuditEntryRow): boolean {
  try {
    const leaf = readLeaf(entry.leaf)
    const isOwn = leaf.actor_company === null
    const hasSameUser = !isOwn || (entry.exec_user_id === leaf.user_id && entry.exec_user_name === leaf.user_name)
    const hasSameSource = entry.by_provider === !isOwn && entry.company_id === leaf.company
    return hasSameUser && hasSameSource && toComparedText(leaf) === toComparedText(entry)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof LogError) return false
    throw error
  }
}

const comparedFields = ['id', 'code', 'operation', 'status', 'info', 'changes', 'intent', 'request_id'] as const

const toComparedText = (values: Pick<AuditEntryRow, (typeof comparedFields)[number]>) =>
  toCanonicalJson(comparedFields.map((field) => values[field]))

/** Tiles whose leaves are hashed per step, which takes about 50 ms on a phone. */
const maxTilesPerStep = 8

/**
 * Verifies every stored entry: its bytes against its hash, the hashes against those above, and these against the signed root. Works
 * offline. Returns null if nothing is stored or the trail was never proven.
 */
export async function proveStoredTrail(
  ports: PipelinePorts,
  companyId: number,
  onProgress: (doneCount: number, total: number) => void = () => {},
): Promise<StoredTrailProof | null> {
  const { guard } = await readSessionGuard(ports)
  const storedTrail = await guard?.db.storedTrails.get(companyId)
  if (!guard || !storedTrail || storedTrail.note === null || storedTrail.key === null) return null
  const checkpoint = openCheckpoint(storedTrail.note, storedTrail.key)
  const range = { from: storedTrail.from, to: Math.min(storedTrail.next, checkpoint.size) }
  const wrongRange = await findWrongRange(guard.db, companyId, range, checkpoint)
  if (wrongRange) return { kind: 'alarm', alarm: { fault: 'ENTRY_DIFFERS', ...wrongRange } }
  const visibleCount = range.to - range.from - storedTrail.hidden
  let provenCount = 0
  const firstDifference = await findFirstDifference(guard.db, companyId, (doneCount) => {
    provenCount = doneCount
    onProgress(doneCount, visibleCount)
  })
  if (firstDifference !== null)
    return { kind: 'alarm', alarm: { fault: 'ENTRY_DIFFERS', from: firstDifference, to: firstDifference + 1 } }
  if (provenCount < visibleCount) return { kind: 'alarm', alarm: { fault: 'LOG_SHRANK', ...range } }
  return { kind: 'proven', entries: provenCount, hidden: storedTrail.hidden, size: checkpoint.size }
}

async function findWrongRange(
  db: UserDatabase,
  companyId: number,
  { from, to }: { from: number; to: number },
  { size, root }: Checkpoint,
): Promise<{ from: number; to: number } | null> {
  try {
    const wrongTile = await checkStoredTiles(db, companyId, { from, to, size, root })
    return wrongTile && clipToTile({ from, to }, wrongTile)
  } catch (error) {
    // A missing or malformed hash is treated like a wrong one.
    if (error instanceof LogError) return { from, to }
    throw error
  }
}

const blocksInTile = tileWidth / leavesPerBlock
const getBlocks = (wrongTile: number) =>
  Array.from({ length: blocksInTile }, (_, tileIndex) => wrongTile * blocksInTile + tileIndex)

/** Returns the log index of the first stored entry whose bytes do not match its hash, or null if all match. */
async function findFirstDifference(
  db: UserDatabase,
  companyId: number,
  onDone: (doneCount: number) => void,
): Promise<number | null> {
  const tiles = await getAllLeafTiles(db, companyId)
  let doneCount = 0
  for (let tileIndex = 0; tileIndex < tiles.length; tileIndex += maxTilesPerStep) {
    const tileGroup = tiles.slice(tileIndex, tileIndex + maxTilesPerStep)
    const blocks = tileGroup.flatMap(({ index }) => getBlocks(index))
    const records = await getLeaves(db, companyId, blocks)
    for (const [blockIndex, block] of blocks.entries()) {
      const hashes = tileGroup[Math.floor(blockIndex / blocksInTile)]?.hashes ?? new Uint8Array()
      for (const [offset, leaf] of (records[blockIndex]?.leaves ?? []).entries()) {
        if (leaf === '') continue
        const logIndex = block * leavesPerBlock + offset
        if (!isEqualHash(hashLeaf(leaf), getHash(hashes, logIndex % tileWidth))) return logIndex
        doneCount += 1
      }
    }
    onDone(doneCount)
  }
  return null
}
