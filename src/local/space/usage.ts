/** What is cached on this device and how large it is, for the page that shows it. */
import { getRowTable, rowTables, type UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import type { ListStats } from '#local/storage/cache-records.ts'
import { isCompleteList } from '#local/list-query/coverage.ts'
import { toCoverageId } from '#local/storage/list-ids.ts'
import { findUserDatabase } from '#local/session/session.ts'

/** One list as it is kept: the rows of a table that belong to one company or one service, or all there are. */
export interface CachedListUsage extends Omit<ListStats, 'id' | 'asOf' | 'latestAsOf'> {
  /** Server time of the oldest and of the newest reading that brought a row, epoch ms; null: by an older build. */
  asOf: number | null
  latestAsOf: number | null
  /** Whether it is known to be all of the list. */
  complete: boolean
  /** How many rows the server last counted; null: never asked without a filter. */
  total: number | null
}

/** What the page about offline data shows. */
export interface StorageUsage {
  /** The largest first. */
  lists: CachedListUsage[]
  /** Bytes that the browser counts for all of this site, and would let it have; null where it does not say. */
  usage: number | null
  quota: number | null
  /** Whether the browser promised not to clear it away by itself; null where it does not say. */
  persisted: boolean | null
}

/** The part of `navigator.storage` that is used; each piece is missing in some browser, `persist` in every worker. */
export interface StorageEstimates {
  estimate?: () => Promise<{ usage?: number; quota?: number }>
  persisted?: () => Promise<boolean>
  persist?: () => Promise<boolean>
}

export const getBrowserStorage = (): StorageEstimates => globalThis.navigator?.storage ?? {}

/** What is kept for the user of the session, and how much room that takes; null: nobody is signed in. */
export async function readUsage(
  device: Device = getThisDevice(),
  storage = getBrowserStorage(),
): Promise<StorageUsage | null> {
  const db = await findUserDatabase(device)
  if (!db) return null
  const [statsOfLists, counts] = await Promise.all([
    db.listStats.toArray(),
    Promise.all(rowTables.map(async (table) => [table, await getRowTable(db, table).count()] as const)),
  ])
  const lists = await Promise.all(statsOfLists.map((stats) => describeList(db, stats)))
  const uncountedLists = counts.flatMap(([table, rows]) => {
    const uncountedRows = rows - statsOfLists.reduce((sum, stats) => sum + (stats.table === table ? stats.rows : 0), 0)
    return uncountedRows > 0 ? [createOlderBuildUsage(table, uncountedRows)] : []
  })
  const { usage = null, quota = null } = (await storage.estimate?.()) ?? {}
  return {
    lists: [...lists, ...uncountedLists].sort((a, b) => b.bytes - a.bytes),
    usage,
    quota,
    persisted: (await storage.persisted?.()) ?? null,
  }
}

async function describeList(db: UserDatabase, stats: ListStats): Promise<CachedListUsage> {
  const { id, table, scope, rows, bytes, asOf, latestAsOf } = stats
  const [syncPoint, fullCoverage] = await Promise.all([
    db.syncPoints.get(id),
    db.coverage.get(toCoverageId(table, scope, {})),
  ])
  const complete =
    (syncPoint !== undefined && !syncPoint.gaps) || (fullCoverage !== undefined && isCompleteList(fullCoverage))
  return { table, scope, rows, bytes, asOf, latestAsOf, complete, total: fullCoverage?.total ?? null }
}

/** Counted when its next row comes. */
const createOlderBuildUsage = (table: string, rows: number): CachedListUsage => ({
  table,
  scope: null,
  rows,
  bytes: rows * 500,
  asOf: null,
  latestAsOf: null,
  complete: false,
  total: null,
})
