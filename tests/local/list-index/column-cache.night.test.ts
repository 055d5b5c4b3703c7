/** Tests that cached columns of an index are used only until somebody writes to the stored index (protocol 30, 37). */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import {
  createCachedReader,
  countCachedBytes,
  deleteCachedColumns,
  maxCachedBytes,
} from '#local/list-index/column-cache.ts'
import { listMetadataTables, type UserDatabase } from '#local/storage/database.ts'
import { openDevice } from '#local/storage/device.ts'
import { makeIndex } from '#local/list-index/list-index.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storeChanges } from '#local/lists/response-store.ts'
import { removeRow, putRow, type ServerRow } from '#local/lists/row-store.ts'
import { openSession } from '#local/session/session.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { storeCompleteList } from '#local/lists/store-complete-list.ts'
import { buildUser, companyId, userList, firstPage } from '#tests/support/device/device-database.ts'

async function* splitRows(
  rows: ServerRow[],
  betweenPieces: () => Promise<unknown> = async () => {},
): AsyncIterable<ServerRow[]> {
  yield rows.slice(0, 1)
  await betweenPieces()
  yield rows.slice(1)
}

const subject = { companyId, userId: 1 }
const runInTransaction = (db: UserDatabase, action: () => Promise<unknown>) =>
  transact(db, ['users', ...listMetadataTables], action)

/** Opens two tabs that share a disk. The first tab has the list of these users and its index. */
async function openTwoTabs(statuses: readonly (-1 | 0 | 1)[] = [1, 1, 0]) {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const [device, otherDevice] = [openDevice(storage), openDevice(storage)]
  await openSession(device, subject)
  const db = device.getDatabase(subject)
  const users = statuses.map((status, index) => buildUser(index + 1, { status, title: 0 }))
  await storeChanges(
    db,
    userList,
    companyId,
    { changed: users, deletedIds: [], changeNumber: 1, asOf: 1 },
    { isComplete: true, generation: 1 },
  )
  await runInTransaction(db, async () => await makeIndex(db, userList, companyId))
  const readActiveIds = async () =>
    (
      await readListOnDevice(device, userList, { ...firstPage, filters: { statusType: 1 }, sort: ['title', 'desc'] })
    ).rows.map(({ row }) => row.id)
  return { device, otherDevice, db, otherDb: otherDevice.getDatabase(subject), readActiveIds }
}

/** Changes the stored index without a new stamp, which no build does, so that a test can detect a second read. */
const corruptStatusColumn = async (db: UserDatabase) =>
  void (await db.columns.toCollection().modify((column) => {
    if (column.column === 'status') column.values = column.values.map(() => -1)
  }))

beforeEach(() => deleteCachedColumns())

it('A repeated query reads no column again', async () => {
  const { db, readActiveIds } = await openTwoTabs()
  expect(await readActiveIds()).toEqual([2, 1])
  await corruptStatusColumn(db)
  expect(await readActiveIds()).toEqual([2, 1])
  // Checks that the column really was corrupted.
  deleteCachedColumns()
  expect(await readActiveIds()).toEqual([])
})

it('Changes by another tab are read: a changed, a deleted and a new row', async () => {
  const { otherDb, readActiveIds } = await openTwoTabs()
  expect(await readActiveIds()).toEqual([2, 1])
  await runInTransaction(otherDb, () =>
    putRow(otherDb, 'users', buildUser(3, { status: 1, title: 2, row_version: 2 }), 2),
  )
  expect(await readActiveIds()).toEqual([3, 2, 1])
  await runInTransaction(otherDb, () => removeRow(otherDb, 'users', 2, 3))
  expect(await readActiveIds()).toEqual([3, 1])
  await runInTransaction(otherDb, () => putRow(otherDb, 'users', buildUser(9, { status: 1, title: 1 }), 4))
  expect(await readActiveIds()).toEqual([3, 9, 1])
})

it('An index that another tab deleted and built again has another name and is read again', async () => {
  const { db, otherDb, readActiveIds } = await openTwoTabs()
  expect(await readActiveIds()).toEqual([2, 1])
  const [{ name } = { name: '' }] = await db.indexes.toArray()
  await runInTransaction(otherDb, async () => {
    for (const table of ['indexes', 'buckets', 'columns']) await otherDb.table(table).clear()
    await putRow(otherDb, 'users', buildUser(2, { status: 0, row_version: 2 }), 2)
    await makeIndex(otherDb, userList, companyId)
  })
  expect((await db.indexes.toArray()).map((index) => index.name)).not.toContain(name)
  expect(await readActiveIds()).toEqual([1])
})

it('An index that is still being filled is not mistaken for the deleted index', async () => {
  const { otherDb, readActiveIds } = await openTwoTabs()
  const fillList = (pieces: AsyncIterable<ServerRow[]>, changeNumber: number) =>
    storeCompleteList(otherDb, userList, companyId, { pieces, changeNumber, asOf: changeNumber }, 1)
  const rows = [1, 2].map((id) => buildUser(id, { status: 1, title: 0 }))
  await fillList(splitRows(rows), 2)
  expect(await readActiveIds()).toEqual([2, 1])
  await runInTransaction(otherDb, async () => {
    for (const table of listMetadataTables) await otherDb.table(table).clear()
  })
  let idsDuringFill: unknown
  await fillList(
    splitRows(rows, async () => (idsDuringFill = await readActiveIds())),
    3,
  )
  expect(idsDuringFill).toEqual([2, 1])
  expect(await readActiveIds()).toEqual([2, 1])
})

it('A bucket that an older build wrote is never cached', async () => {
  const { db, readActiveIds } = await openTwoTabs()
  await db.buckets.toCollection().modify((bucket) => void delete bucket.stamp)
  expect(await readActiveIds()).toEqual([2, 1])
  await corruptStatusColumn(db)
  expect(await readActiveIds()).toEqual([])
})

it('After a session ended in another tab, no rows are shown and no column stays in memory (K-15)', async () => {
  const { otherDevice, readActiveIds } = await openTwoTabs()
  const updateSession = (fields: object) => otherDevice.directory.session.update('now', fields)
  expect(await readActiveIds()).toEqual([2, 1])
  expect(countCachedBytes()).toBeGreaterThan(0)
  await updateSession({ signedOut: true })
  expect(await readActiveIds()).toEqual([])
  expect(countCachedBytes()).toBe(0)
  await updateSession({ signedOut: false })
  expect(await readActiveIds()).toEqual([2, 1])
  await updateSession({ subject: { companyId, userId: 2 }, generation: 9 })
  expect(await readActiveIds()).toEqual([])
  expect(countCachedBytes()).toBe(0)
})

it('The least recently used column is evicted, and a column that is too large is not cached', async () => {
  const { db } = await openTwoTabs()
  const list = 'users|7#9'
  const bucketRow = { list, at: 1, rows: 1, stamp: 'one' }
  const columnSizes = { a: 0.4, b: 0.4, c: 0.4, large: 1.1 }
  for (const [column, part] of Object.entries(columnSizes))
    await db.columns.put({ list, column, at: 1, values: [0], codes: new Uint8Array(maxCachedBytes * part) })
  const readColumn = (column: string) =>
    db.transaction('r', ['columns'], () => createCachedReader(db, list)(column, [bucketRow]))
  for (const column of ['a', 'b', 'a', 'c', 'large']) await readColumn(column)
  expect(countCachedBytes()).toBeLessThanOrEqual(maxCachedBytes)
  await db.columns.clear()
  const isCached = async (column: string) => ((await readColumn(column))[0]?.codes.length ?? 0) > 0
  // The cached columns are checked first, because a column that is read again replaces one of them.
  expect(await isCached('a')).toBe(true)
  expect(await isCached('c')).toBe(true)
  expect(await isCached('b')).toBe(false)
  expect(await isCached('large')).toBe(false)
})

const userFields = fc.record({
  id: fc.integer({ min: 1, max: 20 }),
  name: fc.constantFrom('Ada', 'ada', 'Élodie', '陈', '𠮷', 'b', ''),
  title: fc.constantFrom(0 as const, 1 as const, 2 as const),
  status: fc.constantFrom(-2 as const, 0 as const, 1 as const),
})
const queryFields = fc.record({
  sort: fc.tuple(fc.constantFrom(...Object.keys(userList.sorts)), fc.constantFrom('asc' as const, 'desc' as const)),
  results: fc.integer({ min: 1, max: 8 }),
  page: fc.integer({ min: 1, max: 3 }),
  filters: fc.record({
    statusType: fc.option(fc.constantFrom(-2, 0, 1), { nil: undefined }),
    searchText: fc.option(fc.constantFrom('a', '陈'), { nil: undefined }),
  }),
})

it('The cache gives the same results as a full read while rows are added, changed and deleted', async () => {
  const stepArbitrary = fc.record({
    puts: fc.array(userFields, { maxLength: 4 }),
    deletedId: fc.integer({ min: 1, max: 20 }),
    queryFields,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 4, maxLength: 8 }), async (steps) => {
      const [indexedTabs, unindexedTabs] = [await openTwoTabs(), await openTwoTabs()]
      await unindexedTabs.db.indexes.clear()
      for (const [index, { puts, deletedId, queryFields: query }] of steps.entries()) {
        for (const { otherDb } of [indexedTabs, unindexedTabs])
          await runInTransaction(otherDb, async () => {
            for (const userInput of puts)
              await putRow(
                otherDb,
                'users',
                buildUser(userInput.id, { ...userInput, row_version: index + 2 }),
                index + 2,
              )
            if (index % 2 === 1) await removeRow(otherDb, 'users', deletedId, index + 2)
          })
        const listQuery: ListQuery = { scope: companyId, ...query }
        const fullView = await readListOnDevice(unindexedTabs.device, userList, listQuery)
        // The times of the results may differ: a full read uses the matching rows, the index uses all rows of the list.
        expect(await readListOnDevice(indexedTabs.device, userList, listQuery), JSON.stringify(listQuery)).toEqual({
          ...fullView,
          asOf: expect.toSatisfy((asOf) => fullView.asOf === null || asOf <= fullView.asOf),
        })
      }
      expect(await indexedTabs.db.indexes.count()).toBe(1)
      expect(await unindexedTabs.db.indexes.count()).toBe(0)
    }),
    { numRuns: 25 },
  )
})
