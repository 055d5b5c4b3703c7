/**
 * Tests two builds that share a database. The newer build upgrades it while a page of the older build is open (protocol 40, R-19, R-20).
 */
import { Dexie } from 'dexie'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { VersionedRow } from '#contract/endpoint.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { renameCachedRecord, renameSealedWrite } from '#local/storage/upgrade.ts'
import { buildDatabaseName, openDatabase, type StorageFactories } from '#local/storage/database.ts'
import { openDevice } from '#local/storage/device.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storeChanges, storePage } from '#local/lists/response-store.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { transact } from '#local/storage/transaction.ts'
import { openSession } from '#local/session/session.ts'
import { freeze } from '#request/writes/record-write.ts'
import {
  buildNewEntry,
  buildUser,
  companyId,
  userList,
  firstPage,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

const subject = { companyId, userId: 1 }
const name = buildDatabaseName(subject)
const claimOptions = {
  now: 1_000,
  leaseMs: 45_000,
  maxEntries: 4,
  generation: 1,
  isLockStolen: false,
  freezeRequest: freeze,
}
const users = Array.from({ length: 12 }, (_, index) => buildUser(index + 1))

const createStoredRow = (row: VersionedRow = buildUser(1)): StoredRow => ({
  id: 1,
  scope: companyId,
  version: 1,
  asOf: 5,
  row,
  folds: { name: 'user 1', email: '' },
})

/** Opens a database with the tables of the last build before the first list index. */
function openOlderDatabase(storage: { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange }): Dexie {
  const db = new Dexie(name, storage)
  db.version(1).stores({
    users: 'id, scope',
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
  return db
}

it('The upgrade keeps everything that an older build stored, in its order', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const older = openOlderDatabase(storage)
  const oldEntries = Array.from({ length: 50 }, (_, index) => {
    const { input, action, ...draft } = buildNewEntry({ target: index + 1 })
    return { ...draft, seq: index + 1, lane: `user:${index}`, asked: input, makes: action }
  })
  const fields = { state: 'waiting', dependsOn: [], bytes: null, attempts: 0, notBefore: 0, held: 'line', fence: 0 }
  await older
    .table('outbox')
    .bulkAdd(oldEntries.map((draft) => ({ ...draft, ...fields, leaseUntil: 0, problem: null })))
  await older.table('names').put({ intent: 'a', kind: 'user', id: 7 })
  await older
    .table('receipts')
    .put({ intent: 'b', time: 1, outcome: 'done', status: 200, body: '', ledgerId: '9', about: { makes: 'delete' } })
  await older.table('meta').bulkPut([
    { name: 'gate', open: true, generation: 1 },
    { name: 'made', count: 50 },
    { name: 'typed:order', value: { users: 3 }, at: 1 },
  ])
  await older.table('users').put(createStoredRow(users[0]))

  // The older page stays open.
  const newer = openDatabase(name, storage)
  expect((await newer.outbox.orderBy('seq').toArray()).map(({ intent }) => intent)).toEqual(
    oldEntries.map(({ intent }) => intent),
  )
  expect(await newer.outbox.get(oldEntries[4]?.intent ?? '')).toMatchObject({
    queueKey: 'user:4',
    input: oldEntries[4]?.asked,
    action: oldEntries[4]?.makes,
    delayedBy: 'network',
  })
  expect(await newer.rowIds.get('a')).toMatchObject({ kind: 'user', id: 7 })
  expect(await newer.receipts.get('b')).toMatchObject({ outcomeId: '9', about: { action: 'delete' } })
  expect(await newer.meta.toCollection().primaryKeys()).toEqual(['draft:order', 'session-generation', 'write-counter'])
  expect(await newer.table('users').count()).toBe(0)
  expect(await claimEntries(newer, { ...claimOptions, maxEntries: 50 })).not.toHaveLength(0)
  await storePage(newer, userList, firstPage, buildPageResponse([buildUser(2)], 10, '1', 2), 1)
  expect(await newer.listStats.toArray()).toMatchObject([
    { table: 'users', scope: companyId, rows: await newer.table('users').count() },
  ])
  newer.close()
  older.close()
})

/** Stores records under the names of version 8 that version 9 replaces, and others that it does not change. */
async function fillVersion8(storage: StorageFactories): Promise<void> {
  const older = new Dexie(name, storage)
  older.version(8).stores({
    users: 'id, scope',
    syncPoints: 'id',
    listStats: 'id, table',
    meta: 'name',
    outbox: 'intent, seq',
    keptTrails: 'companyId',
    keptTiles: '[companyId+level+index]',
    sealedCache: '++id',
  })
  await older.table('users').put(createStoredRow(users[0]))
  await older.table('syncPoints').put({ id: 'users|7', upto: 12, asOf: 5, gaps: false })
  const stats = { id: 'users|7', table: 'users', scope: companyId, rows: 1, bytes: 9, asOf: 4, newest: 5 }
  await older.table('listStats').put(stats)
  await older.table('meta').bulkPut([
    { name: 'persist', askedAt: 6 },
    { name: 'write-counter', count: 3 },
  ])
  await older.table('outbox').put({ ...buildNewEntry({ target: 1 }), seq: 1, queueKey: 'user:1' })
  await older.table('keptTrails').put({ companyId, dateFrom: '2026-01-01' })
  await older.table('keptTiles').put({ companyId, level: -1, index: 3, leaves: ['leaf'] })
  older.close()
}

it('Version 9 keeps everything that version 8 stored, some of it under new names', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  await fillVersion8(storage)
  const db = openDatabase(name, storage)
  expect(await db.table('users').toArray()).toEqual([createStoredRow(users[0])])
  expect(await db.syncPoints.toArray()).toEqual([{ id: 'users|7', changeNumber: 12, asOf: 5, gaps: false }])
  expect(await db.listStats.toArray()).toMatchObject([{ rows: 1, asOf: 4, latestAsOf: 5 }])
  expect(await db.listStats.filter((stats) => 'newest' in stats).count()).toBe(0)
  expect(await db.meta.toArray()).toEqual([
    { name: 'persist', requestedAt: 6 },
    { name: 'write-counter', count: 3 },
  ])
  expect(await db.outbox.count()).toBe(1)
  expect(await db.storedTrails.toArray()).toEqual([{ companyId, dateFrom: '2026-01-01' }])
  expect(await db.storedTiles.toArray()).toMatchObject([{ level: -1, leaves: ['leaf'] }])
  db.close()
})

it('A page of an earlier build reads rows and stored trails of a newer build (protocol 40)', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  await fillVersion8(storage)
  const newer = openDatabase(name, storage)
  await newer.open()
  const older = new Dexie(name, storage)
  older.version(8).stores({ users: 'id, scope', keptTrails: 'companyId', keptTiles: '[companyId+level+index]' })
  await transact(newer, ['users'], () => newer.table('users').put({ ...createStoredRow(users[1]), id: 2 }))
  expect((await older.table('users').toArray()).map(({ folds }) => folds)).toEqual([
    { name: 'user 1', email: '' },
    { name: 'user 1', email: '' },
  ])
  expect([await older.table('keptTrails').count(), await older.table('keptTiles').count()]).toEqual([1, 1])
  older.close()
  newer.close()
})

it('Data that version 8 sealed is restored under the new names', () => {
  expect(renameCachedRecord('users', { id: 1, upto: 2 })).toEqual({ id: 1, upto: 2 })
  expect(renameCachedRecord('listStats', { id: 'x', newest: 5 })).toEqual({ id: 'x', latestAsOf: 5 })
  expect(renameCachedRecord('syncPoints', { id: 'x', upto: 5 })).toEqual({ id: 'x', changeNumber: 5 })
  const write = { intent: 'a', refers: ['b'], versioned: true, input: { body: { refers: 1 } } }
  expect(renameSealedWrite(write)).toEqual({
    intent: 'a',
    referredIntents: ['b'],
    isVersioned: true,
    input: { body: { refers: 1 } },
  })
})

it("After an upgrade, the device still stores which user's session has expired", async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const older = new Dexie('portal-device', storage)
  older.version(1).stores({ session: 'name', occupants: '[companyId+userId]' })
  await older.table('occupants').bulkPut([
    { companyId: 7, userId: 1, clean: false, lapsed: true },
    { companyId: 7, userId: 2, clean: true },
  ])
  older.close()
  const { directory } = openDevice(storage)
  expect(await directory.occupants.toArray()).toEqual([
    { companyId: 7, userId: 1, clean: false, isExpired: true },
    { companyId: 7, userId: 2, clean: true },
  ])
  directory.close()
})

it('A page of this build still writes its outbox under a newer build, but stores no rows (F-13)', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const device = openDevice(storage)
  await openSession(device, subject)
  const db = device.getDatabase(subject)
  await storeChanges(
    db,
    userList,
    companyId,
    { changed: users, deletedIds: [], changeNumber: 1, asOf: 1 },
    { isComplete: true, generation: 1 },
  )
  for (let n = 0; n < 50; n++) await enqueue(db, buildNewEntry({ target: 1 + (n % 12) }))

  const newer = openDatabase(name, storage)
  newer.version(1_000).stores({ tomorrow: 'id' })
  await newer.open()
  expect(await newer.outbox.count()).toBe(50)

  const laterEntry = await enqueue(db, buildNewEntry({ target: 3 }))
  expect(await newer.outbox.get(laterEntry.intent)).toEqual(laterEntry)
  expect(await storePage(db, userList, firstPage, buildPageResponse([buildUser(77)], 99), 1)).toBe(false)
  expect(await newer.table('users').count()).toBe(12)
  // The older page still shows the rows.
  expect((await readListOnDevice(device, userList, firstPage)).count).toBe(12)
  newer.close()
  db.close()
})

it('Changes with the content that the device has are not written again', async () => {
  const device = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange })
  await openSession(device, subject)
  const db = device.getDatabase(subject)
  const changes = { deletedIds: [], changeNumber: 1, asOf: 1 }
  await storeChanges(db, userList, companyId, { ...changes, changed: users }, { isComplete: true, generation: 1 })
  const changed = users.map((user) => (user.id === 4 ? { ...user, name: 'Renamed' } : user))
  const laterChanges = { ...changes, changed, changeNumber: 2, asOf: 2 }
  await storeChanges(db, userList, companyId, laterChanges, { isComplete: false, generation: 1 })
  const storedRows = (await db.table('users').toArray()) as StoredRow[]
  expect(storedRows.filter(({ asOf }) => asOf === 2).map(({ id }) => id)).toEqual([4])
  const { rows, asOf, complete: isComplete } = await readListOnDevice(device, userList, { ...firstPage, results: 50 })
  expect([asOf, isComplete]).toEqual([2, true])
  expect(rows.find(({ row }) => row.id === 4)?.row).toMatchObject({ name: 'Renamed' })
})

it('A row that the server deleted is in no list, page, index or form', async () => {
  const device = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange })
  await openSession(device, subject)
  const db = device.getDatabase(subject)
  await storePage(db, userList, firstPage, buildPageResponse(users.slice(0, 10), 1, '1', 12), 1)
  await storeChanges(
    db,
    userList,
    companyId,
    { changed: users, deletedIds: [], changeNumber: 1, asOf: 2 },
    { isComplete: true, generation: 1 },
  )
  await storeChanges(
    db,
    userList,
    companyId,
    { changed: [], deletedIds: [4], changeNumber: 2, asOf: 3 },
    { isComplete: false, generation: 1 },
  )
  for (const query of [firstPage, { ...firstPage, sort: ['id', 'desc'] as const }, { ...firstPage, results: 50 }]) {
    const { rows, count } = await readListOnDevice(device, userList, query)
    expect([rows.some(({ row }) => row.id === 4), count]).toEqual([false, 11])
  }
  expect(await db.table('users').get(4)).toBeUndefined()
  // An older response that contains the row does not restore it (protocol 33).
  await storePage(db, userList, firstPage, buildPageResponse(users.slice(0, 10), 2, '1', 12), 1)
  expect(await db.table('users').get(4)).toBeUndefined()
})
