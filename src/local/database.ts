/**
 * What is kept for one user of one company: rows (only the server's word), hopes (the outbox) and what is known about
 * both. Versions are additive and never drop the outbox (protocol 40).
 */
import { Dexie, type EntityTable, type Table, type Transaction } from 'dexie'
import type { Id, Intent, Kind } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type {
  Bucket,
  BucketKey,
  Column,
  Coverage,
  Fill,
  Holding,
  ListIndex,
  PageReading,
  StoredRow,
  Tombstone,
} from '#local/kept.ts'
import type { WaitingState } from '#local/view.ts'

export interface Subject {
  companyId: number
  userId: number
}

/** The exact request, unchanged from the first attempt on (protocol 2). Only the bearer is added when it is sent. */
export interface Frozen {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

export interface Entry {
  intent: Intent
  /** Names the present bytes; equals the intent until they are mended (protocol 1). */
  key: string
  seq: number
  lane: string
  /** Intents that must be done first, from other lanes. */
  dependsOn: Intent[]
  endpoint: string
  kind: Kind
  table: string
  target: Id | null
  makes: 'create' | 'change' | 'delete'
  asked: { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }
  ifMatch: number | `~${Intent}` | null
  /** Values that the changed fields had when the form was opened: what a conflict is judged by. */
  base: Record<string, unknown> | null
  forUser: string
  state: WaitingState
  bytes: Frozen | null
  attempts: number
  /** Not sent again before; `line`: only because the line failed, so any sign of life may shorten it. */
  notBefore: number
  held: 'line' | 'server' | null
  /** Raised by every claim: an answer under an older fence counts only when it is final (protocol 12). */
  fence: number
  leaseUntil: number
  problem: Problem | null
  since: number
  /** Since when somebody else has had the row open (423); absent while nobody was met there (protocol 16). */
  lockedSince?: number
  /** Its user was shown that it is old, and wants it sent all the same (protocol 19). */
  allowedAt?: number
}

/** Bytes that a waiting upload sends, kept by the page that was given the file (protocol 22). */
export interface LocalFile {
  /** Of the upload. */
  intent: Intent
  /** The form's field. */
  field: string
  name: string
  type: string
  bytes: ArrayBuffer
  /** What the server calls it; null until it is there. */
  assetId: string | null
}

/** What a made row is called: `~{intent}` and the id it was given. */
export interface Name {
  intent: Intent
  kind: Kind
  id: number
}

/**
 * What became of a write, after its entry is gone. merged: it went on inside a later one · void: the server made sure
 * that it never runs.
 */
export interface Receipt {
  intent: Intent
  outcome: 'done' | 'refused' | 'dropped' | 'merged' | 'void'
  status: number
  body: string
  time: number
  /** What it was, whom it was about, when it was made; absent in receipts of older builds. */
  about?: About
  /** The server's own record of it, as `Idempotency-Outcome` names it; null: it never got there. */
  ledgerId?: string | null
  code?: string | null
  /** The write that it became part of. */
  into?: Intent
}

/** A write as it is told after it is gone, without its values. */
export type About = Pick<Entry, 'endpoint' | 'table' | 'target' | 'makes' | 'since'> & {
  /** What the row was called then. */
  name: string | null
}

/** A call that is never queued, from before its first byte until its outcome is known (protocol 13). */
export interface Watched {
  intent: Intent
  key: string
  endpoint: string
  forUser: string
  /** unknown: sent, and nobody could say what became of it; only asked about. */
  state: 'sending' | 'unknown'
  since: number
  /** Not asked about before. */
  nextAt: number
  failures: number
}

/** starting: on its way · unknown: its answer was lost, the server is asked · sign in: waits for the same user. */
export type JobState = 'starting' | 'unknown' | 'running' | 'sign in' | 'done' | 'failed' | 'timeout' | 'gone'

/** A long request of this user: stored before it is asked for, polled under its own lease (protocol 39). */
export interface Job {
  /** Names the wish; the outside of this device calls it by its location. */
  intent: Intent
  key: string
  endpoint: string
  asked: Entry['asked']
  forUser: string
  state: JobState
  /** Path of the server's own record of it; null until its start was answered. */
  location: string | null
  progressKey: string | null
  /** Never falls. */
  percent: number
  /** Until when the server says "still running", its clock; null where it did not say. */
  deadline: number | null
  since: number
  endedAt: number | null
  /** Asked about next, by whoever comes first. */
  nextAt: number
  /** Somebody is asking; past this they are given up. */
  leaseUntil: number
  /** Raised by every claim: what came back under an older one counts only when it is final. */
  fence: number
  /** In a row, of the line or the server. */
  failures: number
  /** Of the session that was refused; a newer one asks again. */
  generation: number | null
  answer: { status: number; body: string | null } | null
  problem: Problem | null
  /** Whoever asked for it has the answer, or it was looked at. */
  seen: boolean
}

/** The last answer of a `read` endpoint. */
export interface Reading {
  path: string
  body: string
  asOf: number
}

/** Rows are stored and entries claimed only while the gate is open and has not moved since the request began. */
export interface Gate {
  name: 'gate'
  open: boolean
  generation: number
}

export interface Pause {
  name: 'pause'
  until: number
  /** When it was set: a clock turned back must not hold the queue for ever. */
  since: number
}

/** How many writes were ever recorded here: what a count kept outside of this database is compared with. */
export interface Made {
  name: 'made'
  count: number
  /** The greatest number that one was given; absent: by a build that did not note it. */
  seq?: number
}

/** The browser was asked to keep this site's data; it is not asked again and again. */
export interface AskedToPersist {
  name: 'persist'
  askedAt: number
}

/** Writes that were here and are not: the browser took the database, or an older state of it came back. */
export interface Loss {
  name: 'loss'
  writes: number
  noticedAt: number
}

/** Writes, names and receipts of a user who has gone, readable only under the key that user is given (protocol 30). */
export interface Sealed {
  name: `sealed:${string}`
  id: string
  iv: Uint8Array<ArrayBuffer>
  data: ArrayBuffer
  /** Writes in it. */
  entries: number
  /** Its user's own key does not open it: nothing waits for it any more. */
  isShut?: boolean
}

/** What stands typed in a form that takes long (local/typed). */
export interface Typed {
  name: `typed:${string}`
  value: unknown
  /** When it was kept, this device's clock, epoch ms. */
  at: number
}

export type UserDatabase = Dexie & {
  coverage: EntityTable<Coverage, 'id'>
  pages: EntityTable<PageReading, 'id'>
  fills: EntityTable<Fill, 'id'>
  tombstones: Table<Tombstone, [string, number]>
  holdings: EntityTable<Holding, 'id'>
  indexes: EntityTable<ListIndex, 'id'>
  buckets: Table<Bucket, [string, BucketKey]>
  columns: Table<Column, [string, string, BucketKey]>
  outbox: EntityTable<Entry, 'intent'>
  names: EntityTable<Name, 'intent'>
  receipts: EntityTable<Receipt, 'intent'>
  readings: EntityTable<Reading, 'path'>
  jobs: EntityTable<Job, 'intent'>
  files: EntityTable<LocalFile, 'intent'>
  watched: EntityTable<Watched, 'intent'>
  meta: Table<Gate | Pause | Sealed | Made | Loss | AskedToPersist | Typed, string>
}

/** One table a kind of row; every `fills` and `queues` of the contract names one of these. */
export const rowTables = [
  'users',
  'companies',
  'orders',
  'services',
  'modules',
  'price_lists',
  'backup_orders',
  'traffic',
  'trail',
  'apps',
  'app_history',
] as const
/** What is kept beside rows about them; every transaction that writes rows names these too. */
export const besideRows = ['coverage', 'fills', 'tombstones', 'holdings', 'indexes', 'buckets', 'columns'] as const
/** What a sign-out takes away. The outbox, names and receipts stay for their owner (protocol 30). */
export const wipedTables = [...rowTables, ...besideRows, 'pages', 'readings'] as const

export type Storage = { indexedDB?: IDBFactory; IDBKeyRange?: typeof IDBKeyRange }

export const databaseName = ({ companyId, userId }: Subject) => `portal-${companyId}-${userId}`

export function openDatabase(name: string, storage: Storage): UserDatabase {
  // Strict, or the success of a write is only the operating system's promise to try. Without Dexie's memory of answers: it
  // does not hear of what is written past it (storing.ts), and would tell live queries what it knew before.
  const db = new Dexie(name, { ...storage, chromeTransactionDurability: 'strict', cache: 'disabled' })
  const rows = Object.fromEntries(rowTables.map((table) => [table, 'id, scope']))
  // One version says all: what an older build's database lacks is added to it, and each one more costs every start.
  db.version(4).stores({
    ...rows,
    coverage: 'id',
    pages: 'id, table',
    fills: 'id',
    tombstones: '[table+id], asOf',
    holdings: 'id, table',
    indexes: 'id, table',
    buckets: '[list+at]',
    columns: '[list+column+at]',
    // Who may go next is found by index, however many wait.
    outbox: 'intent, seq, table, state, held, [lane+seq], ifMatch, *dependsOn',
    names: 'intent, [kind+id]',
    receipts: 'intent, time',
    readings: 'path',
    jobs: 'intent',
    files: 'intent',
    watched: 'intent',
    meta: 'name',
  })
  // Dexie closes the connection by itself, so that the newer build need not wait, and opens it again when it is needed.
  db.on('versionchange', ({ newVersion }) => void (newVersion !== null && outdated.add(db)))
  return db as UserDatabase
}

const outdated = new WeakSet<Dexie>()

/**
 * A newer build has changed this database under an older page: that one goes on writing the outbox, whose shape is
 * frozen, but no rows, of which it no longer knows what is kept beside them (protocol 40).
 */
export const isOutdated = (db: Dexie): boolean => outdated.has(db)

export const rowsOf = (db: UserDatabase, table: string): Table<StoredRow, number> => db.table(table)

/**
 * Runs one transaction; once more if the connection had been closed under it (a browser may, at any time), and again
 * each time lists have made way when the disk is full: what waits outranks what can be fetched again.
 */
export const transact = <T>(db: Dexie, tables: readonly string[], act: () => Promise<T>): Promise<T> =>
  insist(db, () => attempted(db, tables, act))

/** The same of a transaction that is begun otherwise. */
export async function insist<T>(db: Dexie, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (isFull(error) && db.tables.some(({ name }) => name === 'holdings')) {
      const { retryInRoom } = await import('#local/room.ts')
      // Only a user's database has that table.
      return await retryInRoom(db as UserDatabase, attempt, error)
    }
    if (!isClosed(error)) throw error
    db.close({ disableAutoOpen: false })
    await db.open()
    return await attempt()
  }
}

/** A disk that is full aborts the transaction; its requests say only that, and the reason stands at the transaction. */
async function attempted<T>(db: Dexie, tables: readonly string[], act: () => Promise<T>): Promise<T> {
  let under: Transaction | undefined
  try {
    return await db.transaction('rw', tables, async (transaction) => {
      under = transaction
      return await act()
    })
  } catch (error) {
    const reason = under?.idbtrans?.error
    throw isFull(reason) ? reason : error
  }
}

const isClosed = (error: unknown) =>
  error instanceof Error && (error.name === 'DatabaseClosedError' || error.name === 'InvalidStateError')

/** Chromium names it at the write or only when the transaction ends, and then inside of what Dexie makes of that. */
export function isFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, inner, failures } = error as { name?: unknown; inner?: unknown; failures?: unknown[] }
  return name === 'QuotaExceededError' || isFull(inner) || (Array.isArray(failures) && failures.some(isFull))
}
