/**
 * The rows of a long list that a filter means, tested bucket by bucket on the columns that it names: never on rows. All
 * of it inside one transaction over the index.
 */
import { Dexie } from 'dexie'
import type { ListSpec } from '#contract/endpoint.ts'
import { bucketName, bucketOf, columnName, idColumn } from '#local/list-index/buckets.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Bucket, BucketKey, Column, Value } from '#local/storage/cache-records.ts'
import { comparePlaces, type Condition, conditionsOf, type Filters, type Place } from '#local/list-query/query.ts'

export interface Question {
  list: ListSpec
  filters: Filters
  sort: ListSpec['sort']
}

/** What one bucket has of a column. */
export type Piece = Pick<Column, 'values' | 'codes'>

/** How a column of some buckets, given in the list's own order, comes here. */
export type ReadPieces = (name: string, buckets: readonly Bucket[]) => Promise<Piece[]>

/** Rows of a bucket: which of them the filter means. */
export interface Block {
  bucket: Bucket
  hits: number
  /** 1 for a row that is meant; null: all of them are. Made for those whose rows are wanted, not for being counted. */
  mask: () => Uint8Array | null
  /** One more column, where it was asked for. */
  beside: Piece | null
}

/** Every bucket that the filter can mean, in the list's own order. */
export const readBuckets = (db: UserDatabase, listId: string, { list, filters }: Question): Promise<Bucket[]> => {
  const [low, high] = rangeOf(list, filters)
  return db.buckets.where('[list+at]').between([listId, low], [listId, high], true, true).toArray()
}

/** The rows of these buckets tested. */
export async function testBlocks(
  read: ReadPieces,
  { list, filters }: Question,
  buckets: readonly Bucket[],
  beside: string | null,
): Promise<Block[]> {
  const conditions = conditionsOf(list, filters)
  const isOwn = (condition: Condition) => condition.isRange && condition.columns[0] === list.sort[0]
  const tested = conditions.filter((condition) => !isOwn(condition))
  const names = new Set([...tested.flatMap(namesOf), ...(beside === null ? [] : [beside])])
  const columns = new Map(await Promise.all([...names].map(async (name) => [name, await read(name, buckets)] as const)))
  const blocks = buckets.map((bucket, n): Block => {
    const columnOf = (name: string) => columns.get(name)?.[n] ?? nothing
    let known: Uint8Array | null | undefined
    const mask = () => {
      known ??= maskOf(tested, bucket.rows, columnOf)
      return known
    }
    const more = beside === null ? null : columnOf(beside)
    return { bucket, mask, hits: countOf(tested, columnOf) ?? hitsOf(mask(), bucket.rows), beside: more }
  })
  return await cutEdges(read, { list, blocks, conditions: conditions.filter(isOwn) })
}

const namesOf = ({ columns, folded }: Condition) => columns.map((column) => columnName(column, folded))

/** A range over the list's own order leaves out whole buckets: those are not even read. */
function rangeOf(list: ListSpec, filters: Filters): readonly [low: unknown, high: unknown] {
  const [field] = list.sort
  const kind = list.sorts[field] ?? 'number'
  let [low, high]: [unknown, unknown] = [Dexie.minKey, Dexie.maxKey]
  if (kind !== 'time') return [low, high]
  for (const [name, filter] of Object.entries(list.filters)) {
    const given = filters[name]
    if (!('column' in filter) || filter.column !== field || given === undefined || given === '') continue
    if (filter.kind === 'from') low = bucketOf(kind, given)
    // A month given alone takes in all of its days.
    if (filter.kind === 'until') high = `${String(bucketOf(kind, given))}\uffff`
  }
  return [low, high]
}

/** In buckets that a range does not take in whole, its rows are tested one by one. */
async function cutEdges(
  read: ReadPieces,
  { list, blocks, conditions }: { list: ListSpec; blocks: Block[]; conditions: Condition[] },
): Promise<Block[]> {
  if (conditions.length === 0) return blocks
  const name = columnName(list.sort[0], list.sorts[list.sort[0]] === 'text')
  const isTime = list.sorts[list.sort[0]] === 'time'
  // A condition that takes the first and the last moment of a day takes all between them.
  const isWhole = (at: BucketKey) =>
    isTime && conditions.every(({ accepts }) => typeof at === 'string' && accepts(at) && accepts(`${at}\uffff`))
  const edges = blocks.filter(({ bucket, hits }) => hits > 0 && !isWhole(bucket.at))
  if (edges.length === 0) return blocks
  const columns = await read(
    name,
    edges.map(({ bucket }) => bucket),
  )
  for (const [n, block] of edges.entries()) {
    const { rows } = block.bucket
    const mask = maskOf(conditions, rows, () => columns[n] ?? nothing) ?? new Uint8Array(rows).fill(1)
    const before = block.mask()
    if (before) for (let at = 0; at < rows; at++) mask[at] = (mask[at] as number) & (before[at] as number)
    block.mask = () => mask
    block.hits = hitsOf(mask, rows)
  }
  return blocks
}

/** Tested are the few values of each column, then each row by its code. Null: every row is meant. */
function maskOf(conditions: readonly Condition[], rows: number, columnOf: (name: string) => Piece): Uint8Array | null {
  let mask: Uint8Array | null = null
  for (const condition of conditions) {
    const fits = new Uint8Array(rows)
    for (const name of namesOf(condition)) {
      const { codes, values } = columnOf(name)
      const accepted = Uint8Array.from(values, (value) => (condition.accepts(value) ? 1 : 0))
      if (accepted.includes(1))
        for (let n = 0; n < rows; n++) fits[n] = (fits[n] as number) | (accepted[codes[n] as number] as number)
    }
    if (mask) for (let n = 0; n < rows; n++) fits[n] = (fits[n] as number) & (mask[n] as number)
    mask = fits
  }
  return mask
}

const counted = new WeakMap<Piece, Uint32Array>()

/** How many rows of a bucket have each of its values. */
export function countsOf(piece: Piece): Uint32Array {
  const known = counted.get(piece)
  if (known) return known
  const { codes, values } = piece
  const counts = new Uint32Array(values.length)
  for (let n = 0; n < codes.length; n++) counts[codes[n] as number] = (counts[codes[n] as number] as number) + 1
  counted.set(piece, counts)
  return counts
}

/** Where one column decides, its counts say how many rows are meant; null: its rows have to be tested. */
function countOf([condition, ...others]: readonly Condition[], columnOf: (name: string) => Piece): number | null {
  const [name, ...more] = condition ? namesOf(condition) : []
  if (!condition || name === undefined || more.length + others.length > 0) return null
  const piece = columnOf(name)
  return countsOf(piece).reduce((sum, count, n) => sum + (condition.accepts(piece.values[n]) ? count : 0), 0)
}

function hitsOf(mask: Uint8Array | null, rows: number): number {
  if (mask === null) return rows
  let hits = 0
  for (let n = 0; n < rows; n++) hits += mask[n] as number
  return hits
}

/** So many buckets are quicker read in one go, with those that lie between them, than one by one. */
const inOneGo = 8

/** From the database. */
export const piecesOf =
  (db: UserDatabase, list: string): ReadPieces =>
  async (name, buckets) => {
    const [first, last] = [buckets[0], buckets.at(-1)]
    if (!first || !last) return []
    if (buckets.length < inOneGo) {
      const columns = await db.columns.bulkGet(buckets.map(({ at }): [string, string, BucketKey] => [list, name, at]))
      return columns.map((column) => column ?? nothing)
    }
    const [low, high] = [first.at, last.at]
    const columns = await db.columns
      .where('[list+column+at]')
      .between([list, name, low], [list, name, high], true, true)
      .toArray()
    const byBucket = new Map(columns.map((column) => [bucketName(column.at), column]))
    return buckets.map(({ at }) => byBucket.get(bucketName(at)) ?? nothing)
  }

const nothing: Piece = { values: [], codes: new Uint8Array() }

/** Ids of the rows that the filter means and that stand between two places of the order, both left out. */
export async function findBetween(
  db: UserDatabase,
  list: string,
  question: Question,
  { after, before }: { after: Place | null; before: Place | null },
): Promise<number[]> {
  const [field, order] = question.sort
  const name = field === 'id' ? idColumn : columnName(field, question.list.sorts[field] === 'text')
  const read = piecesOf(db, list)
  const blocks = await testBlocks(read, question, await readBuckets(db, list, question), name)
  const compare = comparePlaces(order)
  const found: number[] = []
  for (const { bucket, hits, beside, ...block } of blocks) {
    if (hits === 0 || !beside) continue
    const mask = block.mask()
    const [ids = nothing] = name === idColumn ? [beside] : await read(idColumn, [bucket])
    for (const [n, id] of ids.codes.entries()) {
      if (mask?.[n] === 0) continue
      const value: Value = name === idColumn ? id : (beside.values[beside.codes[n] ?? 0] ?? null)
      const place = { value, id }
      if ((!after || compare(after, place) < 0) && (!before || compare(place, before) < 0)) found.push(id)
    }
  }
  return found
}
