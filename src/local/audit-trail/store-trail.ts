/**
 * Keeps a range of a company's audit trail: begun once, filled piece by piece, each piece in one transaction with the place that
 * comes next, so that a fill that was cut anywhere goes on from there. Leaves lie 32 in a record, and are found by the index of long lists: a record for each entry would take many times as long to write and to read.
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

/** In place of what was kept of that company before. False: the session has moved on. */
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

/**
 * Stores entries from place `from` on. False, with nothing stored: something else was stored there meanwhile, the range was taken
 * away, or the session has moved on.
 */
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

/** As the page about this device shows it among the cached lists. */
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
  // What is known of a tile is one stretch: what does not touch it begins anew.
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
  // A text that has the sign itself must not pass for two.
  for (const { index: logIndex, row } of group)
    texts[logIndex % tileWidth] = normaliseText(row?.search_text ?? '').replaceAll(textTerminator, ' ')
  return { companyId, level: -2, index, texts: texts.map((text) => text + textTerminator).join('') }
}

/** Hashes that the server gave, from the first of the tile on. They stand beside kept ones, and prove nothing by themselves. */
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

/** The range was proven by this checkpoint. */
export async function storeTrailProof(
  db: UserDatabase,
  companyId: number,
  { note, key, asOf }: { note: string; key: string; asOf: number },
): Promise<void> {
  await db.storedTrails.where('companyId').equals(companyId).modify({ note, key, asOf })
}

/** "Remove from this device". The newest checkpoint stays: the next one must go on from it. */
export async function deleteTrailRecords(db: UserDatabase, companyId: number): Promise<void> {
  await deleteTrailChoice(db, companyId)
  await transact(db, [...writtenTables], async () => {
    await db.storedTrails.delete(companyId)
    await db.storedTiles.where('[companyId+level+index]').between([companyId], [companyId, []]).delete()
    await deleteTrailIndex(db, companyId)
  })
}
