import { getRowTable, rowTables, type UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import type { ListStats } from '#local/storage/cache-records.ts'
import { isCompleteList } from '#local/list-query/coverage.ts'
import { toCoverageId } from '#local/storage/list-ids.ts'
import { findUserDatabase } from '#local/session/session.ts'

export interface CachedListUsage extends Omit<ListStats, 'id' | 'asOf' | 'latestAsOf'> {
  /** Server time (epoch ms) of the oldest and of the latest response that contained a row. Null if an older build stored them. */
  asOf: number | null
  latestAsOf: number | null
  complete: boolean
  /** The server's last count of the rows. Null if the list was never read without a filter. */
  total: number | null
  /** Code of the service that the rows belong to; null: they belong to none, or its row is not on this device. */
  serviceCode: string | null
}

export interface StorageUsage {
  lists: CachedListUsage[]
  /** Bytes that this site uses in the browser, and the limit. Null if the browser does not report it. */
  usage: number | null
  quota: number | null
  /** True if the browser promised not to delete the data automatically. Null if it does not report it. */
  persisted: boolean | null
}

/** The part of `navigator.storage` that the portal uses. Each method is missing in some browser, and `persist` in every worker. */
export interface StorageEstimates {
  estimate?: () => Promise<{ usage?: number; quota?: number }>
  persisted?: () => Promise<boolean>
  persist?: () => Promise<boolean>
}

export const getBrowserStorage = (): StorageEstimates => globalThis.navigator?.storage ?? {}

/** Returns what is stored for the session's user and its size, or null if no user is signed in. */
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
  const [syncPoint, fullCoverage, serviceCode] = await Promise.all([
    db.syncPoints.get(id),
    db.coverage.get(toCoverageId(table, scope, {})),
    isServiceTable(table) && scope !== null ? findServiceCode(db, scope) : null,
  ])
  const complete =
    (syncPoint !== undefined && !syncPoint.gaps) || (fullCoverage !== undefined && isCompleteList(fullCoverage))
  return { table, scope, rows, bytes, asOf, latestAsOf, complete, total: fullCoverage?.total ?? null, serviceCode }
}

/** Whether the rows of a list belong to one service each. */
export const isServiceTable = (table: string): boolean => ['backup_orders', 'traffic', 'backups'].includes(table)

async function findServiceCode(db: UserDatabase, id: number): Promise<string | null> {
  const service = await getRowTable(db, 'services').get(id)
  return service ? String((service.row as { code?: unknown }).code) : null
}

/** Creates the usage of a list that an older build stored. Bytes and times are unknown until the next row arrives. */
const createOlderBuildUsage = (table: string, rows: number): CachedListUsage => ({
  table,
  scope: null,
  rows,
  bytes: rows * 500,
  asOf: null,
  latestAsOf: null,
  complete: false,
  total: null,
  serviceCode: null,
})
