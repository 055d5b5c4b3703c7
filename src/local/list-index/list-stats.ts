import { getListRows, type UserDatabase } from '#local/storage/database.ts'
import type { RowExchange, ListStats, StoredRow } from '#local/storage/cache-records.ts'
import { toListId } from '#local/storage/list-ids.ts'

export type ScopeExchange = Record<'removedRows' | 'addedRows' | 'stagedRows', StoredRow[]>

/** Approximate cost of a row in IndexedDB beyond its text, in bytes. */
const overheadBytes = 120

const estimateBytes = (rows: readonly StoredRow[]) =>
  rows.reduce(
    (bytes, { row }) => bytes + overheadBytes + estimateTextBytes(row as unknown as Record<string, unknown>),
    0,
  )

/** Approximate length of the row as text. Computed without serialising, because it runs for every row that arrives. */
function estimateTextBytes(row: Record<string, unknown>): number {
  let textBytes = 0
  for (const name in row) {
    const value = row[name]
    textBytes += name.length + 4
    if (typeof value === 'string') textBytes += value.length
    else if (value !== null && typeof value === 'object')
      textBytes += estimateTextBytes(value as Record<string, unknown>)
    else textBytes += 6
  }
  return textBytes
}

export async function updateListStats(
  db: UserDatabase,
  table: string,
  scope: number | null,
  rowExchange: RowExchange,
): Promise<ListStats> {
  const id = toListId(table, scope)
  const previousStats = await db.listStats.get(id)
  const asOfTimes = rowExchange.addedRows.map(({ asOf }) => asOf)
  const { rows, bytes } = previousStats
    ? {
        rows: previousStats.rows + rowExchange.addedRows.length - rowExchange.removedRows.length,
        bytes: Math.max(
          0,
          previousStats.bytes + estimateBytes(rowExchange.addedRows) - estimateBytes(rowExchange.removedRows),
        ),
      }
    : await estimateListStats(db, table, scope)
  const stats: ListStats = {
    id,
    table,
    scope,
    rows,
    bytes,
    asOf: asOfTimes.reduce((min, time) => Math.min(min, time), previousStats?.asOf ?? Number.MAX_SAFE_INTEGER),
    latestAsOf: asOfTimes.reduce((max, time) => Math.max(max, time), previousStats?.latestAsOf ?? 0),
  }
  if (rows > 0) await db.listStats.put(stats)
  else await db.listStats.delete(id)
  return stats
}

/** Used for a list that an older build stored, or that is new. Counts all rows and estimates the bytes from a sample. */
async function estimateListStats(
  db: UserDatabase,
  table: string,
  scope: number | null,
): Promise<Pick<ListStats, 'rows' | 'bytes'>> {
  const [sample, rows] = await Promise.all([
    getListRows(db, table, scope).limit(50).toArray(),
    getListRows(db, table, scope).count(),
  ])
  return { rows, bytes: sample.length === 0 ? 0 : Math.round((estimateBytes(sample) / sample.length) * rows) }
}
