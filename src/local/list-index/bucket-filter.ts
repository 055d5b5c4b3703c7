/** Finds matching rows bucket by bucket, without reading rows. Must run inside one transaction over the index. */
import { Dexie } from 'dexie'
import type { ListSpec } from '#contract/endpoint.ts'
import { toBucketName, getBucketKey, getColumnName, idColumn } from '#local/list-index/buckets.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { ListBucket, BucketKey, IndexColumn, IndexedValue } from '#local/storage/cache-records.ts'
import {
  createPositionComparer,
  type FilterCondition,
  buildConditions,
  type FilterValues,
  type ListPosition,
} from '#local/list-query/filter-and-order.ts'

export interface IndexQuery {
  list: ListSpec
  filters: FilterValues
  sort: ListSpec['sort']
}

export type ColumnPiece = Pick<IndexColumn, 'values' | 'codes'>

/** Reads one column of the given buckets, which must be in the list's own order. */
export type ReadColumnPieces = (name: string, buckets: readonly ListBucket[]) => Promise<ColumnPiece[]>

export interface TestedBucket {
  bucket: ListBucket
  hits: number
  /** Returns 1 for each row that matches, or null if all match. It is a function, because counting alone often needs no mask. */
  mask: () => Uint8Array | null
  extraColumn: ColumnPiece | null
}

export const readBuckets = (db: UserDatabase, listId: string, { list, filters }: IndexQuery): Promise<ListBucket[]> => {
  const [minKey, maxKey] = getBucketRange(list, filters)
  return db.buckets.where('[list+at]').between([listId, minKey], [listId, maxKey], true, true).toArray()
}

export async function testBuckets(
  readPieces: ReadColumnPieces,
  { list, filters }: IndexQuery,
  buckets: readonly ListBucket[],
  extraColumnName: string | null,
): Promise<TestedBucket[]> {
  const conditions = buildConditions(list, filters)
  const isOnListOrder = (condition: FilterCondition) => condition.isRange && condition.columns[0] === list.sort[0]
  const testedConditions = conditions.filter((condition) => !isOnListOrder(condition))
  const names = new Set([
    ...testedConditions.flatMap(getColumnNames),
    ...(extraColumnName === null ? [] : [extraColumnName]),
  ])
  const columns = new Map(
    await Promise.all([...names].map(async (name) => [name, await readPieces(name, buckets)] as const)),
  )
  const blocks = buckets.map((bucket, i): TestedBucket => {
    const getColumn = (name: string) => columns.get(name)?.[i] ?? emptyPiece
    let cachedMask: Uint8Array | null | undefined
    const mask = () => {
      cachedMask ??= createMask(testedConditions, bucket.rows, getColumn)
      return cachedMask
    }
    const extraColumn = extraColumnName === null ? null : getColumn(extraColumnName)
    return {
      bucket,
      mask,
      hits: countByColumn(testedConditions, getColumn) ?? countHits(mask(), bucket.rows),
      extraColumn,
    }
  })
  return await testEdgeBuckets(readPieces, { list, blocks, conditions: conditions.filter(isOnListOrder) })
}

const getColumnNames = ({ columns, usesNormalisedText }: FilterCondition) =>
  columns.map((column) => getColumnName(column, usesNormalisedText))

/** Returns the range of buckets that a time filter over the list's own order can match. Other buckets are not read. */
function getBucketRange(list: ListSpec, filters: FilterValues): readonly [low: unknown, high: unknown] {
  const [field] = list.sort
  const kind = list.sorts[field] ?? 'number'
  let [minKey, maxKey]: [unknown, unknown] = [Dexie.minKey, Dexie.maxKey]
  if (kind !== 'time') return [minKey, maxKey]
  for (const [name, filter] of Object.entries(list.filters)) {
    const filterValue = filters[name]
    if (!('column' in filter) || filter.column !== field || filterValue === undefined || filterValue === '') continue
    if (filter.kind === 'from') minKey = getBucketKey(kind, filterValue)
    if (filter.kind === 'until') maxKey = `${String(getBucketKey(kind, filterValue))}\uffff`
  }
  return [minKey, maxKey]
}

/** Tests single rows only in buckets that the range does not cover completely. */
async function testEdgeBuckets(
  readPieces: ReadColumnPieces,
  { list, blocks, conditions }: { list: ListSpec; blocks: TestedBucket[]; conditions: FilterCondition[] },
): Promise<TestedBucket[]> {
  if (conditions.length === 0) return blocks
  const name = getColumnName(list.sort[0], list.sorts[list.sort[0]] === 'text')
  const isTime = list.sorts[list.sort[0]] === 'time'
  // A condition that accepts the first and the last moment of a day accepts all moments between them.
  const isFullyAccepted = (bucketKey: BucketKey) =>
    isTime &&
    conditions.every(
      ({ isAccepted }) => typeof bucketKey === 'string' && isAccepted(bucketKey) && isAccepted(`${bucketKey}\uffff`),
    )
  const edgeBlocks = blocks.filter(({ bucket, hits }) => hits > 0 && !isFullyAccepted(bucket.at))
  if (edgeBlocks.length === 0) return blocks
  const columns = await readPieces(
    name,
    edgeBlocks.map(({ bucket }) => bucket),
  )
  for (const [i, block] of edgeBlocks.entries()) {
    const { rows } = block.bucket
    const mask = createMask(conditions, rows, () => columns[i] ?? emptyPiece) ?? new Uint8Array(rows).fill(1)
    const previousMask = block.mask()
    if (previousMask)
      for (let rowIndex = 0; rowIndex < rows; rowIndex++)
        mask[rowIndex] = (mask[rowIndex] as number) & (previousMask[rowIndex] as number)
    block.mask = () => mask
    block.hits = countHits(mask, rows)
  }
  return blocks
}

/** Tests the few values of each column, then each row by its code. Returns null if there are no conditions, so that every row matches. */
function createMask(
  conditions: readonly FilterCondition[],
  rows: number,
  getColumn: (name: string) => ColumnPiece,
): Uint8Array | null {
  let mask: Uint8Array | null = null
  for (const condition of conditions) {
    const conditionMask = new Uint8Array(rows)
    for (const name of getColumnNames(condition)) {
      const { codes, values } = getColumn(name)
      const acceptedCodes = Uint8Array.from(values, (value) => (condition.isAccepted(value) ? 1 : 0))
      if (acceptedCodes.includes(1))
        for (let i = 0; i < rows; i++)
          conditionMask[i] = (conditionMask[i] as number) | (acceptedCodes[codes[i] as number] as number)
    }
    if (mask) for (let i = 0; i < rows; i++) conditionMask[i] = (conditionMask[i] as number) & (mask[i] as number)
    mask = conditionMask
  }
  return mask
}

const countsByPiece = new WeakMap<ColumnPiece, Uint32Array>()

export function countValues(piece: ColumnPiece): Uint32Array {
  const cachedCounts = countsByPiece.get(piece)
  if (cachedCounts) return cachedCounts
  const { codes, values } = piece
  const counts = new Uint32Array(values.length)
  for (let i = 0; i < codes.length; i++) counts[codes[i] as number] = (counts[codes[i] as number] as number) + 1
  countsByPiece.set(piece, counts)
  return counts
}

/**
 * If there is one condition on one column, returns the number of matches from the column's counts. Otherwise returns null: the rows must be
 * tested.
 */
function countByColumn(
  [condition, ...otherConditions]: readonly FilterCondition[],
  getColumn: (name: string) => ColumnPiece,
): number | null {
  const [name, ...otherNames] = condition ? getColumnNames(condition) : []
  if (!condition || name === undefined || otherNames.length + otherConditions.length > 0) return null
  const piece = getColumn(name)
  return countValues(piece).reduce((sum, count, i) => sum + (condition.isAccepted(piece.values[i]) ? count : 0), 0)
}

function countHits(mask: Uint8Array | null, rows: number): number {
  if (mask === null) return rows
  let hits = 0
  for (let i = 0; i < rows; i++) hits += mask[i] as number
  return hits
}

/** Minimum number of buckets for one range read. From this number on it is faster than single reads, even with the buckets in between. */
const minBucketsReadAtOnce = 8

export const createPieceReader =
  (db: UserDatabase, list: string): ReadColumnPieces =>
  async (name, buckets) => {
    const [firstBucket, lastBucket] = [buckets[0], buckets.at(-1)]
    if (!firstBucket || !lastBucket) return []
    if (buckets.length < minBucketsReadAtOnce) {
      const columns = await db.columns.bulkGet(buckets.map(({ at }): [string, string, BucketKey] => [list, name, at]))
      return columns.map((column) => column ?? emptyPiece)
    }
    const [minKey, maxKey] = [firstBucket.at, lastBucket.at]
    const columns = await db.columns
      .where('[list+column+at]')
      .between([list, name, minKey], [list, name, maxKey], true, true)
      .toArray()
    const columnsByBucket = new Map(columns.map((column) => [toBucketName(column.at), column]))
    return buckets.map(({ at }) => columnsByBucket.get(toBucketName(at)) ?? emptyPiece)
  }

const emptyPiece: ColumnPiece = { values: [], codes: new Uint8Array() }

export async function findIdsBetween(
  db: UserDatabase,
  list: string,
  query: IndexQuery,
  { afterPosition, beforePosition }: { afterPosition: ListPosition | null; beforePosition: ListPosition | null },
): Promise<number[]> {
  const [field, order] = query.sort
  const name = field === 'id' ? idColumn : getColumnName(field, query.list.sorts[field] === 'text')
  const readPieces = createPieceReader(db, list)
  const blocks = await testBuckets(readPieces, query, await readBuckets(db, list, query), name)
  const compare = createPositionComparer(order)
  const isBetween = (position: ListPosition) =>
    (!afterPosition || compare(afterPosition, position) < 0) &&
    (!beforePosition || compare(position, beforePosition) < 0)
  const matchingIds: number[] = []
  for (const { bucket, hits, extraColumn, ...block } of blocks) {
    if (hits === 0 || !extraColumn) continue
    const mask = block.mask()
    const [ids = emptyPiece] = name === idColumn ? [extraColumn] : await readPieces(idColumn, [bucket])
    for (const [i, id] of ids.codes.entries()) {
      if (mask?.[i] === 0) continue
      const value: IndexedValue = name === idColumn ? id : (extraColumn.values[extraColumn.codes[i] ?? 0] ?? null)
      if (isBetween({ value, id })) matchingIds.push(id)
    }
  }
  return matchingIds
}
