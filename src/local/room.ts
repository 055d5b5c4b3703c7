/**
 * Room on the device. What is kept of the server's word may always be fetched again, so it makes way: lists that grow too
 * many or too old go by themselves, and when the disk is full the oldest go first and the write is tried again. What
 * exists only here (writes, their files, names, receipts) is never touched, nor are rows that a waiting write is about.
 */
import { getUser } from '#contract/accounts.ts'
import { besideRows, isFull, rowsOf, rowTables, type UserDatabase } from '#local/database.ts'
import type { Holding, StoredRow } from '#local/kept.ts'
import { type Device, thisDevice } from '#local/device.ts'
import { forgetDrawn } from '#local/drawn.ts'
import { forgetIndex, rowsIn } from '#local/holdings.ts'
import { coverageId, fillId, isWhole } from '#local/query.ts'
import { readSession } from '#local/session.ts'

/** One list as it is kept: the rows of a table that belong to one company or one service, or all there are. */
export interface KeptList {
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
export interface Room {
  /** The largest first. */
  lists: KeptList[]
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

const browserStorage = (): Estimates => globalThis.navigator?.storage ?? {}

export const limits = {
  /** A full trail of 100,000 rows with its index; a hundredth of what a phone with little room left still grants. */
  bytes: 60_000_000,
  /** A tablet that was put away shows nothing that old (W-06). */
  ageMs: 14 * 24 * 3_600_000,
}

/** What is kept for the user of the session, and how much room that takes; null: nobody is signed in. */
export async function readRoom(device: Device = thisDevice(), storage = browserStorage()): Promise<Room | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  const [holdings, counts] = await Promise.all([
    db.holdings.toArray(),
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

async function described(db: UserDatabase, holding: Holding): Promise<KeptList> {
  const { id, table, scope, rows, bytes, asOf, newest } = holding
  const [fill, all] = await Promise.all([db.fills.get(id), db.coverage.get(coverageId(table, scope, {}))])
  const complete = (fill !== undefined && !fill.gaps) || (all !== undefined && isWhole(all))
  return { table, scope, rows, bytes, asOf, newest, complete, total: all?.total ?? null }
}

/** Undefined: kept by another build, which knew more of them. */
export const tableNamed = (name: string) => rowTables.find((one) => one === name)

/** Counted when its next row comes. */
const ofOlderBuild = (table: string, rows: number): KeptList => ({
  table,
  scope: null,
  rows,
  bytes: rows * 500,
  asOf: null,
  newest: null,
  complete: false,
  total: null,
})

/** Forgets everything that can be fetched again. False: nobody is signed in. */
export async function clearKept(device: Device = thisDevice()): Promise<boolean> {
  const session = await readSession(device)
  if (!session || session.signedOut) return false
  await clear(device.of(session))
  return true
}

async function clear(db: UserDatabase): Promise<void> {
  await db.transaction('rw', [...rowTables, ...besideRows, 'pages', 'readings', 'outbox', 'names'], async () => {
    const spared = await readSpared(db)
    for (const table of rowTables) {
      const rows = (await rowsOf(db, table).bulkGet(spared.get(table) ?? [])).filter((row) => row !== undefined)
      await rowsOf(db, table).clear()
      if (rows.length > 0) await rowsOf(db, table).bulkPut(rows)
    }
    for (const table of besideRows) if (table !== 'tombstones') await db.table(table).clear()
    await db.pages.clear()
    // The user's own reading says who is signed in, and holds the key that seals what waits.
    await db.readings.where('path').notEqual(getUser.path).delete()
  })
}

/** Rows that waiting writes are about, by table: a write without its row would show nowhere. */
async function readSpared(db: UserDatabase): Promise<Map<string, number[]>> {
  const spared = new Map<string, number[]>()
  for (const { table, target } of await db.outbox.toArray()) {
    const id = typeof target === 'string' ? (await db.names.get(target.slice(1)))?.id : target
    if (typeof id === 'number') spared.set(table, [...(spared.get(table) ?? []), id])
  }
  return spared
}

/** Takes away lists that are older than the limit, then the oldest until the rest fits. How many went. */
export async function trimKept(db: UserDatabase, { bytes, ageMs } = limits): Promise<number> {
  const holdings = await db.holdings.toArray()
  const byAge = holdings.sort((a, b) => a.newest - b.newest)
  // By the server's own clock: this device's may have been turned.
  const now = byAge.at(-1)?.newest ?? 0
  let left = byAge.reduce((sum, holding) => sum + holding.bytes, 0)
  let gone = 0
  // The list that was read last stays, however large: it is on the screen.
  for (const holding of byAge.slice(0, -1)) {
    if (now - holding.newest <= ageMs && left <= bytes) continue
    await evict(db, holding)
    left -= holding.bytes
    gone += 1
  }
  return gone
}

async function evict(db: UserDatabase, { id, table, scope }: Holding): Promise<void> {
  const tables = [table, ...besideRows, 'pages', 'outbox', 'names']
  await db.transaction('rw', tables, async () => {
    const spared = (await readSpared(db)).get(table) ?? []
    const kept = (await rowsOf(db, table).bulkGet(spared)).filter((row) => row !== undefined)
    await rowsIn(db, table, scope).delete()
    // A list without a scope is the whole table.
    const back = kept.filter((row: StoredRow) => scope === null || row.scope === scope)
    if (back.length > 0) await rowsOf(db, table).bulkPut(back)
    const index = await db.indexes.get(id)
    if (index) await forgetIndex(db, index)
    await db.coverage
      .where('id')
      .startsWith(`${fillId(table, scope)}|`)
      .delete()
    await db.pages
      .where('id')
      .startsWith(`${fillId(table, scope)}|`)
      .delete()
    await db.fills.delete(id)
    await db.holdings.delete(id)
  })
  forgetDrawn(db)
}

/**
 * The disk is full: lists make way, the oldest first, until the write goes through. Throws what the last attempt threw
 * when nothing is left to go.
 */
export async function retryInRoom<T>(db: UserDatabase, attempt: () => PromiseLike<T>, error: unknown): Promise<T> {
  let why = error
  while (await makeRoom(db, why)) {
    try {
      return await attempt()
    } catch (again) {
      if (!isFull(again)) throw again
      why = again
    }
  }
  throw why
}

/** False: there was nothing that could go. */
async function makeRoom(db: UserDatabase, why: unknown): Promise<boolean> {
  try {
    const oldest = (await db.holdings.toArray()).sort((a, b) => a.newest - b.newest)[0]
    if (oldest) await evict(db, oldest)
    else if ((await countCleared(db)) > 0) await clear(db)
    else return false
    return true
  } catch (error) {
    // Even taking away needs a little room to be written down.
    if (isFull(error)) throw why
    throw error
  }
}

/** Whatever is left that `clear` would take. */
async function countCleared(db: UserDatabase): Promise<number> {
  const counts = await Promise.all([
    db.coverage.count(),
    db.pages.count(),
    db.fills.count(),
    db.readings.where('path').notEqual(getUser.path).count(),
  ])
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Asks the browser, once per user of this device, not to clear the site's data away by itself: some ask their user in
 * turn. Only a window can. Called when the first write waits and when the app is installed (P-18).
 */
export async function askToPersist(
  db: UserDatabase,
  { again = false, storage = browserStorage() }: { again?: boolean; storage?: Estimates } = {},
): Promise<boolean> {
  if (await storage.persisted?.()) return true
  const asked = await db.meta.get('persist')
  if (!storage.persist || (asked && !again)) return false
  await db.meta.put({ name: 'persist', askedAt: Date.now() })
  return await storage.persist()
}

/** The same for a page's own button, however often it is pressed. False: no promise. */
export async function askToKeep(device: Device = thisDevice()): Promise<boolean> {
  const session = await readSession(device)
  return session !== null && !session.signedOut && (await askToPersist(device.of(session), { again: true }))
}

/** The app was just installed: whoever does that means to keep it, so the browser is asked again. */
export async function askAtInstall(device: Device = thisDevice()): Promise<boolean> {
  const session = await readSession(device)
  return session !== null && (await askToPersist(device.of(session), { again: true }))
}
