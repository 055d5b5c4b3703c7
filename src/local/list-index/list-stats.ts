/** Rows and bytes of each cached list, kept up to date with every change of its rows. */
import { rowsIn, type UserDatabase } from '#local/storage/database.ts'
import type { Exchange, ListStats, StoredRow } from '#local/storage/cache-records.ts'
import { fillId } from '#local/storage/list-ids.ts'

export type Part = Record<'gone' | 'come' | 'staged', StoredRow[]>

/** What IndexedDB needs beside the text itself, roughly. */
const bytesBeside = 120

const bytesOf = (rows: readonly StoredRow[]) =>
  rows.reduce((bytes, { row }) => bytes + bytesBeside + weightOf(row as unknown as Record<string, unknown>), 0)

/** About as many bytes as the row has as text; made for every row that comes, so nothing is written out for it. */
function weightOf(row: Record<string, unknown>): number {
  let weight = 0
  for (const name in row) {
    const value = row[name]
    weight += name.length + 4
    if (typeof value === 'string') weight += value.length
    else if (value !== null && typeof value === 'object') weight += weightOf(value as Record<string, unknown>)
    else weight += 6
  }
  return weight
}

export async function counted(
  db: UserDatabase,
  table: string,
  scope: number | null,
  part: Exchange,
): Promise<ListStats> {
  const id = fillId(table, scope)
  const known = await db.listStats.get(id)
  const times = part.come.map(({ asOf }) => asOf)
  const { rows, bytes } = known
    ? {
        rows: known.rows + part.come.length - part.gone.length,
        bytes: Math.max(0, known.bytes + bytesOf(part.come) - bytesOf(part.gone)),
      }
    : await weighed(db, table, scope)
  const holding: ListStats = {
    id,
    table,
    scope,
    rows,
    bytes,
    asOf: times.reduce((least, time) => Math.min(least, time), known?.asOf ?? Number.MAX_SAFE_INTEGER),
    newest: times.reduce((most, time) => Math.max(most, time), known?.newest ?? 0),
  }
  if (rows > 0) await db.listStats.put(holding)
  else await db.listStats.delete(id)
  return holding
}

/** Of a list that an older build stored, or that begins: all are counted, and weighed by a sample. */
async function weighed(
  db: UserDatabase,
  table: string,
  scope: number | null,
): Promise<Pick<ListStats, 'rows' | 'bytes'>> {
  const [sample, rows] = await Promise.all([
    rowsIn(db, table, scope).limit(50).toArray(),
    rowsIn(db, table, scope).count(),
  ])
  return { rows, bytes: sample.length === 0 ? 0 : Math.round((bytesOf(sample) / sample.length) * rows) }
}
