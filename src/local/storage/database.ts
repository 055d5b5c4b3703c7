/** The database of one user in one company. Versions are additive and never drop the outbox (protocol 40). */
import { Dexie, type EntityTable, type Table } from 'dexie'
import type {
  ListBucket,
  BucketKey,
  IndexColumn,
  ListCoverage,
  ListSyncPoint,
  ListStats,
  ListIndex,
  PageReading,
  StoredRow,
  Tombstone,
} from '#local/storage/cache-records.ts'
import type { StoredTrailRecord, StoredTrail, LogCheckpoint } from '#local/storage/trail-records.ts'
import type {
  PersistenceRequest,
  OutboxEntry,
  SessionGeneration,
  Job,
  LocalFile,
  WriteLoss,
  LostRights,
  WriteCounter,
  RowId,
  PushChoice,
  ReadMarks,
  SendingPause,
  SpaceFiller,
  CachedResponse,
  Receipt,
  SealedWrites,
  SealedCache,
  SealedRows,
  SealPair,
  SpentSealKeys,
  Subject,
  TrailChoices,
  FormDraft,
  DirectCall,
} from '#local/storage/records.ts'
import { upgradeToVersion5, upgradeToVersion9 } from '#local/storage/upgrade.ts'

export type UserDatabase = Dexie & {
  coverage: EntityTable<ListCoverage, 'id'>
  pages: EntityTable<PageReading, 'id'>
  syncPoints: EntityTable<ListSyncPoint, 'id'>
  tombstones: Table<Tombstone, [string, number]>
  listStats: EntityTable<ListStats, 'id'>
  indexes: EntityTable<ListIndex, 'id'>
  buckets: Table<ListBucket, [string, BucketKey]>
  columns: Table<IndexColumn, [string, string, BucketKey]>
  outbox: EntityTable<OutboxEntry, 'intent'>
  rowIds: EntityTable<RowId, 'intent'>
  receipts: EntityTable<Receipt, 'intent'>
  responses: EntityTable<CachedResponse, 'path'>
  jobs: EntityTable<Job, 'intent'>
  files: EntityTable<LocalFile, 'intent'>
  directCalls: EntityTable<DirectCall, 'intent'>
  storedTrails: EntityTable<StoredTrail, 'companyId'>
  storedTiles: Table<StoredTrailRecord, [number, number, number]>
  logCheckpoints: EntityTable<LogCheckpoint, 'companyId'>
  sealedCache: EntityTable<SealedRows, 'id'>
  meta: Table<MetaRecord, string>
}

type MetaRecord =
  | SealPair
  | SealedCache
  | TrailChoices
  | SessionGeneration
  | SendingPause
  | ReadMarks
  | PushChoice
  | SealedWrites
  | SpentSealKeys
  | WriteCounter
  | WriteLoss
  | LostRights
  | PersistenceRequest
  | FormDraft
  | SpaceFiller

export const getMetaRecord = async <N extends MetaRecord['name']>(db: UserDatabase, name: N) =>
  (await db.meta.get(name)) as Extract<MetaRecord, { name: N }> | undefined

/** One table per kind of row. Every `fills` and `queues` of the contract names one of these. */
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
  'customers',
  'customer_orders',
  'customer_payments',
  'invoices',
  'customer_invoices',
] as const
export const listMetadataTables = [
  'coverage',
  'syncPoints',
  'tombstones',
  'listStats',
  'indexes',
  'buckets',
  'columns',
] as const
/**
 * Tables `storedTrails` and `storedTiles`: the range of a stored trail, and the hashes around its entries. Their names in the database are
 * older, because a page of an earlier build reads them too (protocol 40).
 */
export const storedTrailTables = ['keptTrails', 'keptTiles'] as const
/**
 * Tables that a sign-out clears. Outbox, ids and receipts stay for their owner (protocol 30). The latest checkpoint of each log stays too:
 * it contains no personal data, and reveals a log that was rewritten meanwhile.
 */
export const wipedTables = [...rowTables, ...listMetadataTables, ...storedTrailTables, 'pages', 'responses'] as const

/** Row tables that were added later, by the version of the database. */
const laterTables: Readonly<Record<number, readonly (typeof rowTables)[number][]>> = {
  7: ['backups'],
  10: ['customers', 'customer_orders', 'customer_payments'],
  11: ['invoices', 'customer_invoices'],
}

const tablesBeforeVersion5 = ['fills', 'holdings', 'names', 'readings', 'watched'] as const

export type StorageFactories = { indexedDB?: IDBFactory; IDBKeyRange?: typeof IDBKeyRange }

export const buildDatabaseName = ({ companyId, userId }: Subject) => `portal-${companyId}-${userId}`

/** In ms. After this time a database that failed to open, for example on a full disk, is opened again when it is used. */
const reopenAfterMs = 1_000

/** Works around a fault of Dexie: after one failure to open, it refuses every use of the database, as long as the page or worker lives. */
export function reopenAfterFailure(db: Dexie): void {
  const open = db.open.bind(db)
  db.open = () =>
    open().catch((error: unknown) => {
      setTimeout(() => db.hasFailed() && db.close({ disableAutoOpen: false }), reopenAfterMs)
      throw error
    })
}

export function openDatabase(name: string, storage: StorageFactories): UserDatabase {
  // Strict durability. Otherwise a successful write may still be lost by the operating system.
  const db = new Dexie(name, { ...storage, chromeTransactionDurability: 'strict' })
  reopenAfterFailure(db)
  const version5Tables = rowTables.filter((table) => !Object.values(laterTables).flat().includes(table))
  const toRowSchemas = (tables: readonly string[]) => Object.fromEntries(tables.map((table) => [table, 'id, scope']))
  // One version contains all earlier ones: Dexie adds what an older database lacks, and each additional version slows down every start.
  const version5 = db.version(5).stores({
    ...toRowSchemas(version5Tables),
    coverage: 'id',
    pages: 'id, table',
    syncPoints: 'id',
    tombstones: '[table+id], asOf',
    listStats: 'id, table',
    indexes: 'id, table',
    buckets: '[list+at]',
    columns: '[list+column+at]',
    // The index finds the next entries quickly, no matter how many wait.
    outbox: 'intent, seq, table, state, delayedBy, [queueKey+seq], ifMatch, *dependsOn',
    rowIds: 'intent, [kind+id]',
    receipts: 'intent, time',
    responses: 'path',
    jobs: 'intent',
    files: 'intent',
    directCalls: 'intent',
    meta: 'name',
    ...Object.fromEntries(tablesBeforeVersion5.map((table) => [table, null])),
  })
  const [trails, tiles] = storedTrailTables
  db.version(6).stores({ [trails]: 'companyId', [tiles]: '[companyId+level+index]', logCheckpoints: 'companyId' })
  for (const [version, tables] of Object.entries(laterTables)) db.version(Number(version)).stores(toRowSchemas(tables))
  db.version(8).stores({ sealedCache: '++id' })
  db.version(9).stores({}).upgrade(upgradeToVersion9)
  version5.upgrade((transaction) =>
    upgradeToVersion5(transaction, [...version5Tables, ...listMetadataTables, 'pages', 'responses']),
  )
  // Dexie closes the connection itself, so that the newer build need not wait, and reopens it when needed.
  db.on('versionchange', ({ newVersion }) => void (newVersion !== null && outdatedDatabases.add(db)))
  return Object.assign(db as UserDatabase, { storedTrails: db.table(trails), storedTiles: db.table(tiles) })
}

const outdatedDatabases = new WeakSet<Dexie>()

/**
 * Returns true if a newer build has upgraded this database under an older page. That page may still write the outbox, whose format is
 * frozen, but no rows, because it does not know their new metadata (protocol 40).
 */
export const isOutdated = (db: Dexie): boolean => outdatedDatabases.has(db)

export const getRowTable = (db: UserDatabase, table: string): Table<StoredRow, number> => db.table(table)

export const getRows = async (db: UserDatabase, table: string, ids: readonly number[]): Promise<StoredRow[]> =>
  (await getRowTable(db, table).bulkGet([...ids])).filter((row) => row !== undefined)

export const getListRows = (db: UserDatabase, table: string, scope: number | null) =>
  scope === null ? getRowTable(db, table).toCollection() : getRowTable(db, table).where('scope').equals(scope)
