/** A list read by its index says what the same list says when it is read whole, whatever happened to it (protocol 37). */
import { liveQuery } from 'dexie'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keptTrail } from '#contract/audit-trail.ts'
import type { ListSpec } from '#contract/endpoint.ts'
import { ordersFills } from '#contract/orders.ts'
import type { UserRow } from '#contract/users.ts'
import { orderedHere } from '#domain/orders.ts'
import { besideRows, type UserDatabase } from '#local/storage/database.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { indexedFrom, makeIndex, proveIndex } from '#local/list-index/list-index.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storeChanges, storePage } from '#local/lists/response-store.ts'
import { removeRow, putRow } from '#local/lists/row-store.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { storeWhole } from '#local/lists/bulk-load.ts'
import {
  aDraft,
  aUser,
  company,
  list,
  firstPage,
  type Kept,
  keptDevice,
  pageAnswer,
} from '#tests/support/device/device-database.ts'

/** Its days are asked for by the time it is ordered by, which the index finds by whole buckets. */
const trail: ListSpec = {
  ...keptTrail,
  filters: {
    ...keptTrail.filters,
    dateFrom: { kind: 'from', column: 'end_time' },
    dateTo: { kind: 'until', column: 'end_time' },
  },
}
const all = ['users', 'trail', 'orders', ...besideRows]
const indexOf = (db: UserDatabase, of = list, scope: number | null = company) =>
  transact(db, all, async () => await makeIndex(db, of, scope))

/** Everything that the index says, in an order that does not depend on how it came about. */
async function written(db: UserDatabase) {
  const columns = await db.columns.toArray()
  const told = columns.map(({ column, at, values, codes }) => [
    column,
    String(at),
    [...codes].map((code) => (column === '#' ? code : values[code])),
  ])
  return { told, buckets: (await db.buckets.toArray()).map(({ at, rows }) => [String(at), rows]) }
}

const names = ['Ada', 'ada', 'Élodie', '陈', '𠮷', '～', 'b', '']
const user = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  name: fc.constantFrom(...names),
  title: fc.constantFrom(0 as const, 1 as const, 2 as const),
  status: fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const),
  admin: fc.boolean(),
})
const change = fc.oneof(
  { weight: 4, arbitrary: user.map((given) => ({ kind: 'put' as const, given })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((id) => ({ kind: 'gone' as const, id })) },
  {
    weight: 1,
    arbitrary: fc.array(user, { maxLength: 6 }).map((rows) => ({ kind: 'changes' as const, rows })),
  },
)
const query = fc.record({
  field: fc.constantFrom(...Object.keys(list.sorts)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  results: fc.integer({ min: 1, max: 8 }),
  page: fc.integer({ min: 1, max: 5 }),
  newRows: fc.constantFrom([], [3], [30, 2, 1]),
  statusType: fc.option(fc.constantFrom(-2, -1, 0, 1), { nil: undefined }),
  includedDel: fc.option(fc.boolean(), { nil: undefined }),
  searchText: fc.option(fc.constantFrom('a', 'A', '陈', 'user'), { nil: undefined }),
})

const asked = ({
  field,
  order,
  results,
  page,
  newRows,
  ...filters
}: typeof query extends fc.Arbitrary<infer Q> ? Q : never) =>
  ({ scope: company, filters, sort: [field, order], page, results, newRows }) satisfies ListQuery

const within = (db: UserDatabase, act: () => Promise<unknown>) => transact(db, all, async () => await act())

async function happen({ db, generation }: Kept, what: (typeof change extends fc.Arbitrary<infer C> ? C : never)[]) {
  let version = 1
  for (const one of what) {
    version += 1
    const row = (given: Partial<UserRow> & { id: number }) =>
      aUser(given.id, { ...given, row_version: version } as never)
    const asOf = version * 10
    if (one.kind === 'put') await within(db, () => putRow(db, 'users', row(one.given), asOf))
    else if (one.kind === 'gone') await within(db, () => removeRow(db, 'users', one.id, asOf))
    else {
      const changed = [...new Map(one.rows.map((given) => [given.id, row(given)])).values()]
      await storeChanges(db, list, company, { changed, gone: [1], upto: version, asOf }, { all: false, generation })
    }
  }
}

describe('an index kept with its rows', () => {
  it('is the one that would be made from them, whatever came, changed and went', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (what) => {
        const kept = await keptDevice()
        await indexOf(kept.db)
        await happen(kept, what)
        const asKept = await written(kept.db)
        const holding = await kept.db.listStats.toArray()
        expect(holding.reduce((sum, { rows }) => sum + rows, 0)).toBe(await kept.db.table('users').count())
        await indexOf(kept.db)
        expect(asKept).toEqual(await written(kept.db))
      }),
      { numRuns: 25 },
    )
  })

  it('shows what reading all shows: rows, order, counts, with writes waiting over it', async () => {
    const writes = fc.array(fc.record({ target: fc.integer({ min: 0, max: 30 }), name: fc.constantFrom(...names) }), {
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(user, { minLength: 1, maxLength: 25 }),
        writes,
        fc.array(query, { minLength: 8, maxLength: 8 }),
        async (rows, drafts, queries) => {
          const { db, device, generation } = await keptDevice()
          const changed = [...new Map(rows.map((given) => [given.id, aUser(given.id, given)])).values()]
          await storeChanges(db, list, company, { changed, gone: [], upto: 1, asOf: 10 }, { all: true, generation })
          for (const { target, name } of drafts) {
            const body = { title: 2 as const, name, email: 'made@acme.example' }
            await enqueue(
              db,
              target === 0
                ? aDraft({ target: null, action: 'create', endpoint: 'createUser', input: { body } })
                : aDraft({ target, input: { params: { id: target }, body: { name, title: 2 } } }),
            )
          }
          const whole = []
          for (const one of queries) whole.push(await readListOn(device, list, asked(one)))
          await indexOf(db)
          for (const [at, one] of queries.entries())
            expect(await readListOn(device, list, asked(one)), JSON.stringify(one)).toEqual(whole[at])
        },
      ),
      { numRuns: 15 },
    )
  })

  it('finds what is unpaid and what is in effect with a change that waits to be paid (D35)', async () => {
    const { db, device, generation } = await keptDevice()
    const draft = { code: 'shop', name: 'Shop', currency: 'HKD', user_mode: 'NAMED', users: 1, period: 1, modules: [] }
    const order = (id: number, status: number, pending: object | null = null) => ({
      ...orderedHere({ ...draft, period_start: '2026-01-01' } as never, { intent: '', companyId: company }),
      id,
      status,
      pending,
      payment: status === 0 || pending ? 'due' : 'none',
      row_version: 1,
    })
    const waits = { id: 9, type: 'change', amount: '1.00', due: '2026-03-09 23:59:59' }
    const changed = [order(1, 0), order(2, 1), order(3, 1, waits), order(4, 2)]
    await storeChanges(db, ordersFills, company, { changed, gone: [], upto: 1, asOf: 1 }, { all: true, generation })
    const found = async (status: number) => {
      const query = { scope: company, filters: { status }, sort: ['id', 'asc'], page: 1, results: 10 } as const
      const { rows, count } = await readListOn(device, ordersFills, query)
      expect(rows).toHaveLength(count)
      return rows.map(({ row }) => row.id)
    }
    expect([await found(0), await found(1)]).toEqual([
      [1, 3],
      [2, 3],
    ])
    await indexOf(db, ordersFills)
    expect(await db.indexes.count()).toBe(1)
    expect([await found(0), await found(1)]).toEqual([
      [1, 3],
      [2, 3],
    ])
  })

  it('is kept from a certain number of rows on, and goes on being kept', async () => {
    const { db, device, generation } = await keptDevice()
    const changed = Array.from({ length: indexedFrom + 1 }, (_, at) => aUser(at + 1))
    const fill = (upto: number) =>
      storeChanges(db, list, company, { changed, gone: [], upto, asOf: upto }, { all: true, generation })
    changed.pop()
    await fill(1)
    expect(await db.indexes.count()).toBe(0)
    changed.push(aUser(indexedFrom + 1))
    await fill(2)
    expect(await db.indexes.count()).toBe(1)
    const view = await readListOn(device, list, { ...firstPage, page: 3, sort: ['id', 'desc'] })
    expect(view).toMatchObject({ count: indexedFrom + 1, here: indexedFrom + 1, complete: true })
    expect(view.rows[0]?.row.id).toBe(indexedFrom + 1 - 20)
  })

  it('drops a row that an answer proves gone, found by the index', async () => {
    const { db, generation } = await keptDevice()
    const rows = [1, 2, 3, 4].map((id) => aUser(id))
    await storePage(db, list, firstPage, pageAnswer(rows, 100), generation)
    await indexOf(db)
    const [first, , third] = rows
    const answer = pageAnswer([first, third] as typeof rows, 200, '2', 3)
    await storePage(db, list, { ...firstPage, results: 2 }, answer, generation)
    expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 3, 4])
  })

  it('that does not say what its rows say is made anew', async () => {
    const { db, device, generation } = await keptDevice()
    const changed = [1, 2, 3].map((id) => aUser(id))
    await storeChanges(db, list, company, { changed, gone: [], upto: 1, asOf: 1 }, { all: true, generation })
    await indexOf(db)
    expect(await proveIndex(db, list, company, 2)).toBe(true)
    const { name } = (await db.indexes.get('users|7')) ?? {}
    const [column] = await db.columns.where('[list+column+at]').above([name, 'status', -Infinity]).limit(1).toArray()
    if (column) await db.columns.put({ ...column, values: [-2] })
    expect((await readListOn(device, list, firstPage)).count).toBe(0)
    expect(await proveIndex(db, list, company, 2)).toBe(false)
    expect((await readListOn(device, list, firstPage)).count).toBe(3)
  })
})

const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10)
const happened = (id: number, end_time = `${day(Math.floor(id / 10))} 10:00:00`) => ({
  id,
  company_id: 7,
  code: ['user', 'order'][id % 2] as string,
  operation: 'create',
  exec_user_name: `User ${id % 5}`,
  end_time,
  status: 0,
  row_version: 1,
})
const rowsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => happened(first + at))
const ofTrail: ListQuery = { scope: company, filters: {}, sort: ['end_time', 'desc'], page: 1, results: 10 }

describe('a fill in pieces', () => {
  it('shows the list as it was until it is whole, and then all of it at once (protocol 38, requirement 28)', async () => {
    const { db, device, generation } = await keptDevice()
    await storeWhole(db, trail, company, { pieces: [rowsFrom(1, 5)], upto: 1, asOf: 100 }, generation)
    const seen: number[] = []
    const count = async () => (await readListOn(device, trail, ofTrail)).count
    async function* pieces() {
      for (const first of [6, 26, 46]) {
        yield rowsFrom(first, first + 19)
        seen.push(await count())
      }
    }
    expect(await storeWhole(db, trail, company, { pieces: pieces(), upto: 2, asOf: 200 }, generation)).toBe(true)
    expect(seen).toEqual([5, 5, 5])
    // The first five are not in the answer: they are gone.
    expect(await readListOn(device, trail, ofTrail)).toMatchObject({ count: 60, complete: true, asOf: 200 })
    expect(await db.table('trail').count()).toBe(60)
  })

  it('that fails leaves the list as it was, and the next one succeeds', async () => {
    const { db, device, generation } = await keptDevice()
    await storeWhole(db, trail, company, { pieces: [rowsFrom(1, 5)], upto: 1, asOf: 100 }, generation)
    async function* cut() {
      yield rowsFrom(1, 20)
      throw new Error('the line is gone')
    }
    await expect(storeWhole(db, trail, company, { pieces: cut(), upto: 2, asOf: 200 }, generation)).rejects.toThrow()
    expect(await readListOn(device, trail, ofTrail)).toMatchObject({ count: 5, complete: true, asOf: 100 })
    expect(await storeWhole(db, trail, company, { pieces: [rowsFrom(1, 20)], upto: 3, asOf: 300 }, generation)).toBe(
      true,
    )
    expect((await readListOn(device, trail, ofTrail)).count).toBe(20)
    const lists = new Set((await db.columns.toArray()).map(({ list }) => list))
    expect(lists.size).toBe(1)
  })

  it('keeps what came while it was under way, and nothing for a session that ended', async () => {
    const { db, device, generation } = await keptDevice()
    async function* pieces() {
      yield rowsFrom(1, 10)
      await transact(db, all, async () => await putRow(db, 'trail', happened(99), 300))
      yield rowsFrom(11, 20)
    }
    await storeWhole(db, trail, company, { pieces: pieces(), upto: 2, asOf: 200 }, generation)
    const { count, rows } = await readListOn(device, trail, ofTrail)
    expect([count, rows[0]?.row.id]).toEqual([21, 99])
    expect(await storeWhole(db, trail, company, { pieces: [rowsFrom(1, 5)], upto: 3, asOf: 400 }, generation + 1)).toBe(
      false,
    )
    expect((await readListOn(device, trail, ofTrail)).count).toBe(21)
  })
})

describe('a range of days', () => {
  it('takes in both days whole, and a row of another day is not even looked at by its live query', async () => {
    const { db, device, generation } = await keptDevice()
    await storeWhole(db, trail, company, { pieces: [rowsFrom(1, 99)], upto: 1, asOf: 100 }, generation)
    const range = { ...ofTrail, filters: { dateFrom: day(2), dateTo: day(4) } }
    const seen: number[] = []
    const screen = liveQuery(async () => await readListOn(device, trail, range)).subscribe(({ count }) =>
      seen.push(count),
    )
    await expect.poll(() => seen).toEqual([30])
    const put = (id: number, at: number) =>
      transact(db, all, async () => await putRow(db, 'trail', happened(id, `${day(at)} 23:59:59`), 200))
    await put(1_000, 8)
    await put(1_001, 4)
    await expect.poll(() => seen.at(-1)).toBe(31)
    // Told by the second row alone: the first lies in another bucket.
    expect(seen).toEqual([30, 31])
    screen.unsubscribe()
  })
})
