/** Counts of requests per caller, in windows of a fixed length that begin with the first request. All nodes share them. */
import { CompiledQuery } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { QueryExecutor } from '#server/db/transaction.ts'

export interface RequestCount {
  total: number
  /** Epoch ms. */
  windowStart: number
}

interface CountedRow {
  counted_key: string
  window_start: number
  total: number
}

/** Adds to the counts of the keys, and returns the new counts. One statement that commits at once, so no key stays locked. */
export async function addRequestCounts(
  db: QueryExecutor,
  amountsByKey: ReadonlyMap<string, number>,
  { windowMs, now }: { windowMs: number; now: number },
): Promise<Map<string, RequestCount>> {
  const values = [[...amountsByKey.keys()], [...amountsByKey.values()], windowMs, now]
  const { rows } = await db.executeQuery<CountedRow>(
    CompiledQuery.raw('select counted_key, window_start, total from count_requests($1, $2, $3, $4)', values),
  )
  return new Map(rows.map((row) => [row.counted_key, { total: row.total, windowStart: row.window_start }]))
}

/** Number of rows that one call deletes. Their locks make counts of the same keys wait. */
export const maxDeletedCounts = 10_000

/** Deletes some of the windows that began before this time. Returns their number. */
export async function deleteRequestCounts(db: DatabaseHandle, before: number): Promise<number> {
  const result = await db
    .deleteFrom('request_count')
    .where('key', 'in', (query) =>
      query
        .selectFrom('request_count')
        .select('key')
        .where('window_start', '<', before)
        .limit(maxDeletedCounts)
        // Waiting for a row while others are locked could end in a deadlock with a count.
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
