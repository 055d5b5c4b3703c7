/**
 * Stores a range of a company's audit trail. The range is created once and filled piece by piece. Each piece is stored in one transaction
 * with the next log index, so an interrupted fill continues there. A record holds 32 leaves, and the index of long lists finds them: one
 * record per entry would be many times slower to write and read.
 */
import { hashLength } from '#domain/audit-log/hash.ts'
import type { StreamedEntry } from '#domain/audit-log/leaf-stream.ts'
import { type TileName, tileWidth } from '#domain/audit-log/tiles.ts'
import { normaliseText } from '#domain/text.ts'
import { deleteTrailChoice } from '#local/storage/trail-choices.ts'
import {
  addIndexEntries,
  createTrailIndex,
  deleteTrailIndex,
  storedTrailIndex,
  getTrailListId,
} from '#local/audit-trail/stored-trail-index.ts'
import { getLeaves, getTexts, getTiles, leavesPerBlock, textTerminator } from '#local/audit-trail/stored-tiles.ts'
import type { StoredLeaves, StoredTexts, StoredTile, StoredTrail } from '#local/storage/trail-records.ts'
import { toListId } from '#local/storage/list-ids.ts'
import { canStore } from '#local/session/session-generation.ts'
import { listMetadataTables, type UserDatabase, storedTrailTables } from '#local/storage/database.ts'
import { evictList } from '#local/storage/eviction.ts'
import { transact } from '#local/storage/transaction.ts'

const { table } = storedTrailIndex
const writtenTables = [...listMetadataTables, ...storedTrailTables, 'meta'] as const

export type NewStoredTrail = Pick<
  StoredTrail,
  'companyId' | 'dateFrom' | 'dateTo' | 'keep' | 'from' | 'to' | 'follows' | 'bytes'
>

/** Replaces what was stored of that company. Returns false if the session has changed. */
export async function createStoredTrail(db: UserDatabase, trail: NewStoredTrail, generation: number): Promise<boolean> {
  // Older builds cached the trails of all companies as one list.
  const oldList = await db.listStats.get(toListId(table, null))
  if (oldList) await evictList(db, oldList)
  await deleteTrailRecords(db, trail.companyId)
  return await transact(db, [...writtenTables], async () => {
    if (!(await canStore(db, generation))) return false
    await db.storedTrails.put({ ...trail, zone: '', next: trail.from, hidden: 0, asOf: null, note: null, key: null })
    await createTrailIndex(db, trail.companyId)
    return true
  })
}

export interface TrailPiece {
  companyId: number
  zone: string
  from: number
  entries: readonly StreamedEntry[]
  asOf: number
}

/** Returns false and stores nothing if the range was filled or deleted meanwhile, or the session has changed. */
export async function storeTrailPiece(db: UserDatabase, piece: TrailPiece, generation: number): Promise<boolean> {
  const { companyId, entries, from, asOf, zone } = piece
  return await transact(db, [...writtenTables], async () => {
    const storedTrail = await db.storedTrails.get(companyId)
    if (!storedTrail || storedTrail.next !== from || !(await canStore(db, generation))) return false
    const rows = entries.flatMap(({ row }) => (row ? [row] : []))
    await addIndexEntries(db, companyId, rows, asOf)
    await storeEntries(db, companyId, entries)
    const next = from + entries.length
    const hiddenCount = storedTrail.hidden + entries.length - rows.length
    const updatedTrail = { ...storedTrail, zone, next, hidden: hiddenCount, asOf, to: Math.max(storedTrail.to, next) }
    await db.storedTrails.put(updatedTrail)
    await updateTrailStats(
      db,
      updatedTrail,
      rows.reduce((sum, { leaf }) => sum + leaf.length, 0),
    )
    return true
  })
}

async function updateTrailStats(
  db: UserDatabase,
  { companyId, from, to, next, hidden: hiddenCount, asOf }: StoredTrail,
  addedBytes: number,
): Promise<void> {
  const id = getTrailListId(companyId)
  const stats = await db.listStats.get(id)
  const time = asOf ?? 0
  const bytes = (stats?.bytes ?? 0) + addedBytes
  await db.listStats.put({
    id,
    table,
    scope: companyId,
    rows: next - from - hiddenCount,
    bytes,
    asOf: stats?.asOf ?? time,
    latestAsOf: time,
  })
  if (next >= to) await db.syncPoints.put({ id, changeNumber: next, asOf: time, gaps: false })
}

function groupEntries(entries: readonly StreamedEntry[], width: number): Map<number, StreamedEntry[]> {
  const groups = new Map<number, StreamedEntry[]>()
  for (const entry of entries) {
    const groupIndex = Math.floor(entry.index / width)
    const group = groups.get(groupIndex) ?? []
    groups.set(groupIndex, group)
    group.push(entry)
  }
  return groups
}

async function storeEntries(db: UserDatabase, companyId: number, entries: readonly StreamedEntry[]): Promise<void> {
  const entriesByTile = groupEntries(entries, tileWidth)
  const indexes = [...entriesByTile.keys()]
  const entriesByBlock = groupEntries(entries, leavesPerBlock)
  const blocks = [...entriesByBlock.keys()]
  const [tiles, leaves, texts] = await Promise.all([
    getTiles(
      db,
      companyId,
      indexes.map((index) => ({ level: 0, index })),
    ),
    getLeaves(db, companyId, blocks),
    getTexts(db, companyId, indexes),
  ])
  const records = [...entriesByTile].flatMap(([index, group], i) => [
    mergeHashes(group, { companyId, index, storedTile: tiles[i] }),
    mergeTexts(group, { companyId, index, storedTexts: texts[i] }),
  ])
  const leafRecords = [...entriesByBlock].map(([index, group], i) =>
    mergeLeaves(group, { companyId, index, storedLeaves: leaves[i] }),
  )
  await db.storedTiles.bulkPut([...records, ...leafRecords])
}

function mergeHashes(
  group: readonly StreamedEntry[],
  { companyId, index, storedTile }: { companyId: number; index: number; storedTile: StoredTile | undefined },
): StoredTile {
  const firstIndex = (group[0]?.index ?? 0) % tileWidth
  // The stored hashes of a tile are one contiguous range. A piece that is not adjacent to that range replaces it.
  const isContinuation = storedTile && storedTile.from <= firstIndex && firstIndex <= storedTile.to
  const hashes = new Uint8Array(tileWidth * hashLength)
  if (isContinuation) hashes.set(storedTile.hashes)
  for (const { index: logIndex, hash } of group) hashes.set(hash, (logIndex % tileWidth) * hashLength)
  const to = firstIndex + group.length
  return {
    companyId,
    level: 0,
    index,
    hashes,
    from: isContinuation ? storedTile.from : firstIndex,
    to: isContinuation ? Math.max(storedTile.to, to) : to,
  }
}

function mergeLeaves(
  group: readonly StreamedEntry[],
  { companyId, index, storedLeaves }: { companyId: number; index: number; storedLeaves: StoredLeaves | undefined },
): StoredLeaves {
  const leaves = storedLeaves?.leaves.slice() ?? Array<string>(leavesPerBlock).fill('')
  for (const { index: logIndex, row } of group) leaves[logIndex % leavesPerBlock] = row?.leaf ?? ''
  return { companyId, level: -1, index, leaves }
}

function mergeTexts(
  group: readonly StreamedEntry[],
  { companyId, index, storedTexts }: { companyId: number; index: number; storedTexts: StoredTexts | undefined },
): StoredTexts {
  const texts = storedTexts?.texts.split(textTerminator).slice(0, tileWidth) ?? Array<string>(tileWidth).fill('')
  // A text that contains the terminator must not be read as two texts.
  for (const { index: logIndex, row } of group)
    texts[logIndex % tileWidth] = normaliseText(row?.search_text ?? '').replaceAll(textTerminator, ' ')
  return { companyId, level: -2, index, texts: texts.map((text) => text + textTerminator).join('') }
}

/** Stores hashes from the server, from the first of each tile on. They are added to the stored hashes and prove nothing by themselves. */
export async function storeTrailTiles(
  db: UserDatabase,
  companyId: number,
  tiles: readonly (TileName & { hashes: Uint8Array })[],
  generation: number,
): Promise<boolean> {
  return await transact(db, [...storedTrailTables, 'meta'], async () => {
    if (!(await db.storedTrails.get(companyId)) || !(await canStore(db, generation))) return false
    await db.storedTiles.bulkPut(
      tiles.map((tile) => ({ ...tile, companyId, from: 0, to: tile.hashes.length / hashLength })),
    )
    return true
  })
}

export async function storeTrailProof(
  db: UserDatabase,
  companyId: number,
  { note, key, asOf }: { note: string; key: string; asOf: number },
): Promise<void> {
  await db.storedTrails.where('companyId').equals(companyId).modify({ note, key, asOf })
}

/**
 * Runs on "Remove from this device", and before a new range is created. Keeps the latest checkpoint, because the next checkpoint must
 * extend it.
 */
export async function deleteTrailRecords(db: UserDatabase, companyId: number): Promise<void> {
  await deleteTrailChoice(db, companyId)
  await transact(db, [...writtenTables], async () => {
    await db.storedTrails.delete(companyId)
    await db.storedTiles.where('[companyId+level+index]').between([companyId], [companyId, []]).delete()
    await deleteTrailIndex(db, companyId)
  })
}
