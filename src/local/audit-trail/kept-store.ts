/**
 * Keeps a range of a company's audit trail: begun once, filled piece by piece, each piece in one transaction with the place that
 * comes next, so that a fill that was cut anywhere goes on from there. Leaves lie 32 in a record, and are found by the index of long lists: a record for each entry would take many times as long to write and to read.
 */
import { hashBytes } from '#domain/audit-log/hash.ts'
import type { StreamedEntry } from '#domain/audit-log/leaf-stream.ts'
import { type TileName, tileWidth } from '#domain/audit-log/tiles.ts'
import { foldText } from '#domain/text.ts'
import { forgetChoice } from '#local/storage/trail-choices.ts'
import { addEntries, beginIndex, endIndex, keptIndex, listId } from '#local/audit-trail/kept-index.ts'
import { getLeaves, getTexts, getTiles, leafBlock, textEnd } from '#local/audit-trail/kept-tiles.ts'
import type { KeptLeaves, KeptTexts, KeptTile, KeptTrail } from '#local/storage/trail-records.ts'
import { fillId } from '#local/storage/list-ids.ts'
import { mayStore } from '#local/session/session-generation.ts'
import { besideRows, type UserDatabase } from '#local/storage/database.ts'
import { evict } from '#local/storage/eviction.ts'
import { transact } from '#local/storage/transaction.ts'

const { table } = keptIndex
const writing = [...besideRows, 'keptTrails', 'keptTiles', 'meta'] as const

export type NewKeep = Pick<
  KeptTrail,
  'companyId' | 'dateFrom' | 'dateTo' | 'keep' | 'from' | 'to' | 'follows' | 'bytes'
>

/** In place of what was kept of that company before. False: the session has moved on. */
export async function beginKeep(db: UserDatabase, wanted: NewKeep, generation: number): Promise<boolean> {
  // Older builds cached the trails of all companies as one list.
  const old = await db.listStats.get(fillId(table, null))
  if (old) await evict(db, old)
  await removeKept(db, wanted.companyId)
  return await transact(db, [...writing], async () => {
    if (!(await mayStore(db, generation))) return false
    await db.keptTrails.put({
      ...wanted,
      zone: '',
      next: wanted.from,
      hidden: 0,
      asOf: null,
      note: null,
      key: null,
    })
    await beginIndex(db, wanted.companyId)
    return true
  })
}

export interface Piece {
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
export async function storePiece(db: UserDatabase, piece: Piece, generation: number): Promise<boolean> {
  const { companyId, entries, from, asOf, zone } = piece
  return await transact(db, [...writing], async () => {
    const kept = await db.keptTrails.get(companyId)
    if (!kept || kept.next !== from || !(await mayStore(db, generation))) return false
    const rows = entries.flatMap(({ row }) => (row ? [row] : []))
    await addEntries(db, companyId, rows, asOf)
    await putTiles(db, companyId, entries)
    const next = from + entries.length
    const hidden = kept.hidden + entries.length - rows.length
    const now = { ...kept, zone, next, hidden, asOf, to: Math.max(kept.to, next) }
    await db.keptTrails.put(now)
    await countKept(
      db,
      now,
      rows.reduce((sum, { leaf }) => sum + leaf.length, 0),
    )
    return true
  })
}

/** As the page about this device shows it among the cached lists. */
async function countKept(
  db: UserDatabase,
  { companyId, from, to, next, hidden, asOf }: KeptTrail,
  added: number,
): Promise<void> {
  const id = listId(companyId)
  const known = await db.listStats.get(id)
  const time = asOf ?? 0
  const bytes = (known?.bytes ?? 0) + added
  await db.listStats.put({
    id,
    table,
    scope: companyId,
    rows: next - from - hidden,
    bytes,
    asOf: known?.asOf ?? time,
    newest: time,
  })
  if (next >= to) await db.syncPoints.put({ id, upto: next, asOf: time, gaps: false })
}

function grouped(entries: readonly StreamedEntry[], width: number): Map<number, StreamedEntry[]> {
  const groups = new Map<number, StreamedEntry[]>()
  for (const entry of entries) {
    const at = Math.floor(entry.index / width)
    const own = groups.get(at) ?? []
    groups.set(at, own)
    own.push(entry)
  }
  return groups
}

async function putTiles(db: UserDatabase, companyId: number, entries: readonly StreamedEntry[]): Promise<void> {
  const byTile = grouped(entries, tileWidth)
  const indexes = [...byTile.keys()]
  const byBlock = grouped(entries, leafBlock)
  const blocks = [...byBlock.keys()]
  const [tiles, leaves, texts] = await Promise.all([
    getTiles(
      db,
      companyId,
      indexes.map((index) => ({ level: 0, index })),
    ),
    getLeaves(db, companyId, blocks),
    getTexts(db, companyId, indexes),
  ])
  const records = [...byTile].flatMap(([index, own], at) => [
    hashesWith(own, { companyId, index, known: tiles[at] }),
    textsWith(own, { companyId, index, known: texts[at] }),
  ])
  const more = [...byBlock].map(([index, own], at) => leavesWith(own, { companyId, index, known: leaves[at] }))
  await db.keptTiles.bulkPut([...records, ...more])
}

function hashesWith(
  own: readonly StreamedEntry[],
  { companyId, index, known }: { companyId: number; index: number; known: KeptTile | undefined },
): KeptTile {
  const first = (own[0]?.index ?? 0) % tileWidth
  // What is known of a tile is one stretch: what does not touch it begins anew.
  const goesOn = known && known.from <= first && first <= known.to
  const hashes = new Uint8Array(tileWidth * hashBytes)
  if (goesOn) hashes.set(known.hashes)
  for (const { index: place, hash } of own) hashes.set(hash, (place % tileWidth) * hashBytes)
  const to = first + own.length
  return {
    companyId,
    level: 0,
    index,
    hashes,
    from: goesOn ? known.from : first,
    to: goesOn ? Math.max(known.to, to) : to,
  }
}

function leavesWith(
  own: readonly StreamedEntry[],
  { companyId, index, known }: { companyId: number; index: number; known: KeptLeaves | undefined },
): KeptLeaves {
  const leaves = known?.leaves.slice() ?? Array<string>(leafBlock).fill('')
  for (const { index: place, row } of own) leaves[place % leafBlock] = row?.leaf ?? ''
  return { companyId, level: -1, index, leaves }
}

function textsWith(
  own: readonly StreamedEntry[],
  { companyId, index, known }: { companyId: number; index: number; known: KeptTexts | undefined },
): KeptTexts {
  const texts = known?.texts.split(textEnd).slice(0, tileWidth) ?? Array<string>(tileWidth).fill('')
  // A text that has the sign itself must not pass for two.
  for (const { index: place, row } of own)
    texts[place % tileWidth] = foldText(row?.search_text ?? '').replaceAll(textEnd, ' ')
  return { companyId, level: -2, index, texts: texts.map((text) => text + textEnd).join('') }
}

/** Hashes that the server gave, from the first of the tile on. They stand beside kept ones, and prove nothing by themselves. */
export async function storeTiles(
  db: UserDatabase,
  companyId: number,
  tiles: readonly (TileName & { hashes: Uint8Array })[],
  generation: number,
): Promise<boolean> {
  return await transact(db, ['keptTrails', 'keptTiles', 'meta'], async () => {
    if (!(await db.keptTrails.get(companyId)) || !(await mayStore(db, generation))) return false
    await db.keptTiles.bulkPut(
      tiles.map(({ level, index, hashes }) => ({
        companyId,
        level,
        index,
        hashes,
        from: 0,
        to: hashes.length / hashBytes,
      })),
    )
    return true
  })
}

/** The range was proven by this checkpoint. */
export async function noteProven(
  db: UserDatabase,
  companyId: number,
  { note, key, asOf }: { note: string; key: string; asOf: number },
): Promise<void> {
  await db.keptTrails.where('companyId').equals(companyId).modify({ note, key, asOf })
}

/** "Remove from this device". The newest checkpoint stays: the next one must go on from it. */
export async function removeKept(db: UserDatabase, companyId: number): Promise<void> {
  await forgetChoice(db, companyId)
  await transact(db, [...writing], async () => {
    await db.keptTrails.delete(companyId)
    await db.keptTiles.where('[companyId+level+index]').between([companyId], [companyId, []]).delete()
    await endIndex(db, companyId)
  })
}
