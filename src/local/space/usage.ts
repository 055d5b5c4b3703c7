/** What is cached on this device and how large it is, for the page that shows it. */
import { rowsOf, rowTables, type UserDatabase } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import type { ListStats } from '#local/storage/cache-records.ts'
import { isWhole } from '#local/list-query/coverage.ts'
import { coverageId } from '#local/storage/list-ids.ts'
import { readSession } from '#local/session/session.ts'

/** One list as it is kept: the rows of a table that belong to one company or one service, or all there are. */
export interface CachedListInfo {
  table: string
  /** Value of the list's scope column; null where a list has no scope. */
  scope: number | null
  rows: number
  /** Roughly: what the rows are as text, and what the browser keeps beside them. */
  bytes: number
  /** Server time of the oldest and of the newest reading that brought a row, epoch ms; null: by an older build. */
  asOf: number | null
  newest: number | null
  /** Whether it is known to be all of the list. */
  complete: boolean
  /** How many rows the server last counted; null: never asked without a filter. */
  total: number | null
}

/** What the page about offline data shows. */
export interface StorageUsage {
  /** The largest first. */
  lists: CachedListInfo[]
  /** Bytes that the browser counts for all of this site, and would let it have; null where it does not say. */
  usage: number | null
  quota: number | null
  /** Whether the browser promised not to clear it away by itself; null where it does not say. */
  persisted: boolean | null
}

/** The part of `navigator.storage` that is used; each piece is missing in some browser, `persist` in every worker. */
export interface Estimates {
  estimate?: () => Promise<{ usage?: number; quota?: number }>
  persisted?: () => Promise<boolean>
  persist?: () => Promise<boolean>
}

export const browserStorage = (): Estimates => globalThis.navigator?.storage ?? {}

/** What is kept for the user of the session, and how much room that takes; null: nobody is signed in. */
export async function readUsage(
  device: Device = thisDevice(),
  storage = browserStorage(),
): Promise<StorageUsage | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  const [holdings, counts] = await Promise.all([
    db.listStats.toArray(),
    Promise.all(rowTables.map(async (table) => [table, await rowsOf(db, table).count()] as const)),
  ])
  const lists = await Promise.all(holdings.map((holding) => described(db, holding)))
  const uncounted = counts.flatMap(([table, rows]) => {
    const more = rows - holdings.reduce((sum, one) => sum + (one.table === table ? one.rows : 0), 0)
    return more > 0 ? [ofOlderBuild(table, more)] : []
  })
  const { usage = null, quota = null } = (await storage.estimate?.()) ?? {}
  return {
    lists: [...lists, ...uncounted].sort((a, b) => b.bytes - a.bytes),
    usage,
    quota,
    persisted: (await storage.persisted?.()) ?? null,
  }
}

async function described(db: UserDatabase, holding: ListStats): Promise<CachedListInfo> {
  const { id, table, scope, rows, bytes, asOf, newest } = holding
  const [fill, all] = await Promise.all([db.syncPoints.get(id), db.coverage.get(coverageId(table, scope, {}))])
  const complete = (fill !== undefined && !fill.gaps) || (all !== undefined && isWhole(all))
  return { table, scope, rows, bytes, asOf, newest, complete, total: all?.total ?? null }
}

/** Undefined: kept by another build, which knew more of them. */
export const tableNamed = (name: string) => rowTables.find((one) => one === name)

/** Counted when its next row comes. */
const ofOlderBuild = (table: string, rows: number): CachedListInfo => ({
  table,
  scope: null,
  rows,
  bytes: rows * 500,
  asOf: null,
  newest: null,
  complete: false,
  total: null,
})
