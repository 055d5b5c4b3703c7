/**
 * The index of a list of many rows, kept with the rows in their own transactions: the list in its own order, cut into
 * buckets (a UTC day, the first letters), each bucket column by column. A page and its exact count are read from the
 * few columns that the filter names, never from rows. What is indexed follows from `fills`; no list has code of its own.
 */
import type { ListSpec } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Bucket, BucketKey, Column, StoredRow, Value } from '#local/storage/cache-records.ts'
import { comparePlaces, type Place, valueOf } from '#local/list-query/query.ts'

/** Of every bucket: the ids of its rows, which no dictionary would make smaller. */
export const idColumn = '#'

/** A column as it stands in a bucket; folded text stands beside the text itself. */
export const columnName = (column: string, folded: boolean) => (folded ? `~${column}` : column)

interface Source {
  name: string
  column: string
  folded: boolean
}

/** What a bucket holds of each row: what the list is sorted by and what its filters look at. */
export interface Layout {
  sources: Source[]
  /** The one that the list's own order is by. */
  order: number
  kind: ListSpec['sorts'][string]
}

export function layoutOf(list: ListSpec): Layout {
  const sources = new Map<string, Source>()
  const add = (column: string, folded: boolean) => {
    const name = columnName(column, folded)
    sources.set(name, { name, column, folded })
  }
  for (const [column, kind] of Object.entries(list.sorts)) if (column !== 'id') add(column, kind === 'text')
  for (const filter of Object.values(list.filters)) {
    for (const column of filter.kind === 'contains' ? filter.columns : [filter.column])
      add(column, filter.kind === 'contains')
    if (filter.kind === 'equal' && filter.or) add(filter.or.column, false)
  }
  const [field] = list.sort
  const kind = list.sorts[field] ?? 'number'
  if (field === 'id') add(field, false)
  const all = [...sources.values()]
  return { sources: all, order: all.findIndex(({ name }) => name === columnName(field, kind === 'text')), kind }
}

/** One row as the index sees it, its values in the layout's order. */
interface Line {
  id: number
  values: Value[]
}

function lineOf({ sources }: Layout, { id, row, folds }: StoredRow): Line {
  return {
    id,
    values: sources.map(({ column, folded }) => (folded ? folds[column] : valueOf(row, column)) ?? null),
  }
}

/** Ids that lie together in one bucket of a list ordered by number. */
const idsPerBucket = 1024
const encoder = new TextEncoder()

/** Buckets stand in the order of the rows in them, whichever they are. */
export function bucketOf(kind: Layout['kind'], value: Value): BucketKey {
  if (value === null) return []
  if (kind === 'time') return String(value).slice(0, 10)
  if (kind === 'text') return lettersOf(String(value))
  return Math.floor(Number(value) / idsPerBucket)
}

/** The same for equal keys only, as bytes are equal only to themselves. */
export const bucketName = (at: BucketKey): string => `${typeof at}${String(at)}`

/** A Latin letter, or some sixty neighbouring signs of other scripts; led by one sign, as no bytes at all are no key. */
function lettersOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(`.${text.slice(0, 2)}`)
  return bytes.slice(0, (bytes[1] ?? 0) < 0x80 ? 2 : 3)
}

/** Takes rows out of the index and puts rows into it. Rows it does not have are not missed. Inside a transaction. */
export async function moveRows(
  db: UserDatabase,
  list: string,
  layout: Layout,
  { gone, come }: { gone: readonly StoredRow[]; come: readonly StoredRow[] },
): Promise<void> {
  const moves = [...byBucket(layout, gone, come).values()]
  const names = [idColumn, ...layout.sources.map(({ name }) => name)]
  const keys = moves.flatMap(({ at }) => names.map((name): [string, string, BucketKey] => [list, name, at]))
  const found = await db.columns.bulkGet(keys)
  const columns: Column[] = []
  const buckets: Bucket[] = []
  const empty: BucketKey[] = []
  for (const [n, move] of moves.entries()) {
    const lines = moved(layout, found.slice(n * names.length, (n + 1) * names.length), move)
    if (lines.length === 0) empty.push(move.at)
    else columns.push(...toColumns(list, move.at, layout, lines))
    if (lines.length > 0) buckets.push({ list, at: move.at, rows: lines.length, stamp: crypto.randomUUID() })
  }
  if (buckets.length > 0) {
    await db.columns.bulkPut(columns)
    await db.buckets.bulkPut(buckets)
  }
  if (empty.length === 0) return
  await db.columns.bulkDelete(empty.flatMap((at) => names.map((name): [string, string, BucketKey] => [list, name, at])))
  await db.buckets.bulkDelete(empty.map((at): [string, BucketKey] => [list, at]))
}

interface Move {
  at: BucketKey
  gone: Set<number>
  come: Line[]
}

function byBucket(layout: Layout, gone: readonly StoredRow[], come: readonly StoredRow[]): Map<string, Move> {
  const moves = new Map<string, Move>()
  const moveOf = (line: Line) => {
    const at = bucketOf(layout.kind, line.values[layout.order] ?? null)
    const name = bucketName(at)
    const known = moves.get(name) ?? { at, gone: new Set<number>(), come: [] }
    moves.set(name, known)
    return known
  }
  for (const row of gone) moveOf(lineOf(layout, row)).gone.add(row.id)
  for (const row of come) {
    const line = lineOf(layout, row)
    const move = moveOf(line)
    // Put twice, it stands once.
    move.gone.add(row.id)
    move.come.push(line)
  }
  return moves
}

/** A bucket's rows after a move, in the list's own order. */
function moved({ order }: Layout, found: (Column | undefined)[], { gone, come }: Move): Line[] {
  const stayed = linesOf(found).filter(({ id }) => !gone.has(id))
  const compare = comparePlaces('asc')
  const place = ({ id, values }: Line): Place => ({ value: values[order] ?? null, id })
  const after = come.toSorted((a, b) => compare(place(a), place(b)))
  const [last, first] = [stayed.at(-1), after[0]]
  // The usual case: what happened later comes later.
  if (!last || !first || compare(place(last), place(first)) < 0) return [...stayed, ...after]
  return [...stayed, ...after].sort((a, b) => compare(place(a), place(b)))
}

function linesOf([ids, ...columns]: (Column | undefined)[]): Line[] {
  return Array.from(ids?.codes ?? [], (id, at) => ({
    id,
    values: columns.map((column) => column?.values[column.codes[at] ?? 0] ?? null),
  }))
}

function toColumns(list: string, at: BucketKey, { sources }: Layout, lines: readonly Line[]): Column[] {
  const ids = lines.map(({ id }) => id)
  const wide = ids.some((id) => id > 0xffffffff)
  return [
    { list, column: idColumn, at, values: [], codes: wide ? Float64Array.from(ids) : Uint32Array.from(ids) },
    ...sources.map(({ name }, n) => ({
      list,
      column: name,
      at,
      ...encoded(lines.map(({ values }) => values[n] ?? null)),
    })),
  ]
}

function encoded(all: readonly Value[]): Pick<Column, 'values' | 'codes'> {
  const places = new Map<Value, number>()
  const codes = all.map((value) => {
    const place = places.get(value) ?? places.size
    places.set(value, place)
    return place
  })
  const values = [...places.keys()]
  const narrow = values.length <= 0x100 ? Uint8Array : values.length <= 0x10000 ? Uint16Array : Uint32Array
  return { values, codes: narrow.from(codes) }
}

/**
 * Whether a bucket says what its rows say: those of one stored row, compared column by column (protocol 37). What it
 * costs does not grow with the list. Inside a transaction.
 */
export async function isTrueOf(db: UserDatabase, list: string, layout: Layout, sample: StoredRow): Promise<boolean> {
  const at = bucketOf(layout.kind, lineOf(layout, sample).values[layout.order] ?? null)
  const names = [idColumn, ...layout.sources.map(({ name }) => name)]
  const found = await db.columns.bulkGet(names.map((name): [string, string, BucketKey] => [list, name, at]))
  const lines = linesOf(found)
  const bucket = await db.buckets.get([list, at])
  const rows = (await db.table<StoredRow, number>(tableOf(list)).bulkGet(lines.map(({ id }) => id))) ?? []
  const isSame = (line: Line, row: StoredRow | undefined) =>
    row !== undefined && JSON.stringify(lineOf(layout, row)) === JSON.stringify(line)
  return (
    bucket?.rows === lines.length &&
    lines.some(({ id }) => id === sample.id) &&
    lines.every((line, n) => isSame(line, rows[n]))
  )
}

const tableOf = (list: string) => list.slice(0, list.indexOf('|'))
