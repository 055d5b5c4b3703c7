/**
 * What is kept for one user of one company: rows (only the server's word), hopes (the outbox) and what is known about
 * both. Versions are additive and never drop the outbox (protocol 40).
 */
import { Dexie, type EntityTable, type Table } from 'dexie'
import type {
  Bucket,
  BucketKey,
  Column,
  Coverage,
  ListSyncPoint,
  ListStats,
  ListIndex,
  PageReading,
  StoredRow,
  Tombstone,
} from '#local/storage/cache-records.ts'
import type { KeptRecord, KeptTrail, LogCheckpoint } from '#local/storage/trail-records.ts'
import type {
  AskedToPersist,
  OutboxEntry,
  SessionGeneration,
  Job,
  LocalFile,
  Loss,
  LostRights,
  WriteCounter,
  RowId,
  Pause,
  Filler,
  CachedResponse,
  Receipt,
  Sealed,
  SealedCache,
  SealedRows,
  SealPair,
  SpentSealKeys,
  Subject,
  TrailChoices,
  FormDraft,
  DirectCall,
} from '#local/storage/records.ts'
import { upgradeToVersion5 } from '#local/storage/upgrade.ts'

export type UserDatabase = Dexie & {
  coverage: EntityTable<Coverage, 'id'>
  pages: EntityTable<PageReading, 'id'>
  syncPoints: EntityTable<ListSyncPoint, 'id'>
  tombstones: Table<Tombstone, [string, number]>
  listStats: EntityTable<ListStats, 'id'>
  indexes: EntityTable<ListIndex, 'id'>
  buckets: Table<Bucket, [string, BucketKey]>
  columns: Table<Column, [string, string, BucketKey]>
  outbox: EntityTable<OutboxEntry, 'intent'>
  rowIds: EntityTable<RowId, 'intent'>
  receipts: EntityTable<Receipt, 'intent'>
  responses: EntityTable<CachedResponse, 'path'>
  jobs: EntityTable<Job, 'intent'>
  files: EntityTable<LocalFile, 'intent'>
  directCalls: EntityTable<DirectCall, 'intent'>
  keptTrails: EntityTable<KeptTrail, 'companyId'>
  keptTiles: Table<KeptRecord, [number, number, number]>
  logCheckpoints: EntityTable<LogCheckpoint, 'companyId'>
  sealedCache: EntityTable<SealedRows, 'id'>
  meta: Table<
    | SealPair
    | SealedCache
    | TrailChoices
    | SessionGeneration
    | Pause
    | Sealed
    | SpentSealKeys
    | WriteCounter
    | Loss
    | LostRights
    | AskedToPersist
    | FormDraft
    | Filler,
    string
  >
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
  'backups',
  'trail',
  'apps',
  'app_history',
] as const
/** What is kept beside rows about them; every transaction that writes rows names these too. */
export const besideRows = [
  'coverage',
  'syncPoints',
  'tombstones',
  'listStats',
  'indexes',
  'buckets',
  'columns',
] as const
/** What stands beside rows of the audit trail that their user asked to keep: how far they go, and the hashes around them. */
export const keptTables = ['keptTrails', 'keptTiles'] as const
/**
 * What a sign-out takes away. The outbox, names and receipts stay for their owner (protocol 30), and so does the newest
 * checkpoint of each log: it says nothing of anybody, and a log that was rewritten meanwhile is found out by it.
 */
export const wipedTables = [...rowTables, ...besideRows, ...keptTables, 'pages', 'responses'] as const

/** Tables of rows that came with version 7. */
const sinceVersion7: readonly string[] = ['backups'] satisfies (typeof rowTables)[number][]

/** Names that tables had before version 5. */
const tablesUntil4 = ['fills', 'holdings', 'names', 'readings', 'watched'] as const

export type Storage = { indexedDB?: IDBFactory; IDBKeyRange?: typeof IDBKeyRange }

export const databaseName = ({ companyId, userId }: Subject) => `portal-${companyId}-${userId}`

/** After so long a database that could not be opened, by a disk without a byte left perhaps, is tried again when it is used. */
const failedForMs = 1_000

/** Dexie refuses all use of a database whose opening failed once, for as long as the worker or page lives. */
export function opensAgain(db: Dexie): void {
  const open = db.open.bind(db)
  db.open = () =>
    open().catch((error: unknown) => {
      setTimeout(() => db.hasFailed() && db.close({ disableAutoOpen: false }), failedForMs)
      throw error
    })
}

export function openDatabase(name: string, storage: Storage): UserDatabase {
  // Strict, or the success of a write is only the operating system's promise to try.
  const db = new Dexie(name, { ...storage, chromeTransactionDurability: 'strict' })
  opensAgain(db)
  const first = rowTables.filter((table) => !sinceVersion7.includes(table))
  const asRows = (tables: readonly string[]) => Object.fromEntries(tables.map((table) => [table, 'id, scope']))
  // One version says all that came before it: what an older build's database lacks is added, and each one more costs every start.
  const version = db.version(5).stores({
    ...asRows(first),
    coverage: 'id',
    pages: 'id, table',
    syncPoints: 'id',
    tombstones: '[table+id], asOf',
    listStats: 'id, table',
    indexes: 'id, table',
    buckets: '[list+at]',
    columns: '[list+column+at]',
    // Who may go next is found by index, however many wait.
    outbox: 'intent, seq, table, state, delayedBy, [queueKey+seq], ifMatch, *dependsOn',
    rowIds: 'intent, [kind+id]',
    receipts: 'intent, time',
    responses: 'path',
    jobs: 'intent',
    files: 'intent',
    directCalls: 'intent',
    meta: 'name',
    ...Object.fromEntries(tablesUntil4.map((table) => [table, null])),
  })
  db.version(6).stores({ keptTrails: 'companyId', keptTiles: '[companyId+level+index]', logCheckpoints: 'companyId' })
  db.version(7).stores(asRows(sinceVersion7))
  db.version(8).stores({ sealedCache: '++id' })
  version.upgrade((transaction) => upgradeToVersion5(transaction, [...first, ...besideRows, 'pages', 'responses']))
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

/** Rows of one list: a table, or those of one scope of it. */
export const rowsIn = (db: UserDatabase, table: string, scope: number | null) =>
  scope === null ? rowsOf(db, table).toCollection() : rowsOf(db, table).where('scope').equals(scope)
