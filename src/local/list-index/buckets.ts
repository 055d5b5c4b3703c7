/**
 * The index of a long list, updated in the transactions that write its rows. The list is cut in its own order into buckets (a UTC day, the
 * first letters), and each bucket is stored by column. A page and its exact count are read from the few columns of the filter, never from
 * rows. What is indexed follows from the list's `ListSpec`; no list has code of its own.
 */
import type { ListSpec } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { ListBucket, BucketKey, IndexColumn, StoredRow, IndexedValue } from '#local/storage/cache-records.ts'
import { createPositionComparer, type ListPosition, getColumnValue } from '#local/list-query/filter-and-order.ts'

/** Column of row ids in every bucket. It has no dictionary, which would not make it smaller. */
export const idColumn = '#'

export const getColumnName = (column: string, usesNormalisedText: boolean) =>
  usesNormalisedText ? `~${column}` : column

interface ColumnSource {
  name: string
  column: string
  usesNormalisedText: boolean
}

export interface IndexLayout {
  sources: ColumnSource[]
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

/** Number of ids per bucket in a list ordered by number. */
const idsPerBucket = 1024
const encoder = new TextEncoder()

export function getBucketKey(kind: IndexLayout['kind'], value: IndexedValue): BucketKey {
  if (value === null) return []
  if (kind === 'time') return String(value).slice(0, 10)
  if (kind === 'text') return getFirstLetters(String(value))
  return Math.floor(Number(value) / idsPerBucket)
}

/** Converts a key to a string, because two equal byte arrays are not the same map key. */
export const toBucketName = (bucketKey: BucketKey): string => `${typeof bucketKey}${String(bucketKey)}`

/**
 * Returns the bucket key of a text: a prefix, because an empty key is invalid, and the first one or two bytes. So a bucket has the texts of
 * one Latin letter, or of about 60 characters of another script.
 */
function getFirstLetters(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(`.${text.slice(0, 2)}`)
  return bytes.slice(0, (bytes[1] ?? 0) < 0x80 ? 2 : 3)
}

/** Removes rows from the index and adds rows. Ignores removed rows that are not in the index. Must run inside a transaction. */
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
    change.removedIds.add(row.id)
    change.addedRows.push(indexedRow)
  }
  return changes
}

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
  // The usual case: new rows belong after the existing ones.
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
 * Checks the index by one row: returns true if the row's bucket has this row, and all rows of the bucket are equal to the stored rows
 * (protocol 37). The cost does not depend on the length of the list. Needs a transaction.
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
