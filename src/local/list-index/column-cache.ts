/**
 * Caches columns of long lists in memory, so that the next query need not read them again. A cached column is valid only while its bucket
 * has the same stamp: every writer of a bucket (this tab, another tab, the worker) gives it a new stamp in the same transaction. The size
 * is limited per page or worker; the least recently used columns are evicted first.
 */
import { type ColumnPiece, createPieceReader, type ReadColumnPieces } from '#local/list-index/bucket-filter.ts'
import { toBucketName } from '#local/list-index/buckets.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { ListBucket } from '#local/storage/cache-records.ts'
import { createColumnRanks, type ColumnRanks } from '#local/list-index/column-ranks.ts'

/** Maximum size of the cached columns, in bytes. All columns of a list of 100,000 rows take about 3 MB. */
export const maxCachedBytes = 6_000_000

interface CachedPiece {
  stamp: string
  piece: ColumnPiece
}

interface CachedColumn {
  piecesByBucket: Map<string, CachedPiece>
  bytes: number
  /** Number of values in all buckets. If `ranks` has more than this, some of its values no longer exist. */
  values: number
  ranks: ColumnRanks
}

const columnsByName = new Map<string, CachedColumn>()

const buildColumnKey = (db: UserDatabase, list: string, column: string) => `${db.name} ${list} ${column}`
const createCachedColumn = (): CachedColumn => ({
  piecesByBucket: new Map(),
  bytes: 0,
  values: 0,
  ranks: createColumnRanks(),
})

/** Reads the columns that are not cached. The buckets must have been read in the same transaction. */
export const createCachedReader = (db: UserDatabase, list: string): ReadColumnPieces => {
  const readPieces = createPieceReader(db, list)
  return async (column, buckets) => {
    const name = buildColumnKey(db, list, column)
    const cachedColumn = columnsByName.get(name) ?? createCachedColumn()
    const cachedPieces = buckets.map((bucket) => getValidPiece(cachedColumn, bucket))
    const missingBuckets = buckets.filter((_, i) => !cachedPieces[i])
    const pieces = missingBuckets.length === 0 ? [] : await readPieces(column, missingBuckets)
    for (const [i, bucket] of missingBuckets.entries()) storePiece(cachedColumn, bucket, pieces[i] as ColumnPiece)
    markUsed(name, cachedColumn)
    let next = 0
    return cachedPieces.map((piece) => piece ?? (pieces[next++] as ColumnPiece))
  }
}

export function getColumnRanks(db: UserDatabase, list: string, column: string): ColumnRanks {
  const cachedColumn = columnsByName.get(buildColumnKey(db, list, column))
  if (!cachedColumn) return createColumnRanks()
  if (cachedColumn.ranks.count() > cachedColumn.values) cachedColumn.ranks = createColumnRanks()
  return cachedColumn.ranks
}

/** Deletes the cached columns of one list whose index was replaced, or all of them. */
export function deleteCachedColumns(db?: UserDatabase, list?: string): void {
  for (const name of columnsByName.keys())
    if (!db || name.startsWith(buildColumnKey(db, list ?? '', ''))) columnsByName.delete(name)
}

export const countCachedBytes = () => [...columnsByName.values()].reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Returns the cached piece if its bucket has not changed. A bucket written by an older build has no stamp, so its cached pieces are not
 * used.
 */
function getValidPiece({ piecesByBucket }: CachedColumn, { at, stamp }: ListBucket): ColumnPiece | undefined {
  const cachedPiece = piecesByBucket.get(toBucketName(at))
  return stamp !== undefined && cachedPiece?.stamp === stamp ? cachedPiece.piece : undefined
}

function storePiece(cachedColumn: CachedColumn, { at, stamp }: ListBucket, piece: ColumnPiece): void {
  if (stamp === undefined) return
  const name = toBucketName(at)
  const previousPiece = cachedColumn.piecesByBucket.get(name)
  cachedColumn.piecesByBucket.set(name, { stamp, piece })
  cachedColumn.bytes += estimateBytes(piece) - (previousPiece ? estimateBytes(previousPiece.piece) : 0)
  cachedColumn.values += piece.values.length - (previousPiece?.piece.values.length ?? 0)
}

/** Returns the approximate size, including what `ColumnRanks` stores for each value. */
const estimateBytes = ({ codes, values }: ColumnPiece) =>
  codes.byteLength +
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 32 + value.length : 24), 0)

function markUsed(name: string, cachedColumn: CachedColumn): void {
  columnsByName.delete(name)
  if (cachedColumn.bytes > maxCachedBytes) return
  columnsByName.set(name, cachedColumn)
  let bytes = countCachedBytes()
  for (const [oldestName, { bytes: columnBytes }] of columnsByName) {
    if (bytes <= maxCachedBytes) break
    columnsByName.delete(oldestName)
    bytes -= columnBytes
  }
}
