/**
 * Windows of a long list by its buckets: how many rows a filter means, exactly, and which stand in one window of an order.
 * Reads the columns that the question names and the ids of the buckets that the window lies in, no row at all.
 */
import {
  type Block,
  countsOf,
  type Piece,
  type Question,
  type ReadPieces,
  readBuckets,
  testBlocks,
} from '#local/list-index/bucket-filter.ts'
import { columnName, idColumn } from '#local/list-index/buckets.ts'
import { copiesOf, ranksOf } from '#local/list-index/column-cache.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Bucket, BucketKey } from '#local/storage/cache-records.ts'
import type { Ranks } from '#local/list-index/sort-keys.ts'

/** What a filter means in one list, before a window of it is chosen. */
export interface Found {
  count: number
  /** Ids of the rows from place `first` on, in order. */
  ids: (first: number, length: number) => Promise<number[]>
}

type Order = 'asc' | 'desc'

interface Window {
  first: number
  length: number
  order: Order
}

/** Inside a transaction over the index. `buckets`: those of the question, where they are read already. */
export async function find(
  db: UserDatabase,
  listId: string,
  question: Question,
  buckets?: readonly Bucket[],
): Promise<Found> {
  const { list, sort } = question
  const [field, order] = sort
  const read = copiesOf(db, listId)
  const isAlong = field === list.sort[0]
  const name = isAlong ? null : field === 'id' ? idColumn : columnName(field, list.sorts[field] === 'text')
  const blocks = await testBlocks(read, question, buckets ?? (await readBuckets(db, listId, question)), name)
  return {
    count: blocks.reduce((sum, { hits }) => sum + hits, 0),
    async ids(first, length) {
      const window = { first, length, order }
      if (name === null) return await readAlong(read, blocks, window)
      if (name !== idColumn) return await readAcross(read, ranksOf(db, listId, name), blocks, window)
      return cut(gather(blocks, new Map(blocks.map((block) => [block, block.beside ?? undefined]))), window)
    },
  }
}

/** Buckets in the order asked for; what has no value comes last both ways. */
function inOrder(blocks: readonly Block[], order: Order): readonly Block[] {
  if (order === 'asc') return blocks
  const valued = blocks.filter(({ bucket }) => !isValueless(bucket.at))
  return [...valued.reverse(), ...blocks.filter(({ bucket }) => isValueless(bucket.at))]
}

const isValueless = (at: BucketKey) => Array.isArray(at)

/** Those of the window's values, or buckets, that it lies in: how much of each comes before it, and where it ends there. */
function* partsOf<T>(all: Iterable<T>, countOf: (one: T) => number, { first, length }: Window) {
  let before = 0
  for (const one of all) {
    const count = countOf(one)
    const from = Math.max(0, first - before)
    const to = Math.min(count, first + length - before)
    if (from < to) yield { one, from, to }
    before += count
    if (before >= first + length) return
  }
}

type Ids = ReadonlyMap<Block, Piece | undefined>

/** Of blocks in the list's own order. */
async function readIds(read: ReadPieces, blocks: readonly Block[]): Promise<Ids> {
  const pieces = await read(
    idColumn,
    blocks.map(({ bucket }) => bucket),
  )
  return new Map(blocks.map((block, n) => [block, pieces[n]]))
}

/** A window of the list's own order: found by counting buckets, then rows of those that it lies in. */
async function readAlong(read: ReadPieces, blocks: readonly Block[], window: Window): Promise<number[]> {
  const { order } = window
  const parts = [...partsOf(inOrder(blocks, order), ({ hits }) => hits, window)]
  const chosen = new Set(parts.map(({ one }) => one))
  const ids = await readIds(
    read,
    blocks.filter((block) => chosen.has(block)),
  )
  return parts.flatMap(({ one, from, to }) => {
    const own = gather([one], ids)
    return [...(order === 'asc' ? own : own.reverse()).subarray(from, to)]
  })
}

/** A window of another order: the values that it lies in by their counts, then the rows of those values by id. */
async function readAcross(read: ReadPieces, ranks: Ranks, blocks: readonly Block[], window: Window): Promise<number[]> {
  const { order } = window
  const counts = tally(ranks, blocks)
  const parts = [...partsOf(ranks.inOrder(order), (code) => counts[code] ?? 0, window)]
  const stacks = new Map(parts.map(({ one }) => [one, { ids: new Float64Array(counts[one] ?? 0), length: 0 }]))
  const own = blocks.filter(({ beside }) => beside && ranks.codesOf(beside).some((code) => stacks.has(code)))
  for (const [block, piece] of await readIds(read, own)) deal(stacks, ranks, block, piece)
  return parts.flatMap(({ one, from, to }) =>
    cut(stacks.get(one)?.ids ?? new Float64Array(), { first: from, length: to - from, order }),
  )
}

/** Puts the ids of a bucket's rows that are meant where the others of the same value are. */
function deal(
  stacks: ReadonlyMap<number, { ids: Float64Array; length: number }>,
  ranks: Ranks,
  { hits, beside, ...block }: Block,
  ids: Piece | undefined,
): void {
  if (!beside || !ids || hits === 0) return
  const mask = block.mask()
  const stackOf = Array.from(ranks.codesOf(beside), (code) => stacks.get(code))
  for (let n = 0; n < ids.codes.length; n++) {
    const stack = mask === null || mask[n] === 1 ? stackOf[beside.codes[n] as number] : undefined
    if (!stack) continue
    stack.ids[stack.length] = ids.codes[n] as number
    stack.length += 1
  }
}

/** How many of the rows that are meant have each value, by its code. */
function tally(ranks: Ranks, blocks: readonly Block[]): Float64Array {
  const own = blocks.flatMap(({ hits, mask, beside }) =>
    beside && hits > 0 ? [{ mask: mask(), beside, places: ranks.codesOf(beside) }] : [],
  )
  const counts = new Float64Array(ranks.count())
  for (const { mask, beside, places } of own) {
    const here = mask === null ? countsOf(beside) : countMeant(beside, mask)
    for (let n = 0; n < here.length; n++) {
      const place = places[n] as number
      counts[place] = (counts[place] as number) + (here[n] as number)
    }
  }
  return counts
}

function countMeant({ codes, values }: Piece, mask: Uint8Array): Uint32Array {
  const counts = new Uint32Array(values.length)
  for (let n = 0; n < codes.length; n++) {
    const code = codes[n] as number
    counts[code] = (counts[code] as number) + (mask[n] as number)
  }
  return counts
}

/** Ids of the rows that are meant, bucket by bucket. */
function gather(blocks: readonly Block[], ids: Ids): Float64Array {
  const found = new Float64Array(blocks.reduce((sum, { hits }) => sum + hits, 0))
  let length = 0
  for (const block of blocks) {
    if (block.hits === 0) continue
    const mask = block.mask()
    const { codes } = ids.get(block) ?? { codes: [] }
    for (let n = 0; n < codes.length; n++) {
      if (mask !== null && mask[n] === 0) continue
      found[length] = codes[n] as number
      length += 1
    }
  }
  return found.subarray(0, length)
}

/** A window of these ids in order. */
function cut(ids: Float64Array, { first, length, order }: Window): number[] {
  if (order === 'asc') return [...smallest(ids, first, first + length)]
  const last = ids.length - first
  return [...smallest(ids, Math.max(0, last - length), Math.max(0, last))].reverse()
}

const stretches = 1_024

/**
 * Those from one place of the order to another. How many lie in each stretch of numbers tells which stretches they are
 * in, so that no others are put in order; what is in order already, as rows are that came one after the other, is not.
 */
function smallest(ids: Float64Array, from: number, to: number): Float64Array {
  if (ids.every((id, n) => n === 0 || (ids[n - 1] as number) <= id)) return ids.slice(from, to)
  const [least, most] = ids.reduce(([low, high], id) => [Math.min(low, id), Math.max(high, id)], [Infinity, -Infinity])
  const width = (most - least) / stretches + 1
  const stretchOf = (id: number) => Math.floor((id - least) / width)
  const counts = new Uint32Array(stretches)
  for (const id of ids) counts[stretchOf(id)] = (counts[stretchOf(id)] as number) + 1
  let before = 0
  let skipped = 0
  const isIn = Array.from(counts, (count) => {
    const isBefore = before + count <= from
    if (isBefore) skipped += count
    before += count
    return !isBefore && before - count < to
  })
  return ids
    .filter((id) => isIn[stretchOf(id)])
    .sort()
    .slice(from - skipped, to - skipped)
}
