/**
 * Reads a list of many rows by its buckets: how many rows a filter means, exactly, and which stand in one window of an
 * order. Reads the columns that the question names and the ids of the buckets that the window lies in, no row at all.
 */
import { Dexie } from 'dexie'
import type { Fills } from '#contract/endpoint.ts'
import { bucketName, bucketOf, columnName, idColumn } from '#local/buckets.ts'
import type { UserDatabase } from '#local/database.ts'
import type { BucketKey, Column, Value } from '#local/kept.ts'
import { comparePlaces, type Condition, conditionsOf, type Filters, type Place } from '#local/query.ts'

export interface Question {
  fills: Fills
  filters: Filters
  sort: Fills['sort']
}

/** What a filter means in one list, before a window of it is chosen. */
export interface Found {
  count: number
  /** Ids of the rows from place `first` on, in order. */
  ids: (first: number, length: number) => Promise<number[]>
}

/** Rows of a bucket: which of them the filter means. */
interface Block {
  at: BucketKey
  hits: number
  /** 1 for a row that is meant; null: all of them are. */
  mask: Uint8Array | null
  /** The column that is sorted by, where it is not the list's own order. */
  sorted: Column | null
}

type Order = 'asc' | 'desc'

/** Inside a transaction over the index. */
export async function find(db: UserDatabase, list: string, question: Question): Promise<Found> {
  const { fills, sort } = question
  const [field, order] = sort
  if (field === fills.sort[0]) {
    const blocks = inOrder(await readBlocks(db, list, question, null), order)
    return { count: total(blocks), ids: (first, length) => readAlong(db, list, blocks, { first, length, order }) }
  }
  const name = field === 'id' ? idColumn : columnName(field, fills.sorts[field] === 'text')
  const blocks = await readBlocks(db, list, question, name)
  return {
    count: total(blocks),
    ids: (first, length) =>
      field === 'id'
        ? Promise.resolve(
            cut(
              sortIds(
                blocks.map((block) => idsOf(block, block.sorted)),
                order,
              ),
              first,
              length,
            ),
          )
        : readAcross(db, list, blocks, { first, length, order }),
  }
}

const total = (blocks: readonly Block[]) => blocks.reduce((sum, { hits }) => sum + hits, 0)

const cut = (ids: ArrayLike<number>, first: number, length: number): number[] =>
  Array.prototype.slice.call(ids, first, first + length)

/** Ids of the rows that the filter means and that stand between two places of the order, both left out. */
export async function findBetween(
  db: UserDatabase,
  list: string,
  question: Question,
  { after, before }: { after: Place | null; before: Place | null },
): Promise<number[]> {
  const [field, order] = question.sort
  const name = field === 'id' ? idColumn : columnName(field, question.fills.sorts[field] === 'text')
  const blocks = await readBlocks(db, list, question, name)
  const compare = comparePlaces(order)
  const found: number[] = []
  for (const { at, hits, mask, sorted } of blocks) {
    if (hits === 0 || !sorted) continue
    const ids = name === idColumn ? sorted : await readColumn(db, list, idColumn, at)
    for (const [n, id] of (ids?.codes ?? []).entries()) {
      if (mask?.[n] === 0) continue
      const place = { value: valueAt(sorted, n), id }
      if ((!after || compare(after, place) < 0) && (!before || compare(place, before) < 0)) found.push(id)
    }
  }
  return found
}

const valueAt = (column: Column, n: number): Value =>
  column.column === idColumn ? (column.codes[n] ?? null) : (column.values[column.codes[n] ?? 0] ?? null)

/** Buckets in the order asked for; what has no value comes last both ways. */
function inOrder(blocks: Block[], order: Order): Block[] {
  if (order === 'asc') return blocks
  const valued = blocks.filter(({ at }) => !isValueless(at))
  return [...valued.reverse(), ...blocks.filter(({ at }) => isValueless(at))]
}

const isValueless = (at: BucketKey) => Array.isArray(at)

interface Window {
  first: number
  length: number
  order: Order
}

/** A window of the list's own order: found by counting buckets, then rows of those that it lies in. */
async function readAlong(db: UserDatabase, list: string, blocks: Block[], window: Window): Promise<number[]> {
  const { first, length, order } = window
  const parts: { block: Block; from: number; to: number }[] = []
  let before = 0
  for (const block of blocks) {
    const from = Math.max(0, first - before)
    const to = Math.min(block.hits, first + length - before)
    if (from < to) parts.push({ block, from, to })
    before += block.hits
    if (before >= first + length) break
  }
  const columns = await db.columns.bulkGet(
    parts.map(({ block }): [string, string, BucketKey] => [list, idColumn, block.at]),
  )
  return parts.flatMap(({ block, from, to }, n) => {
    const ids = idsOf(block, columns[n] ?? null)
    return order === 'asc' ? ids.slice(from, to) : ids.reverse().slice(from, to)
  })
}

/** A window of another order: the values that it lies in by their counts, then the rows of those values by id. */
async function readAcross(db: UserDatabase, list: string, blocks: Block[], window: Window): Promise<number[]> {
  const { first, length, order } = window
  const compare = comparePlaces(order)
  const counts = tally(blocks)
  const values = [...counts.keys()].sort((a, b) => compare({ value: a, id: 0 }, { value: b, id: 0 }))
  const found: number[] = []
  let before = 0
  for (const value of values) {
    const count = counts.get(value) ?? 0
    const from = Math.max(0, first - before)
    const to = Math.min(count, first + length - before)
    if (from < to) found.push(...cut(await idsWith(db, list, blocks, { value, order }), from, to - from))
    before += count
    if (before >= first + length) break
  }
  return found
}

function tally(blocks: readonly Block[]): Map<Value, number> {
  const counts = new Map<Value, number>()
  for (const { mask, sorted } of blocks) {
    if (!sorted) continue
    const { codes, values } = sorted
    const own = new Uint32Array(values.length)
    for (let n = 0; n < codes.length; n++) {
      const code = codes[n] as number
      if (mask === null || mask[n] === 1) own[code] = (own[code] as number) + 1
    }
    for (const [code, count] of own.entries()) {
      if (count > 0) counts.set(values[code] ?? null, (counts.get(values[code] ?? null) ?? 0) + count)
    }
  }
  return counts
}

async function idsWith(
  db: UserDatabase,
  list: string,
  blocks: readonly Block[],
  { value, order }: { value: Value; order: Order },
): Promise<ArrayLike<number>> {
  const own = blocks.filter(({ hits, sorted }) => hits > 0 && sorted?.values.includes(value))
  const ids = await readColumns(db, list, idColumn, own)
  const parts = own.map(({ mask, sorted }, n) => {
    const code = sorted?.values.indexOf(value)
    const found: number[] = []
    const { codes } = ids[n] ?? { codes: [] }
    for (let at = 0; at < codes.length; at++)
      if (sorted?.codes[at] === code && (mask === null || mask[at] === 1)) found.push(codes[at] as number)
    return found
  })
  return sortIds(parts, order)
}

function sortIds(parts: readonly number[][], order: Order): ArrayLike<number> {
  const ids = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    ids.set(part, at)
    at += part.length
  }
  ids.sort()
  return order === 'asc' ? ids : ids.reverse()
}

function idsOf({ mask }: Block, ids: Column | null): number[] {
  const all = ids?.codes ?? []
  const found: number[] = []
  for (let n = 0; n < all.length; n++) if (mask === null || mask[n] === 1) found.push(all[n] as number)
  return found
}

type Range = readonly [low: unknown, high: unknown]

/** Every bucket that the filter can mean, in the list's own order, with its rows tested. */
async function readBlocks(
  db: UserDatabase,
  list: string,
  { fills, filters }: Question,
  sorted: string | null,
): Promise<Block[]> {
  const conditions = conditionsOf(fills, filters)
  const range = rangeOf(fills, filters)
  const isOwn = (condition: Condition) => condition.isRange && condition.columns[0] === fills.sort[0]
  const tested = conditions.filter((condition) => !isOwn(condition))
  const names = new Set([...tested.flatMap(namesOf), ...(sorted === null ? [] : [sorted])])
  const read = await Promise.all(
    [...names].map(async (name) => [name, await readRange(db, list, name, range)] as const),
  )
  const columns = new Map(read)
  const all =
    read[0]?.[1] ??
    (await db.buckets.where('[list+at]').between([list, range[0]], [list, range[1]], true, true).toArray())
  const blocks = all.map((one, n): Block => {
    const rows = 'rows' in one ? one.rows : one.codes.length
    const mask = maskOf(tested, rows, (name) => columns.get(name)?.[n])
    return {
      at: one.at,
      mask,
      hits: hitsOf(mask, rows),
      sorted: sorted === null ? null : (columns.get(sorted)?.[n] ?? null),
    }
  })
  return await cutEdges(db, list, { fills, blocks, conditions: conditions.filter(isOwn) })
}

const namesOf = ({ columns, folded }: Condition) => columns.map((column) => columnName(column, folded))

/** A range over the list's own order leaves out whole buckets: those are not even read. */
function rangeOf(fills: Fills, filters: Filters): Range {
  const [field] = fills.sort
  const kind = fills.sorts[field] ?? 'number'
  let [low, high]: [unknown, unknown] = [Dexie.minKey, Dexie.maxKey]
  if (kind !== 'time') return [low, high]
  for (const [name, filter] of Object.entries(fills.filters)) {
    const given = filters[name]
    if (!('column' in filter) || filter.column !== field || given === undefined || given === '') continue
    if (filter.is === 'from') low = bucketOf(kind, given)
    // A month given alone takes in all of its days.
    if (filter.is === 'until') high = `${String(bucketOf(kind, given))}\uffff`
  }
  return [low, high]
}

/** In buckets that a range does not take in whole, its rows are tested one by one. */
async function cutEdges(
  db: UserDatabase,
  list: string,
  { fills, blocks, conditions }: { fills: Fills; blocks: Block[]; conditions: Condition[] },
): Promise<Block[]> {
  if (conditions.length === 0) return blocks
  const name = columnName(fills.sort[0], fills.sorts[fills.sort[0]] === 'text')
  const isTime = fills.sorts[fills.sort[0]] === 'time'
  // A condition that takes the first and the last moment of a day takes all between them.
  const isWhole = (at: BucketKey) =>
    isTime && conditions.every(({ accepts }) => typeof at === 'string' && accepts(at) && accepts(`${at}\uffff`))
  const edges = blocks.filter(({ at, hits }) => hits > 0 && !isWhole(at))
  const columns = await readColumns(db, list, name, edges)
  for (const [n, block] of edges.entries()) {
    const column = columns[n]
    const rows = column?.codes.length ?? 0
    const mask = maskOf(conditions, rows, () => column) ?? new Uint8Array(rows).fill(1)
    if (block.mask) for (let at = 0; at < rows; at++) mask[at] = (mask[at] as number) & (block.mask[at] as number)
    block.mask = mask
    block.hits = hitsOf(mask, rows)
  }
  return blocks
}

/** Tested are the few values of each column, then each row by its code. Null: every row is meant. */
function maskOf(
  conditions: readonly Condition[],
  rows: number,
  columnOf: (name: string) => Column | undefined,
): Uint8Array | null {
  let mask: Uint8Array | null = null
  for (const condition of conditions) {
    const fits = new Uint8Array(rows)
    for (const name of namesOf(condition)) {
      const { codes, values } = columnOf(name) ?? { codes: [], values: [] }
      const accepted = Uint8Array.from(values, (value) => (condition.accepts(value) ? 1 : 0))
      if (accepted.includes(1))
        for (let n = 0; n < rows; n++) fits[n] = (fits[n] as number) | (accepted[codes[n] as number] as number)
    }
    if (mask) for (let n = 0; n < rows; n++) fits[n] = (fits[n] as number) & (mask[n] as number)
    mask = fits
  }
  return mask
}

function hitsOf(mask: Uint8Array | null, rows: number): number {
  if (mask === null) return rows
  let hits = 0
  for (let n = 0; n < rows; n++) hits += mask[n] as number
  return hits
}

const readRange = (db: UserDatabase, list: string, name: string, [low, high]: Range) =>
  db.columns.where('[list+column+at]').between([list, name, low], [list, name, high], true, true).toArray()

const readColumn = (db: UserDatabase, list: string, name: string, at: BucketKey) => db.columns.get([list, name, at])

/** So many buckets are quicker read in one go, with those that lie between them, than one by one. */
const inOneGo = 8

/** One column of some buckets, given in the list's own order. */
async function readColumns(
  db: UserDatabase,
  list: string,
  name: string,
  blocks: readonly Block[],
): Promise<(Column | undefined)[]> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last || blocks.length < inOneGo)
    return await db.columns.bulkGet(blocks.map(({ at }): [string, string, BucketKey] => [list, name, at]))
  const columns = await readRange(db, list, name, [first.at, last.at])
  const byBucket = new Map(columns.map((column) => [bucketName(column.at), column]))
  return blocks.map(({ at }) => byBucket.get(bucketName(at)))
}
