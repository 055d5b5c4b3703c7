/**
 * Compares the device's two methods to read a list with the server's SQL over the same rows: random names from all of Unicode, ties, empty
 * values, random filters, sort orders, searches and pages (protocol 36, 37, I-14). A failure prints its seed; `QUERIES` sets the number of
 * queries.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listUsers } from '#contract/users.ts'
import { normaliseText } from '#domain/text.ts'
import { deleteCachedColumns } from '#local/list-index/column-cache.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { makeIndex } from '#local/list-index/list-index.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { createRowComparer, createRowMatcher } from '#local/list-query/filter-and-order.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { findIndexMatches } from '#local/list-index/index-matches.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { userReads } from '#server/db/accounts/users.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

const seed = suiteSeed
const userCount = isNight ? 1_500 : 500
const queryCount = Number(process.env.QUERIES ?? (isNight ? 1_000 : 400))

// Characters that collations treat differently: case, width, accents, marks, Chinese within and beyond 16 bits, an emoji against U+FF5E,
// blanks.
const oddCharacters = [
  ...'aAáＡßİıﬁ陳𠮷𡃁～😀Zz19%_\'"',
  'a\u0301',
  'SS',
  ' b',
  '\u00a0',
  'e\u0323\u0302',
  '\uffee',
  '\u{10ffff}',
]
// Excludes lone surrogates, which no database stores, and U+0000, which PostgreSQL refuses.
const anySign = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 1 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'))
const characters = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddCharacters) },
  fc.constantFrom(...fc.sample(anySign, { seed, numRuns: 60 })),
)
const name = fc.array(characters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
const startTime = Date.parse('2026-01-01T00:00:00Z')
const userArbitrary = fc.record({
  name,
  title: fc.constantFrom(0 as const, 1 as const, 2 as const),
  status: fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const),
  admin: fc.boolean(),
  orders: fc.boolean(),
  alert: fc.boolean(),
  // Creates several rows within one second: their displayed times are equal, so they are ordered by id.
  create_time: fc.integer({ min: 0, max: 90_000 }).map((ms) => startTime + ms),
  update_time: fc.integer({ min: 0, max: 4_000_000_000 }).map((ms) => startTime + ms),
})

const list = listUsers.list as NonNullable<typeof listUsers.list>
const queryArbitrary = fc.record({
  field: fc.constantFrom(...Object.keys(list.sorts)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  results: fc.integer({ min: 1, max: 50 }),
  page: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 200 })),
  statusType: fc.option(fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const), { nil: undefined }),
  includedDel: fc.option(fc.boolean(), { nil: undefined }),
  searchText: fc.option(fc.oneof(characters, name, fc.constantFrom('alpha', '99@', ' ')), { nil: undefined, freq: 2 }),
})
type RandomQuery = typeof queryArbitrary extends fc.Arbitrary<infer A> ? A : never

let installation: Installation
let tablet: Tablet
let companyId: number
let db: UserDatabase

beforeAll(async () => {
  installation = await openInstallation()
  companyId = installation.server.world.companies.alpha
  const users = fc.sample(userArbitrary, { seed, numRuns: userCount })
  await bypassPolicies(installation.server.app.database, async (handle) => {
    const rows = users.map((user, index) => {
      const email = `${user.name.replaceAll(/[^\w陳😀]/gu, '')}.${index}@alpha.example`
      return {
        ...user,
        company_id: companyId,
        name_key: normaliseText(user.name),
        email,
        email_key: normaliseText(email),
        password_hash: null,
        avatar: null,
        language: 'en' as const,
        access_level: 0 as const,
        seal_key: 'x',
        change: 1,
      }
    })
    for (let index = 0; index < rows.length; index += 100)
      await handle
        .insertInto('portal_user')
        .values(rows.slice(index, index + 100))
        .execute()
  })
  tablet = await installation.signInTablet('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId }, query: { includedDel: true } })
  await tablet.settle()
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  db = tablet.device.getDatabase(session)
}, 240_000)
afterAll(() => installation.close())

const toListQuery = ({ field, order, results, page, ...filters }: RandomQuery): ListQuery => ({
  scope: companyId,
  filters,
  sort: [field, order],
  page,
  results,
})

interface ListResult {
  count: number
  ids: unknown[]
}

const listFromServer = (queries: readonly RandomQuery[]) =>
  runInTransaction(installation.server.app, { role: 'portal_app', companyId }, async (handle) => {
    const results: ListResult[] = []
    for (const { field, order, ...filters } of queries) {
      const { count, rows } = await userReads.readPage(handle, companyId, {
        ...filters,
        sortField: field,
        sortOrder: order,
      })
      results.push({ count, ids: rows.map(({ id }) => id) })
    }
    return results
  })

/** Reads the list as a screen does, with session, coverage and waiting writes. */
async function readView(query: ListQuery): Promise<ListResult & { complete: boolean }> {
  const { count, rows, complete: isComplete } = await readListOnDevice(tablet.device, list, query)
  return { count, ids: rows.map(({ row }) => row.id), complete: isComplete }
}

/**
 * Only every `indexedEvery`th query uses the index, and only every `viewedEvery`th query is read as on a screen, because the fake IndexedDB
 * is slow.
 */
const indexedEvery = 20
const viewedEvery = 40

describe(`an offline list of ${userCount} rows`, () => {
  const queryList = fc.sample(queryArbitrary, { seed, numRuns: queryCount })
  let results: ListResult[]
  beforeAll(async () => {
    results = await listFromServer(queryList)
  }, 240_000)

  const expectSame = (index: number, local: ListResult) =>
    expect(local, `SEED=${seed}, ${JSON.stringify(queryList[index])}`).toMatchObject({ ...results[index] })

  it(`returns the server's rows, order and count for ${queryCount} random queries, without an index`, async () => {
    const stored = await getRowTable(db, list.table).toArray()
    for (const [index, queryCase] of queryList.entries()) {
      const query = toListQuery(queryCase)
      const matchingRows = stored
        .filter(createRowMatcher(list, query.filters))
        .sort(createRowComparer(list, query.sort))
      const first = (query.page - 1) * query.results
      expectSame(index, {
        count: matchingRows.length,
        ids: matchingRows.slice(first, first + query.results).map(({ id }) => id),
      })
      if (index % viewedEvery === 0) expectSame(index, await readView(query))
    }
  }, 240_000)

  it(`returns the same result for every ${indexedEvery}th query through its index`, async () => {
    const tables = db.tables.map(({ name: table }) => table)
    await transact(db, tables, async () => await makeIndex(db, list, companyId))
    const listId = (await db.indexes.toArray())[0]?.name ?? ''
    for (const [index, queryCase] of queryList.entries()) {
      if (index % indexedEvery > 0) continue
      const query = toListQuery(queryCase)
      // Tests the index from storage and from memory.
      if (index % viewedEvery === 0) deleteCachedColumns()
      const first = (query.page - 1) * query.results
      const local = await db.transaction('r', ['buckets', 'columns'], async () => {
        const { count, ids } = await findIndexMatches(db, listId, { list, ...query })
        return { count, ids: await ids(first, query.results) }
      })
      expectSame(index, local)
      if (index % viewedEvery === 0) expectSame(index, { ...(await readView(query)) })
    }
    // More than a tenth of the results must contain rows, otherwise the comparison proves nothing.
    expect(results.filter(({ ids }) => ids.length > 0).length).toBeGreaterThan(queryCount / 10)
  }, 240_000)
})
