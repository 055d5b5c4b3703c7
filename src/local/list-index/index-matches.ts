/** Reads windows and exact counts of a long list from its index: only columns of the query and ids, no rows. */
import {
  type TestedBucket,
  countValues,
  type ColumnPiece,
  type IndexQuery,
  type ReadColumnPieces,
  readBuckets,
  testBuckets,
} from '#local/list-index/bucket-filter.ts'
import { getColumnName, idColumn } from '#local/list-index/buckets.ts'
import { createCachedReader, getColumnRanks } from '#local/list-index/column-cache.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { ListBucket, BucketKey } from '#local/storage/cache-records.ts'
import type { ColumnRanks } from '#local/list-index/column-ranks.ts'

export interface IndexMatches {
  count: number
  ids: (firstIndex: number, length: number) => Promise<number[]>
}

type SortOrder = 'asc' | 'desc'

interface RowWindow {
  firstIndex: number
  length: number
  order: SortOrder
}

/** Must run inside a transaction over the index. `buckets` are those of the query, if they are already read. */
export async function findIndexMatches(
  db: UserDatabase,
  listId: string,
  query: IndexQuery,
  buckets?: readonly ListBucket[],
): Promise<IndexMatches> {
  const { list, sort } = query
  const [field, order] = sort
  const readPieces = createCachedReader(db, listId)
  const isListOrder = field === list.sort[0]
  const name = isListOrder ? null : field === 'id' ? idColumn : getColumnName(field, list.sorts[field] === 'text')
  const blocks = await testBuckets(readPieces, query, buckets ?? (await readBuckets(db, listId, query)), name)
  return {
    count: blocks.reduce((sum, { hits }) => sum + hits, 0),
    async ids(firstIndex, length) {
      const window = { firstIndex, length, order }
      if (name === null) return await readInListOrder(readPieces, blocks, window)
      if (name !== idColumn) return await readInOtherOrder(readPieces, getColumnRanks(db, listId, name), blocks, window)
      return cutWindow(
        collectIds(blocks, new Map(blocks.map((block) => [block, block.extraColumn ?? undefined]))),
        window,
      )
    },
  }
}

/** Returns the buckets in the requested order. Those without a value come last in both orders. */
function orderBlocks(blocks: readonly TestedBucket[], order: SortOrder): readonly TestedBucket[] {
  if (order === 'asc') return blocks
  const valuedBlocks = blocks.filter(({ bucket }) => !isValueless(bucket.at))
  return [...valuedBlocks.reverse(), ...blocks.filter(({ bucket }) => isValueless(bucket.at))]
}

const isValueless = (bucketKey: BucketKey) => Array.isArray(bucketKey)

/**
 * Yields the items (values or buckets) that overlap the window. `from` and `to` are the part of the item's rows inside the window (`to` is
 * exclusive).
 */
function* splitWindow<T>(items: Iterable<T>, countItem: (item: T) => number, { firstIndex, length }: RowWindow) {
  let passedCount = 0
  for (const item of items) {
    const count = countItem(item)
    const from = Math.max(0, firstIndex - passedCount)
    const to = Math.min(count, firstIndex + length - passedCount)
    if (from < to) yield { item, from, to }
    passedCount += count
    if (passedCount >= firstIndex + length) return
  }
}

type IdsByBlock = ReadonlyMap<TestedBucket, ColumnPiece | undefined>

/** `blocks` must be in the list's own order. */
async function readIds(readPieces: ReadColumnPieces, blocks: readonly TestedBucket[]): Promise<IdsByBlock> {
  const pieces = await readPieces(
    idColumn,
    blocks.map(({ bucket }) => bucket),
  )
  return new Map(blocks.map((block, i) => [block, pieces[i]]))
}

async function readInListOrder(
  readPieces: ReadColumnPieces,
  blocks: readonly TestedBucket[],
  window: RowWindow,
): Promise<number[]> {
  const { order } = window
  const parts = [...splitWindow(orderBlocks(blocks, order), ({ hits }) => hits, window)]
  const windowBlocks = new Set(parts.map(({ item: block }) => block))
  const ids = await readIds(
    readPieces,
    blocks.filter((block) => windowBlocks.has(block)),
  )
  return parts.flatMap(({ item: block, from, to }) => {
    const blockIds = collectIds([block], ids)
    return [...(order === 'asc' ? blockIds : blockIds.reverse()).subarray(from, to)]
  })
}

/** Reads a window of another sort order: finds the values in the window by their counts, then sorts the rows of these values by id. */
async function readInOtherOrder(
  readPieces: ReadColumnPieces,
  ranks: ColumnRanks,
  blocks: readonly TestedBucket[],
  window: RowWindow,
): Promise<number[]> {
  const { order } = window
  const counts = countByCode(ranks, blocks)
  const parts = [...splitWindow(ranks.getSortedCodes(order), (code) => counts[code] ?? 0, window)]
  const idListByCode = new Map(
    parts.map(({ item: code }) => [code, { ids: new Float64Array(counts[code] ?? 0), length: 0 }]),
  )
  const windowBlocks = blocks.filter(
    ({ extraColumn }) => extraColumn && ranks.getCodes(extraColumn).some((code) => idListByCode.has(code)),
  )
  for (const [block, piece] of await readIds(readPieces, windowBlocks)) distributeIds(idListByCode, ranks, block, piece)
  return parts.flatMap(({ item: code, from, to }) =>
    cutWindow(idListByCode.get(code)?.ids ?? new Float64Array(), { firstIndex: from, length: to - from, order }),
  )
}

function distributeIds(
  idListByCode: ReadonlyMap<number, { ids: Float64Array; length: number }>,
  ranks: ColumnRanks,
  { hits, extraColumn, ...block }: TestedBucket,
  ids: ColumnPiece | undefined,
): void {
  if (!extraColumn || !ids || hits === 0) return
  const mask = block.mask()
  const idListByPosition = Array.from(ranks.getCodes(extraColumn), (code) => idListByCode.get(code))
  for (let i = 0; i < ids.codes.length; i++) {
    const idList = mask === null || mask[i] === 1 ? idListByPosition[extraColumn.codes[i] as number] : undefined
    if (!idList) continue
    idList.ids[idList.length] = ids.codes[i] as number
    idList.length += 1
  }
}

function countByCode(ranks: ColumnRanks, blocks: readonly TestedBucket[]): Float64Array {
  const countedBlocks = blocks.flatMap(({ hits, mask, extraColumn }) =>
    extraColumn && hits > 0 ? [{ mask: mask(), extraColumn, codes: ranks.getCodes(extraColumn) }] : [],
  )
  const counts = new Float64Array(ranks.count())
  for (const { mask, extraColumn, codes } of countedBlocks) {
    const bucketCounts = mask === null ? countValues(extraColumn) : countMasked(extraColumn, mask)
    for (let i = 0; i < bucketCounts.length; i++) {
      const code = codes[i] as number
      counts[code] = (counts[code] as number) + (bucketCounts[i] as number)
    }
  }
  return counts
}

function countMasked({ codes, values }: ColumnPiece, mask: Uint8Array): Uint32Array {
  const counts = new Uint32Array(values.length)
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number
    counts[code] = (counts[code] as number) + (mask[i] as number)
  }
  return counts
}

function collectIds(blocks: readonly TestedBucket[], ids: IdsByBlock): Float64Array {
  const collectedIds = new Float64Array(blocks.reduce((sum, { hits }) => sum + hits, 0))
  let length = 0
  for (const block of blocks) {
    if (block.hits === 0) continue
    const mask = block.mask()
    const { codes } = ids.get(block) ?? { codes: [] }
    for (let i = 0; i < codes.length; i++) {
      if (mask !== null && mask[i] === 0) continue
      collectedIds[length] = codes[i] as number
      length += 1
    }
  }
  return collectedIds.subarray(0, length)
}

function cutWindow(ids: Float64Array, { firstIndex, length, order }: RowWindow): number[] {
  if (order === 'asc') return [...selectSorted(ids, firstIndex, firstIndex + length)]
  const endIndex = ids.length - firstIndex
  return [...selectSorted(ids, Math.max(0, endIndex - length), Math.max(0, endIndex))].reverse()
}

const stretchCount = 1_024

/**
 * Returns the ids from one position of the sorted order to another. Counts the ids in each numeric interval first, so that only the
 * intervals of the window are sorted. Ids that are already sorted, as for rows created one after another, are not sorted again.
 */
function selectSorted(ids: Float64Array, from: number, to: number): Float64Array {
  if (ids.every((id, i) => i === 0 || (ids[i - 1] as number) <= id)) return ids.slice(from, to)
  const [minId, maxId] = ids.reduce(([min, max], id) => [Math.min(min, id), Math.max(max, id)], [Infinity, -Infinity])
  const width = (maxId - minId) / stretchCount + 1
  const getStretch = (id: number) => Math.floor((id - minId) / width)
  const counts = new Uint32Array(stretchCount)
  for (const id of ids) counts[getStretch(id)] = (counts[getStretch(id)] as number) + 1
  let passedCount = 0
  let skippedCount = 0
  const includedStretches = Array.from(counts, (count) => {
    const isBefore = passedCount + count <= from
    if (isBefore) skippedCount += count
    passedCount += count
    return !isBefore && passedCount - count < to
  })
  return ids
    .filter((id) => includedStretches[getStretch(id)])
    .sort()
    .slice(from - skippedCount, to - skippedCount)
}
