/** Tests that a list that is read by its index equals the same list from a full read, after any changes (protocol 37). */
import { liveQuery } from 'dexie'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storedTrailListSpec } from '#contract/audit-trail.ts'
import type { ListSpec } from '#contract/endpoint.ts'
import { orderListSpec } from '#contract/orders.ts'
import type { UserRow } from '#contract/users.ts'
import { toPendingOrder } from '#domain/orders.ts'
import { listMetadataTables, type UserDatabase } from '#local/storage/database.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { minIndexedRows, makeIndex, verifyIndex } from '#local/list-index/list-index.ts'
import type { Device } from '#local/storage/device.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storeChanges, storePage } from '#local/lists/response-store.ts'
import { removeRow, putRow } from '#local/lists/row-store.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { storeCompleteList } from '#local/lists/store-complete-list.ts'
import {
  buildNewEntry,
  buildUser,
  companyId,
  userList,
  firstPage,
  type TestDevice,
  openTestDevice,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

/** A list whose day filter uses the field that also orders the list, so that the index can skip whole buckets. */
const trailSpec: ListSpec = {
  ...storedTrailListSpec,
  filters: {
    ...storedTrailListSpec.filters,
    dateFrom: { kind: 'from', column: 'end_time' },
    dateTo: { kind: 'until', column: 'end_time' },
  },
}
const allTables = ['users', 'trail', 'orders', ...listMetadataTables]
const createIndex = (db: UserDatabase, listSpec = userList, scope: number | null = companyId) =>
  transact(db, allTables, async () => await makeIndex(db, listSpec, scope))

/** Returns all values of the index, in an order that does not depend on how the index was built. */
async function readIndexContent(db: UserDatabase) {
  const columns = await db.columns.toArray()
  const columnValues = columns.map(({ column, at: bucketKey, values, codes }) => [
    column,
    String(bucketKey),
    [...codes].map((code) => (column === '#' ? code : values[code])),
  ])
  const buckets = (await db.buckets.toArray()).map(({ at, rows }) => [String(at), rows])
  return { columnValues, buckets }
}

const names = ['Ada', 'ada', 'Élodie', '陈', '𠮷', '～', 'b', '']
const userArbitrary = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  name: fc.constantFrom(...names),
  title: fc.constantFrom(0 as const, 1 as const, 2 as const),
  status: fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const),
  admin: fc.boolean(),
})
const changeArbitrary = fc.oneof(
  { weight: 4, arbitrary: userArbitrary.map((fields) => ({ kind: 'put' as const, fields })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((id) => ({ kind: 'gone' as const, id })) },
  {
    weight: 1,
    arbitrary: fc.array(userArbitrary, { maxLength: 6 }).map((rows) => ({ kind: 'changes' as const, rows })),
  },
)
const queryArbitrary = fc.record({
  field: fc.constantFrom(...Object.keys(userList.sorts)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  results: fc.integer({ min: 1, max: 8 }),
  page: fc.integer({ min: 1, max: 5 }),
  newRows: fc.constantFrom([], [3], [30, 2, 1]),
  statusType: fc.option(fc.constantFrom(-2, -1, 0, 1), { nil: undefined }),
  includedDel: fc.option(fc.boolean(), { nil: undefined }),
  searchText: fc.option(fc.constantFrom('a', 'A', '陈', 'user'), { nil: undefined }),
})

const toListQuery = ({
  field,
  order,
  results,
  page,
  newRows,
  ...filters
}: typeof queryArbitrary extends fc.Arbitrary<infer Q> ? Q : never) =>
  ({ scope: companyId, filters, sort: [field, order], page, results, newRowRefs: newRows }) satisfies ListQuery

const runInTransaction = (db: UserDatabase, action: () => Promise<unknown>) =>
  transact(db, allTables, async () => await action())

async function applyChanges(
  { db, generation }: TestDevice,
  changes: (typeof changeArbitrary extends fc.Arbitrary<infer C> ? C : never)[],
) {
  let version = 1
  for (const change of changes) {
    version += 1
    const buildChangedRow = (fields: Partial<UserRow> & { id: number }) =>
      buildUser(fields.id, { ...fields, row_version: version } as never)
    const asOf = version * 10
    if (change.kind === 'put')
      await runInTransaction(db, () => putRow(db, 'users', buildChangedRow(change.fields), asOf))
    else if (change.kind === 'gone') await runInTransaction(db, () => removeRow(db, 'users', change.id, asOf))
    else {
      const changed = [...new Map(change.rows.map((fields) => [fields.id, buildChangedRow(fields)])).values()]
      await storeChanges(
        db,
        userList,
        companyId,
        { changed, deletedIds: [1], changeNumber: version, asOf },
        { isComplete: false, generation },
      )
    }
  }
}

describe('a list index that is maintained with its rows', () => {
  it('equals an index that is built from the rows, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changeArbitrary, { minLength: 1, maxLength: 12 }), async (changes) => {
        const testDevice = await openTestDevice()
        await createIndex(testDevice.db)
        await applyChanges(testDevice, changes)
        const maintainedIndex = await readIndexContent(testDevice.db)
        const listStats = await testDevice.db.listStats.toArray()
        expect(listStats.reduce((sum, { rows }) => sum + rows, 0)).toBe(await testDevice.db.table('users').count())
        await createIndex(testDevice.db)
        expect(maintainedIndex).toEqual(await readIndexContent(testDevice.db))
      }),
      { numRuns: 25 },
    )
  })

  it('gives the rows, order and counts of a full read, with waiting writes', async () => {
    const writes = fc.array(fc.record({ target: fc.integer({ min: 0, max: 30 }), name: fc.constantFrom(...names) }), {
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(userArbitrary, { minLength: 1, maxLength: 25 }),
        writes,
        fc.array(queryArbitrary, { minLength: 8, maxLength: 8 }),
        async (rows, drafts, queries) => {
          const { db, device, generation } = await openTestDevice()
          const users = [...new Map(rows.map((fields) => [fields.id, buildUser(fields.id, fields)])).values()]
          await storeChanges(
            db,
            userList,
            companyId,
            { changed: users, deletedIds: [], changeNumber: 1, asOf: 10 },
            { isComplete: true, generation },
          )
          for (const { target, name } of drafts) {
            const body = { title: 2 as const, name, email: 'made@acme.example' }
            await enqueue(
              db,
              target === 0
                ? buildNewEntry({ target: null, action: 'create', endpoint: 'createUser', input: { body } })
                : buildNewEntry({ target, input: { params: { id: target }, body: { name, title: 2 } } }),
            )
          }
          const readViews = async () => {
            const views = []
            for (const queryInput of queries)
              views.push(await readListOnDevice(device, userList, toListQuery(queryInput)))
            return views
          }
          const unindexedViews = await readViews()
          await createIndex(db)
          expect(await readViews(), JSON.stringify(queries)).toEqual(unindexedViews)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('finds unpaid orders and effective orders with a change to be paid (D35)', async () => {
    const { db, device, generation } = await openTestDevice()
    const draft = { code: 'shop', name: 'Shop', currency: 'HKD', user_mode: 'NAMED', users: 1, period: 1, modules: [] }
    const buildOrderRow = (id: number, status: number, pending: object | null = null) => ({
      ...toPendingOrder({ ...draft, period_start: '2026-01-01' } as never, { intent: '', companyId }),
      id,
      status,
      pending,
      payment: status === 0 || pending ? 'due' : 'none',
      row_version: 1,
    })
    const pendingChange = { id: 9, type: 'change', amount: '1.00', due: '2026-03-09 23:59:59' }
    const orders = [buildOrderRow(1, 0), buildOrderRow(2, 1), buildOrderRow(3, 1, pendingChange), buildOrderRow(4, 2)]
    await storeChanges(
      db,
      orderListSpec,
      companyId,
      { changed: orders, deletedIds: [], changeNumber: 1, asOf: 1 },
      { isComplete: true, generation },
    )
    const findOrderIds = async (status: number) => {
      const query = { scope: companyId, filters: { status }, sort: ['id', 'asc'], page: 1, results: 10 } as const
      const { rows, count } = await readListOnDevice(device, orderListSpec, query)
      expect(rows).toHaveLength(count)
      return rows.map(({ row }) => row.id)
    }
    expect([await findOrderIds(0), await findOrderIds(1)]).toEqual([
      [1, 3],
      [2, 3],
    ])
    await createIndex(db, orderListSpec)
    expect(await db.indexes.count()).toBe(1)
    expect([await findOrderIds(0), await findOrderIds(1)]).toEqual([
      [1, 3],
      [2, 3],
    ])
  })

  it('is built once a list has more than the minimum number of rows', async () => {
    const { db, device, generation } = await openTestDevice()
    const users = Array.from({ length: minIndexedRows + 1 }, (_, index) => buildUser(index + 1))
    const storeUsers = (changeNumber: number) =>
      storeChanges(
        db,
        userList,
        companyId,
        { changed: users, deletedIds: [], changeNumber, asOf: changeNumber },
        { isComplete: true, generation },
      )
    users.pop()
    await storeUsers(1)
    expect(await db.indexes.count()).toBe(0)
    users.push(buildUser(minIndexedRows + 1))
    await storeUsers(2)
    expect(await db.indexes.count()).toBe(1)
    const view = await readListOnDevice(device, userList, { ...firstPage, page: 3, sort: ['id', 'desc'] })
    expect(view).toMatchObject({ count: minIndexedRows + 1, cachedCount: minIndexedRows + 1, complete: true })
    expect(view.rows[0]?.row.id).toBe(minIndexedRows + 1 - 20)
  })

  it('finds rows that are missing in a later response, so that they are removed', async () => {
    const { db, generation } = await openTestDevice()
    const rows = [1, 2, 3, 4].map((id) => buildUser(id))
    await storePage(db, userList, firstPage, buildPageResponse(rows, 100), generation)
    await createIndex(db)
    const [first, , third] = rows
    const response = buildPageResponse([first, third] as typeof rows, 200, '2', 3)
    await storePage(db, userList, { ...firstPage, results: 2 }, response, generation)
    expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 3, 4])
  })

  it('is built again if it does not match its rows', async () => {
    const { db, device, generation } = await openTestDevice()
    const users = [1, 2, 3].map((id) => buildUser(id))
    await storeChanges(
      db,
      userList,
      companyId,
      { changed: users, deletedIds: [], changeNumber: 1, asOf: 1 },
      { isComplete: true, generation },
    )
    await createIndex(db)
    expect(await verifyIndex(db, userList, companyId, 2)).toBe(true)
    const { name } = (await db.indexes.get('users|7')) ?? {}
    const [column] = await db.columns.where('[list+column+at]').above([name, 'status', -Infinity]).limit(1).toArray()
    if (column) await db.columns.put({ ...column, values: [-2] })
    expect((await readListOnDevice(device, userList, firstPage)).count).toBe(0)
    expect(await verifyIndex(db, userList, companyId, 2)).toBe(false)
    expect((await readListOnDevice(device, userList, firstPage)).count).toBe(3)
  })
})

const formatDay = (dayIndex: number) => new Date(Date.UTC(2026, 0, 1 + dayIndex)).toISOString().slice(0, 10)
const buildTrailRow = (id: number, end_time = `${formatDay(Math.floor(id / 10))} 10:00:00`) => ({
  id,
  company_id: 7,
  code: ['user', 'order'][id % 2] as string,
  operation: 'create',
  exec_user_name: `User ${id % 5}`,
  end_time,
  status: 0,
  row_version: 1,
})
const buildTrailRows = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => buildTrailRow(first + index))
const trailQuery: ListQuery = { scope: companyId, filters: {}, sort: ['end_time', 'desc'], page: 1, results: 10 }
const readTrail = (device: Device, query = trailQuery) => readListOnDevice(device, trailSpec, query)

describe('a complete list that is stored in pieces', () => {
  it('shows the former list until all pieces are stored, and then all rows at once (protocol 38, requirement 28)', async () => {
    const { db, device, generation } = await openTestDevice()
    await storeCompleteList(
      db,
      trailSpec,
      companyId,
      { pieces: [buildTrailRows(1, 5)], changeNumber: 1, asOf: 100 },
      generation,
    )
    const rowCounts: number[] = []
    const countRows = async () => (await readTrail(device)).count
    async function* pieces() {
      for (const first of [6, 26, 46]) {
        yield buildTrailRows(first, first + 19)
        rowCounts.push(await countRows())
      }
    }
    expect(
      await storeCompleteList(db, trailSpec, companyId, { pieces: pieces(), changeNumber: 2, asOf: 200 }, generation),
    ).toBe(true)
    expect(rowCounts).toEqual([5, 5, 5])
    // The first five rows are not in the response, so they are deleted.
    expect(await readTrail(device)).toMatchObject({ count: 60, complete: true, asOf: 200 })
    expect(await db.table('trail').count()).toBe(60)
  })

  it('leaves the former list unchanged if storing fails, and can be stored again', async () => {
    const { db, device, generation } = await openTestDevice()
    await storeCompleteList(
      db,
      trailSpec,
      companyId,
      { pieces: [buildTrailRows(1, 5)], changeNumber: 1, asOf: 100 },
      generation,
    )
    async function* failingPieces() {
      yield buildTrailRows(1, 20)
      throw new Error('the line is gone')
    }
    await expect(
      storeCompleteList(db, trailSpec, companyId, { pieces: failingPieces(), changeNumber: 2, asOf: 200 }, generation),
    ).rejects.toThrow()
    expect(await readTrail(device)).toMatchObject({ count: 5, complete: true, asOf: 100 })
    expect(
      await storeCompleteList(
        db,
        trailSpec,
        companyId,
        { pieces: [buildTrailRows(1, 20)], changeNumber: 3, asOf: 300 },
        generation,
      ),
    ).toBe(true)
    expect((await readTrail(device)).count).toBe(20)
    const lists = new Set((await db.columns.toArray()).map(({ list }) => list))
    expect(lists.size).toBe(1)
  })

  it('keeps rows that arrived while it was stored, and stores nothing for an ended session', async () => {
    const { db, device, generation } = await openTestDevice()
    async function* pieces() {
      yield buildTrailRows(1, 10)
      await transact(db, allTables, async () => await putRow(db, 'trail', buildTrailRow(99), 300))
      yield buildTrailRows(11, 20)
    }
    await storeCompleteList(db, trailSpec, companyId, { pieces: pieces(), changeNumber: 2, asOf: 200 }, generation)
    const { count, rows } = await readTrail(device)
    expect([count, rows[0]?.row.id]).toEqual([21, 99])
    expect(
      await storeCompleteList(
        db,
        trailSpec,
        companyId,
        { pieces: [buildTrailRows(1, 5)], changeNumber: 3, asOf: 400 },
        generation + 1,
      ),
    ).toBe(false)
    expect((await readTrail(device)).count).toBe(21)
  })
})

describe('a range of days', () => {
  it('includes both days, and its live query does not read rows of other days', async () => {
    const { db, device, generation } = await openTestDevice()
    await storeCompleteList(
      db,
      trailSpec,
      companyId,
      { pieces: [buildTrailRows(1, 99)], changeNumber: 1, asOf: 100 },
      generation,
    )
    const rangeQuery = { ...trailQuery, filters: { dateFrom: formatDay(2), dateTo: formatDay(4) } }
    const rowCounts: number[] = []
    const subscription = liveQuery(async () => await readTrail(device, rangeQuery)).subscribe(({ count }) =>
      rowCounts.push(count),
    )
    await expect.poll(() => rowCounts).toEqual([30])
    const putTrailRow = (id: number, dayIndex: number) =>
      transact(db, allTables, () => putRow(db, 'trail', buildTrailRow(id, `${formatDay(dayIndex)} 23:59:59`), 200))
    await putTrailRow(1_000, 8)
    await putTrailRow(1_001, 4)
    await expect.poll(() => rowCounts.at(-1)).toBe(31)
    // Only the second row notifies the query. The first row is in another bucket.
    expect(rowCounts).toEqual([30, 31])
    subscription.unsubscribe()
  })
})
