/**
 * What is kept for one user of one company: rows (only the server's word), hopes (the outbox) and what is known about
 * both. Versions are additive and never drop the outbox (protocol 40).
 */
import { Dexie, type EntityTable, type Table } from 'dexie'
import type { Id, Intent, Kind, Row } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { WaitingState } from '#local/view.ts'

export interface Subject {
  companyId: number
  userId: number
}

export interface StoredRow {
  id: number
  /** Value of the list's scope column; null where there is none. */
  scope: number | null
  version: number
  /** Server time of the reading it came with, epoch ms. */
  asOf: number
  row: Row
  /** Folded text of the columns that are sorted or searched as text. */
  folds: Record<string, string>
}

/** What one answered filter proved: how many the server counts, and which stretches of one order were read. */
export interface Coverage {
  id: string
  table: string
  scope: number | null
  filters: Record<string, string | number | boolean>
  total: number
  asOf: number
  /** Stretches belong together only while the company's change number stands still (protocol 34). */
  change: string
  sort: string
  /** Offsets read, first inclusive, last exclusive, in order and never touching. */
  spans: [number, number][]
}

/** One page as the server ordered it: used while the device does not hold the whole list. */
export interface PageReading {
  id: string
  table: string
  ids: number[]
  asOf: number
}

/** A whole table of one scope is here, as of a change number. */
export interface Fill {
  id: string
  upto: number
  asOf: number
  /** A row left meanwhile that may belong elsewhere: whole again with the next changes. */
  gaps: boolean
}

/** A row seen to be gone: an older reading must not raise it again (protocol 33). */
export interface Tombstone {
  table: string
  id: number
  asOf: number
  /** Of the row as it was last seen: a newer one is no ghost. */
  version: number
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
}

/** What a made row is called: `~{intent}` and the id it was given. */
export interface Name {
  intent: Intent
  kind: Kind
  id: number
}

/** What became of a write, after its entry is gone. */
export interface Receipt {
  intent: Intent
  outcome: 'done' | 'refused' | 'dropped'
  status: number
  body: string
  time: number
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

/** Writes, names and receipts of a user who has gone, readable only under the key that user is given (protocol 30). */
export interface Sealed {
  name: `sealed:${string}`
  id: string
  iv: Uint8Array<ArrayBuffer>
  data: ArrayBuffer
  /** Writes in it. */
  entries: number
}

export type UserDatabase = Dexie & {
  coverage: EntityTable<Coverage, 'id'>
  pages: EntityTable<PageReading, 'id'>
  fills: EntityTable<Fill, 'id'>
  tombstones: Table<Tombstone, [string, number]>
  outbox: EntityTable<Entry, 'intent'>
  names: EntityTable<Name, 'intent'>
  receipts: EntityTable<Receipt, 'intent'>
  readings: EntityTable<Reading, 'path'>
  jobs: EntityTable<Job, 'intent'>
  meta: Table<Gate | Pause | Sealed, string>
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
/** What a sign-out takes away. The outbox, names and receipts stay for their owner (protocol 30). */
export const wipedTables = [...rowTables, 'coverage', 'pages', 'fills', 'tombstones', 'readings'] as const

export type Storage = { indexedDB?: IDBFactory; IDBKeyRange?: typeof IDBKeyRange }

export const databaseName = ({ companyId, userId }: Subject) => `portal-${companyId}-${userId}`

export function openDatabase(name: string, storage: Storage): UserDatabase {
  // Strict, or the success of a write is only the operating system's promise to try.
  const db = new Dexie(name, { ...storage, chromeTransactionDurability: 'strict' })
  const rows = Object.fromEntries(rowTables.map((table) => [table, 'id, scope']))
  db.version(1).stores({
    ...rows,
    coverage: 'id',
    pages: 'id, table',
    fills: 'id',
    tombstones: '[table+id], asOf',
    outbox: 'intent, seq, table',
    names: 'intent, [kind+id]',
    receipts: 'intent, time',
    readings: 'path',
    meta: 'name',
  })
  db.version(2).stores({ jobs: 'intent' })
  return db as UserDatabase
}

export const rowsOf = (db: UserDatabase, table: string): Table<StoredRow, number> => db.table(table)

/** Runs one transaction, once more if the connection had been closed under it (a browser may, at any time). */
export async function transact<T>(db: Dexie, tables: readonly string[], act: () => Promise<T>): Promise<T> {
  try {
    return await db.transaction('rw', tables, act)
  } catch (error) {
    if (!isClosed(error)) throw error
    db.close({ disableAutoOpen: false })
    await db.open()
    return await db.transaction('rw', tables, act)
  }
}

const isClosed = (error: unknown) =>
  error instanceof Error && (error.name === 'DatabaseClosedError' || error.name === 'InvalidStateError')
