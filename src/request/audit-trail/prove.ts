/** Proofs on the device: one entry against the newest checkpoint that this device has checked, and all kept ones at once. */
import { canonical } from '#domain/audit-log/canonical.ts'
import { type Checkpoint, openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { equalHashes, leafHash } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow, readLeaf } from '#domain/audit-log/leaf.ts'
import { inclusionFault, inclusionProof } from '#domain/audit-log/proofs.ts'
import { proofFileText } from '#domain/audit-log/proof-file.ts'
import { hashAt, nodesOf, tilesReadBy, tileWidth } from '#domain/audit-log/tiles.ts'
import { allLeafTiles, getLeaves, leafBlock } from '#local/audit-trail/kept-tiles.ts'
import type { LogCheckpoint } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { TrailProblem } from '#request/audit-trail/ask.ts'
import { checkKeptTiles } from '#request/audit-trail/boundaries.ts'
import { checkLog } from '#request/audit-trail/check-log.ts'
import { either, fetchTiles, readKeptTiles } from '#request/audit-trail/log-tiles.ts'
import type { Ports } from '#request/ports.ts'
import { type Guard, whoNow } from '#request/reads/read-context.ts'
import type { EntryProof, KeptProof } from '#request/results.ts'

/** What an entry is proven by. */
interface Signed {
  note: string
  key: string
}

/** Never rejects: where neither the device nor the server has what it takes, it is not checked. */
export async function proveEntry(ports: Ports, companyId: number, entry: AuditEntryRow): Promise<EntryProof> {
  try {
    const { guard } = await whoNow(ports)
    return guard ? await proofOf(ports, guard, companyId, entry) : { kind: 'unchecked' }
  } catch (error) {
    if (error instanceof TrailProblem) return { kind: 'unchecked' }
    if (error instanceof LogError) return alarmAt(entry.log_index ?? 0, error.code)
    ports.report(error)
    return { kind: 'unchecked' }
  }
}

const alarmAt = (index: number, fault: LogError['code']): EntryProof => ({
  kind: 'alarm',
  alarm: { fault, from: index, to: index + 1 },
})

async function proofOf(ports: Ports, guard: Guard, companyId: number, entry: AuditEntryRow): Promise<EntryProof> {
  const index = entry.log_index
  if (index === null) return { kind: 'recording' }
  if (!saysItsLeaf(entry)) return alarmAt(index, 'ROW_DIFFERS')
  const record = await recordFor(ports, guard, companyId, index)
  if (record?.alarm) return { kind: 'alarm', alarm: record.alarm }
  if (!record) return { kind: 'unchecked' }
  if (record.size <= index) return { kind: 'recording' }
  // Without a line the newest checkpoint may be newer than the hashes that are kept.
  const kept = await guard.db.keptTrails.get(companyId)
  const older = kept?.note != null && kept.key !== null ? [{ note: kept.note, key: kept.key }] : []
  for (const signed of [record, ...older]) {
    const proof = await proofBy(ports, guard, companyId, entry, signed)
    if (proof) return proof
  }
  return { kind: 'unchecked' }
}

/** What is known here if it is new enough, else what the server says now. */
async function recordFor(ports: Ports, guard: Guard, companyId: number, index: number): Promise<LogCheckpoint | null> {
  const known = (await guard.db.logCheckpoints.get(companyId)) ?? null
  if (known && (known.alarm || known.size > index)) return known
  try {
    return (await checkLog(ports, guard, companyId)).record
  } catch (error) {
    if (error instanceof TrailProblem) return known
    throw error
  }
}

/** Null: hashes are missing, and nobody can be asked for them. */
async function proofBy(
  ports: Ports,
  guard: Guard,
  companyId: number,
  entry: AuditEntryRow,
  { note, key }: Signed,
): Promise<EntryProof | null> {
  const { size, root } = openCheckpoint(note, key)
  const index = entry.log_index ?? 0
  if (index >= size) return null
  const names = tilesReadBy((read) => inclusionProof(index, size, read))
  const { tiles, missing } = await readKeptTiles(guard.db, companyId, names, size)
  const fetched = await fetchTiles(ports, guard, companyId, missing).catch((error: unknown) => {
    if (error instanceof TrailProblem) return null
    throw error
  })
  if (!fetched) return null
  const hashes = inclusionProof(index, size, nodesOf(either(tiles, fetched)))
  const fault = inclusionFault({ index, size, root, leaf: leafHash(entry.leaf), proof: hashes })
  if (fault) return alarmAt(index, fault === 'ROOT_DIFFERS' ? 'ENTRY_DIFFERS' : fault)
  return { kind: 'proven', size, file: proofFileText({ leaf: entry.leaf, index, size, hashes, checkpoint: note, key }) }
}

/**
 * Whether the row shows what its leaf says, so that what is proven is what is read. Times are written in a zone, and the provider's
 * staff read names that the leaf only has a hash of.
 */
function saysItsLeaf(entry: AuditEntryRow): boolean {
  try {
    const {
      id,
      company,
      code,
      operation,
      status,
      info,
      changes,
      intent,
      request_id,
      user_id,
      user_name,
      actor_company,
    } = readLeaf(entry.leaf)
    const isOwn = actor_company === null
    const said = { id, company, code, operation, status, info, changes, intent, request_id }
    const shown = {
      id: entry.id,
      company: entry.company_id,
      code: entry.code,
      operation: entry.operation,
      status: entry.status,
      info: entry.info,
      changes: entry.changes,
      intent: entry.intent,
      request_id: entry.request_id,
    }
    const who = !isOwn || (entry.exec_user_id === user_id && entry.exec_user_name === user_name)
    return who && entry.by_provider === !isOwn && canonical(said) === canonical(shown)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof LogError) return false
    throw error
  }
}

/** Tiles whose leaves are hashed at once: some 50 ms on a phone. */
const tilesAtOnce = 8

/**
 * Checks every kept entry: its bytes by the hash that is kept of it, the hashes by those above, and these by the signed root. Works
 * without a network. Null: nothing is kept, or it was never proven.
 */
export async function proveAllKept(
  ports: Ports,
  companyId: number,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<KeptProof | null> {
  const { guard } = await whoNow(ports)
  const kept = await guard?.db.keptTrails.get(companyId)
  if (!guard || !kept || kept.note === null || kept.key === null) return null
  const checkpoint = openCheckpoint(kept.note, kept.key)
  const range = { from: kept.from, to: Math.min(kept.next, checkpoint.size) }
  const broken = await brokenTile(guard.db, companyId, range, checkpoint)
  if (broken) return { kind: 'alarm', alarm: { fault: 'ENTRY_DIFFERS', ...broken } }
  const visible = range.to - range.from - kept.hidden
  let proven = 0
  const other = await firstOther(guard.db, companyId, (done) => {
    proven = done
    onProgress(done, visible)
  })
  if (other !== null) return { kind: 'alarm', alarm: { fault: 'ENTRY_DIFFERS', from: other, to: other + 1 } }
  if (proven < visible) return { kind: 'alarm', alarm: { fault: 'LOG_SHRANK', ...range } }
  return { kind: 'proven', entries: proven, hidden: kept.hidden, size: checkpoint.size }
}

async function brokenTile(
  db: UserDatabase,
  companyId: number,
  { from, to }: { from: number; to: number },
  { size, root }: Checkpoint,
): Promise<{ from: number; to: number } | null> {
  try {
    const tile = await checkKeptTiles(db, companyId, { from, to, size, root })
    if (!tile) return null
    const width = tileWidth ** (tile.level + 1)
    return { from: Math.max(from, tile.index * width), to: Math.min(to, (tile.index + 1) * width) }
  } catch (error) {
    // A hash is gone, or not what a hash is: the same as one that is wrong.
    if (error instanceof LogError) return { from, to }
    throw error
  }
}

const blocksInTile = tileWidth / leafBlock
const blocksOf = (tile: number) => Array.from({ length: blocksInTile }, (_, at) => tile * blocksInTile + at)

/** The place of the first kept entry whose bytes do not have the hash that is kept of it; null: all have. */
async function firstOther(db: UserDatabase, companyId: number, onDone: (done: number) => void): Promise<number | null> {
  const tiles = await allLeafTiles(db, companyId)
  let done = 0
  for (let at = 0; at < tiles.length; at += tilesAtOnce) {
    const some = tiles.slice(at, at + tilesAtOnce)
    const blocks = some.flatMap(({ index }) => blocksOf(index))
    const records = await getLeaves(db, companyId, blocks)
    for (const [n, block] of blocks.entries()) {
      const hashes = some[Math.floor(n / blocksInTile)]?.hashes ?? new Uint8Array()
      for (const [offset, leaf] of (records[n]?.leaves ?? []).entries()) {
        if (leaf === '') continue
        const place = block * leafBlock + offset
        if (!equalHashes(leafHash(leaf), hashAt(hashes, place % tileWidth))) return place
        done += 1
      }
    }
    onDone(done)
  }
  return null
}
