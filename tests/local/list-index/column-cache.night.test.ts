/** Copies of an index in memory count only while nobody has written what they are copies of (protocol 30, 37). */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { copiesOf, countBytes, forgetCopies, maxBytes } from '#local/list-index/column-cache.ts'
import { besideRows, type UserDatabase } from '#local/storage/database.ts'
import { openDevice } from '#local/storage/device.ts'
import { makeIndex } from '#local/list-index/list-index.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storeChanges } from '#local/lists/response-store.ts'
import { removeRow, putRow, type ServerRow } from '#local/lists/row-store.ts'
import { openSession } from '#local/session/session.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { storeWhole } from '#local/lists/bulk-load.ts'
import { aUser, company, list, firstPage } from '#tests/support/device/device-database.ts'

async function* cut(rows: ServerRow[], between: () => Promise<unknown> = async () => {}): AsyncIterable<ServerRow[]> {
  yield rows.slice(0, 1)
  await between()
  yield rows.slice(1)
}

const subject = { companyId: company, userId: 1 }
const within = (db: UserDatabase, act: () => Promise<unknown>) => transact(db, ['users', ...besideRows], act)

/** Two tabs over one disk; the first has the list of these users, and its index. */
async function twoTabs(statuses: readonly (-1 | 0 | 1)[] = [1, 1, 0]) {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const [device, other] = [openDevice(storage), openDevice(storage)]
  await openSession(device, subject)
  const db = device.of(subject)
  const changed = statuses.map((status, at) => aUser(at + 1, { status, title: 0 }))
  await storeChanges(db, list, company, { changed, gone: [], upto: 1, asOf: 1 }, { all: true, generation: 1 })
  await within(db, async () => await makeIndex(db, list, company))
  const active = async () =>
    (await readListOn(device, list, { ...firstPage, filters: { statusType: 1 }, sort: ['title', 'desc'] })).rows.map(
      ({ row }) => row.id,
    )
  return { device, other, db, there: other.of(subject), active }
}

/** Behind the index's back, as no build of ours writes. */
const spoil = async (db: UserDatabase) =>
  void (await db.columns.toCollection().modify((column) => {
    if (column.column === 'status') column.values = column.values.map(() => -1)
  }))

beforeEach(() => forgetCopies())

it('a question asked again reads no column again', async () => {
  const { db, active } = await twoTabs()
  expect(await active()).toEqual([2, 1])
  await spoil(db)
  expect(await active()).toEqual([2, 1])
  // Else nothing would have been spoilt.
  forgetCopies()
  expect(await active()).toEqual([])
})

it('what another tab wrote in between is read: a row changed, a row gone, a row come', async () => {
  const { there, active } = await twoTabs()
  expect(await active()).toEqual([2, 1])
  await within(there, () => putRow(there, 'users', aUser(3, { status: 1, title: 2, row_version: 2 }), 2))
  expect(await active()).toEqual([3, 2, 1])
  await within(there, () => removeRow(there, 'users', 2, 3))
  expect(await active()).toEqual([3, 1])
  await within(there, () => putRow(there, 'users', aUser(9, { status: 1, title: 1 }), 4))
  expect(await active()).toEqual([3, 9, 1])
})

it('an index that another tab cleared away and made anew has a name of its own, and is read anew', async () => {
  const { db, there, active } = await twoTabs()
  expect(await active()).toEqual([2, 1])
  const [{ name } = { name: '' }] = await db.indexes.toArray()
  await within(there, async () => {
    for (const table of ['indexes', 'buckets', 'columns']) await there.table(table).clear()
    await putRow(there, 'users', aUser(2, { status: 0, row_version: 2 }), 2)
    await makeIndex(there, list, company)
  })
  expect((await db.indexes.toArray()).map((index) => index.name)).not.toContain(name)
  expect(await active()).toEqual([1])
})

it('an index that is only being filled is not taken for the one that was here before all was cleared away', async () => {
  const { there, active } = await twoTabs()
  const filled = (pieces: AsyncIterable<ServerRow[]>, upto: number) =>
    storeWhole(there, list, company, { pieces, upto, asOf: upto }, 1)
  const rows = [1, 2].map((id) => aUser(id, { status: 1, title: 0 }))
  await filled(cut(rows), 2)
  expect(await active()).toEqual([2, 1])
  await within(there, async () => {
    for (const table of besideRows) await there.table(table).clear()
  })
  let meanwhile: unknown
  await filled(
    cut(rows, async () => (meanwhile = await active())),
    3,
  )
  expect(meanwhile).toEqual([2, 1])
  expect(await active()).toEqual([2, 1])
})

it('a bucket that an older build wrote is never copied', async () => {
  const { db, active } = await twoTabs()
  await db.buckets.toCollection().modify((bucket) => void delete bucket.stamp)
  expect(await active()).toEqual([2, 1])
  await spoil(db)
  expect(await active()).toEqual([])
})

it('of a session that ended in another tab nothing is shown and nothing stays in memory, rows wiped or not yet (K-15)', async () => {
  const { other, active } = await twoTabs()
  const change = (to: object) => other.directory.session.update('now', to)
  expect(await active()).toEqual([2, 1])
  expect(countBytes()).toBeGreaterThan(0)
  await change({ signedOut: true })
  expect(await active()).toEqual([])
  expect(countBytes()).toBe(0)
  await change({ signedOut: false })
  expect(await active()).toEqual([2, 1])
  await change({ subject: { companyId: company, userId: 2 }, generation: 9 })
  expect(await active()).toEqual([])
  expect(countBytes()).toBe(0)
})

it('what was used longest ago goes when there is too much, and what is too large is not kept', async () => {
  const { db } = await twoTabs()
  const list = 'users|7#9'
  const bucket = { list, at: 1, rows: 1, stamp: 'one' }
  const columns = { a: 0.4, b: 0.4, c: 0.4, large: 1.1 }
  for (const [column, part] of Object.entries(columns))
    await db.columns.put({ list, column, at: 1, values: [0], codes: new Uint8Array(maxBytes * part) })
  const read = (column: string) => db.transaction('r', ['columns'], () => copiesOf(db, list)(column, [bucket]))
  for (const column of ['a', 'b', 'a', 'c', 'large']) await read(column)
  expect(countBytes()).toBeLessThanOrEqual(maxBytes)
  await db.columns.clear()
  const isKept = async (column: string) => ((await read(column))[0]?.codes.length ?? 0) > 0
  // Asked of the kept ones first: what is read new takes their place.
  expect(await isKept('a')).toBe(true)
  expect(await isKept('c')).toBe(true)
  expect(await isKept('b')).toBe(false)
  expect(await isKept('large')).toBe(false)
})

const put = fc.record({
  id: fc.integer({ min: 1, max: 20 }),
  name: fc.constantFrom('Ada', 'ada', 'Élodie', '陈', '𠮷', 'b', ''),
  title: fc.constantFrom(0 as const, 1 as const, 2 as const),
  status: fc.constantFrom(-2 as const, 0 as const, 1 as const),
})
const asking = fc.record({
  sort: fc.tuple(fc.constantFrom(...Object.keys(list.sorts)), fc.constantFrom('asc' as const, 'desc' as const)),
  results: fc.integer({ min: 1, max: 8 }),
  page: fc.integer({ min: 1, max: 3 }),
  filters: fc.record({
    statusType: fc.option(fc.constantFrom(-2, 0, 1), { nil: undefined }),
    searchText: fc.option(fc.constantFrom('a', '陈'), { nil: undefined }),
  }),
})

it('says what reading all says, asked again and again while rows come, change and go', async () => {
  const step = fc.record({ puts: fc.array(put, { maxLength: 4 }), gone: fc.integer({ min: 1, max: 20 }), asking })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      const [indexed, whole] = [await twoTabs(), await twoTabs()]
      await whole.db.indexes.clear()
      for (const [at, { puts, gone, asking: asked }] of steps.entries()) {
        for (const { there } of [indexed, whole])
          await within(there, async () => {
            for (const one of puts) await putRow(there, 'users', aUser(one.id, { ...one, row_version: at + 2 }), at + 2)
            if (at % 2 === 1) await removeRow(there, 'users', gone, at + 2)
          })
        const query: ListQuery = { scope: company, ...asked }
        const all = await readListOn(whole.device, list, query)
        // How old it is: that of the rows that are meant, or of all that the index is of.
        expect(await readListOn(indexed.device, list, query), JSON.stringify(query)).toEqual({
          ...all,
          asOf: expect.toSatisfy((asOf) => all.asOf === null || asOf <= all.asOf),
        })
      }
      expect(await indexed.db.indexes.count()).toBe(1)
      expect(await whole.db.indexes.count()).toBe(0)
    }),
    { numRuns: 25 },
  )
})
