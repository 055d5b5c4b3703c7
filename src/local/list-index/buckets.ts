/**
 * The index of a list of many rows, kept with the rows in their own transactions: the list in its own order, cut into
 * buckets (a UTC day, the first letters), each bucket column by column. A page and its exact count are read from the
 * few columns that the filter names, never from rows. What is indexed follows from `fills`; no list has code of its own.
 */
import type { ListSpec } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { ListBucket, BucketKey, IndexColumn, StoredRow, IndexedValue } from '#local/storage/cache-records.ts'
import { createPositionComparer, type ListPosition, getColumnValue } from '#local/list-query/filter-and-order.ts'

/** Of every bucket: the ids of its rows, which no dictionary would make smaller. */
export const idColumn = '#'

/** A column as it stands in a bucket; folded text stands beside the text itself. */
export const getColumnName = (column: string, usesNormalisedText: boolean) =>
  usesNormalisedText ? `~${column}` : column

interface ColumnSource {
  name: string
  column: string
  usesNormalisedText: boolean
}

/** What a bucket holds of each row: what the list is sorted by and what its filters look at. */
export interface IndexLayout {
  sources: ColumnSource[]
  /** The one that the list's own order is by. */
  orderColumnIndex: number
  kind: ListSpec['sorts'][string]
}

export function getIndexLayout(list: ListSpec): IndexLayout {
  const sources = new Map<string, ColumnSource>()
  const add = (column: string, usesNormalisedText: boolean) => {
    const name = getColumnName(column, usesNormalisedText)
    sources.set(name, { name, column, usesNormalisedText })
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
  const allSources = [...sources.values()]
  return {
    sources: allSources,
    orderColumnIndex: allSources.findIndex(({ name }) => name === getColumnName(field, kind === 'text')),
    kind,
  }
}

/** One row as the index sees it, its values in the layout's order. */
interface IndexedRow {
  id: number
  values: IndexedValue[]
}

function toIndexedRow({ sources }: IndexLayout, { id, row, folds: normalisedTexts }: StoredRow): IndexedRow {
  return {
    id,
    values: sources.map(
      ({ column, usesNormalisedText }) =>
        (usesNormalisedText ? normalisedTexts[column] : getColumnValue(row, column)) ?? null,
    ),
  }
}

/** Ids that lie together in one bucket of a list ordered by number. */
const idsPerBucket = 1024
const encoder = new TextEncoder()

/** Buckets stand in the order of the rows in them, whichever they are. */
export function getBucketKey(kind: IndexLayout['kind'], value: IndexedValue): BucketKey {
  if (value === null) return []
  if (kind === 'time') return String(value).slice(0, 10)
  if (kind === 'text') return getFirstLetters(String(value))
  return Math.floor(Number(value) / idsPerBucket)
}

/** The same for equal keys only, as bytes are equal only to themselves. */
export const toBucketName = (bucketKey: BucketKey): string => `${typeof bucketKey}${String(bucketKey)}`

/** A Latin letter, or some sixty neighbouring signs of other scripts; led by one sign, as no bytes at all are no key. */
function getFirstLetters(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(`.${text.slice(0, 2)}`)
  return bytes.slice(0, (bytes[1] ?? 0) < 0x80 ? 2 : 3)
}

/** Takes rows out of the index and puts rows into it. Rows it does not have are not missed. Inside a transaction. */
export async function updateIndexRows(
  db: UserDatabase,
  list: string,
  layout: IndexLayout,
  { removedRows, addedRows }: { removedRows: readonly StoredRow[]; addedRows: readonly StoredRow[] },
): Promise<void> {
  const changes = [...groupByBucket(layout, removedRows, addedRows).values()]
  const columnCount = layout.sources.length + 1
  const keys = changes.flatMap(({ bucketKey }) => buildColumnKeys(list, layout, bucketKey))
  const storedColumns = await db.columns.bulkGet(keys)
  const columns: IndexColumn[] = []
  const buckets: ListBucket[] = []
  const emptyBuckets: BucketKey[] = []
  for (const [i, change] of changes.entries()) {
    const rows = applyChange(layout, storedColumns.slice(i * columnCount, (i + 1) * columnCount), change)
    if (rows.length === 0) emptyBuckets.push(change.bucketKey)
    else columns.push(...toColumns(list, change.bucketKey, layout, rows))
    if (rows.length > 0) buckets.push({ list, at: change.bucketKey, rows: rows.length, stamp: crypto.randomUUID() })
  }
  if (buckets.length > 0) {
    await db.columns.bulkPut(columns)
    await db.buckets.bulkPut(buckets)
  }
  if (emptyBuckets.length === 0) return
  await db.columns.bulkDelete(emptyBuckets.flatMap((bucketKey) => buildColumnKeys(list, layout, bucketKey)))
  await db.buckets.bulkDelete(emptyBuckets.map((bucketKey): [string, BucketKey] => [list, bucketKey]))
}

/** Keys of all columns of a bucket, the ids first. */
const buildColumnKeys = (list: string, { sources }: IndexLayout, bucketKey: BucketKey) =>
  [idColumn, ...sources.map(({ name }) => name)].map((name): [string, string, BucketKey] => [list, name, bucketKey])

interface BucketChange {
  bucketKey: BucketKey
  removedIds: Set<number>
  addedRows: IndexedRow[]
}

function groupByBucket(
  layout: IndexLayout,
  removedRows: readonly StoredRow[],
  addedRows: readonly StoredRow[],
): Map<string, BucketChange> {
  const changes = new Map<string, BucketChange>()
  const getChange = (row: IndexedRow) => {
    const bucketKey = getBucketKey(layout.kind, row.values[layout.orderColumnIndex] ?? null)
    const name = toBucketName(bucketKey)
    const change = changes.get(name) ?? { bucketKey, removedIds: new Set<number>(), addedRows: [] }
    changes.set(name, change)
    return change
  }
  for (const row of removedRows) getChange(toIndexedRow(layout, row)).removedIds.add(row.id)
  for (const row of addedRows) {
    const indexedRow = toIndexedRow(layout, row)
    const change = getChange(indexedRow)
    // Put twice, it stands once.
    change.removedIds.add(row.id)
    change.addedRows.push(indexedRow)
  }
  return changes
}

/** A bucket's rows after a move, in the list's own order. */
function applyChange(
  { orderColumnIndex }: IndexLayout,
  columns: (IndexColumn | undefined)[],
  { removedIds, addedRows }: BucketChange,
): IndexedRow[] {
  const remainingRows = toIndexedRows(columns).filter(({ id }) => !removedIds.has(id))
  const compare = createPositionComparer('asc')
  const getPosition = ({ id, values }: IndexedRow): ListPosition => ({ value: values[orderColumnIndex] ?? null, id })
  const sortedRows = addedRows.toSorted((a, b) => compare(getPosition(a), getPosition(b)))
  const [lastRemaining, firstAdded] = [remainingRows.at(-1), sortedRows[0]]
  // The usual case: what happened later comes later.
  if (!lastRemaining || !firstAdded || compare(getPosition(lastRemaining), getPosition(firstAdded)) < 0)
    return [...remainingRows, ...sortedRows]
  return [...remainingRows, ...sortedRows].sort((a, b) => compare(getPosition(a), getPosition(b)))
}

function toIndexedRows([ids, ...columns]: (IndexColumn | undefined)[]): IndexedRow[] {
  return Array.from(ids?.codes ?? [], (id, index) => ({
    id,
    values: columns.map((column) => column?.values[column.codes[index] ?? 0] ?? null),
  }))
}

function toColumns(
  list: string,
  bucketKey: BucketKey,
  { sources }: IndexLayout,
  rows: readonly IndexedRow[],
): IndexColumn[] {
  const ids = rows.map(({ id }) => id)
  const isWide = ids.some((id) => id > 0xffffffff)
  return [
    {
      list,
      column: idColumn,
      at: bucketKey,
      values: [],
      codes: isWide ? Float64Array.from(ids) : Uint32Array.from(ids),
    },
    ...sources.map(({ name }, i) => ({
      list,
      column: name,
      at: bucketKey,
      ...encodeColumn(rows.map(({ values }) => values[i] ?? null)),
    })),
  ]
}

function encodeColumn(columnValues: readonly IndexedValue[]): Pick<IndexColumn, 'values' | 'codes'> {
  const codeByValue = new Map<IndexedValue, number>()
  const codes = columnValues.map((value) => {
    const code = codeByValue.get(value) ?? codeByValue.size
    codeByValue.set(value, code)
    return code
  })
  const values = [...codeByValue.keys()]
  const arrayType = values.length <= 0x100 ? Uint8Array : values.length <= 0x10000 ? Uint16Array : Uint32Array
  return { values, codes: arrayType.from(codes) }
}

/**
 * Whether a bucket says what its rows say: those of one stored row, compared column by column (protocol 37). What it
 * costs does not grow with the list. Inside a transaction.
 */
export async function isIndexCorrect(
  db: UserDatabase,
  list: string,
  layout: IndexLayout,
  sample: StoredRow,
): Promise<boolean> {
  const bucketKey = getBucketKey(layout.kind, toIndexedRow(layout, sample).values[layout.orderColumnIndex] ?? null)
  const indexedRows = toIndexedRows(await db.columns.bulkGet(buildColumnKeys(list, layout, bucketKey)))
  const bucket = await db.buckets.get([list, bucketKey])
  const storedRows =
    (await db.table<StoredRow, number>(getTableName(list)).bulkGet(indexedRows.map(({ id }) => id))) ?? []
  const isSame = (indexedRow: IndexedRow, row: StoredRow | undefined) =>
    row !== undefined && JSON.stringify(toIndexedRow(layout, row)) === JSON.stringify(indexedRow)
  return (
    bucket?.rows === indexedRows.length &&
    indexedRows.some(({ id }) => id === sample.id) &&
    indexedRows.every((indexedRow, i) => isSame(indexedRow, storedRows[i]))
  )
}

const getTableName = (list: string) => list.slice(0, list.indexOf('|'))
