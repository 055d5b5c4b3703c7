/**
 * The device's two ways of reading a list against the server's SQL over the same rows: random names from all of Unicode,
 * ties, empty values, random filters, orders, searches and pages (protocol 36, 37, I-14). Every failure names its
 * seed; `QUERIES` sets how many questions.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listUsers } from '#contract/users.ts'
import { foldText } from '#domain/text.ts'
import { forgetCopies } from '#local/list-index/column-cache.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { makeIndex } from '#local/list-index/list-index.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { comparer, matches } from '#local/list-query/query.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { find } from '#local/list-index/bucket-page.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { listUsers as listOnServer } from '#server/db/accounts/users.ts'
import { suiteSeed } from '#tests/support/runner/chance.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

const seed = suiteSeed
const people = isNight ? 1_500 : 500
const queries = Number(process.env.QUERIES ?? (isNight ? 1_000 : 400))

// Where collations part: case, width, accents, marks, Chinese within and beyond 16 bits, an emoji against U+FF5E, blanks.
const odd = [
  ...'aAáＡßİıﬁ陳𠮷𡃁～😀Zz19%_\'"',
  'a\u0301',
  'SS',
  ' b',
  '\u00a0',
  'e\u0323\u0302',
  '\uffee',
  '\u{10ffff}',
]
// Lone surrogates no database keeps, and U+0000 no PostgreSQL.
const anySign = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 1 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'))
const letter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...odd) },
  fc.constantFrom(...fc.sample(anySign, { seed, numRuns: 60 })),
)
const name = fc.array(letter, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
const begin = Date.parse('2026-01-01T00:00:00Z')
const person = fc.record({
  name,
  title: fc.constantFrom(0 as const, 1 as const, 2 as const),
  status: fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const),
  admin: fc.boolean(),
  orders: fc.boolean(),
  alert: fc.boolean(),
  // Several within one second: what is shown is equal then, and the id decides.
  create_time: fc.integer({ min: 0, max: 90_000 }).map((ms) => begin + ms),
  update_time: fc.integer({ min: 0, max: 4_000_000_000 }).map((ms) => begin + ms),
})

const list = listUsers.list as NonNullable<typeof listUsers.list>
const asking = fc.record({
  field: fc.constantFrom(...Object.keys(list.sorts)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  results: fc.integer({ min: 1, max: 50 }),
  page: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 200 })),
  statusType: fc.option(fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const), { nil: undefined }),
  includedDel: fc.option(fc.boolean(), { nil: undefined }),
  searchText: fc.option(fc.oneof(letter, name, fc.constantFrom('alpha', '99@', ' ')), { nil: undefined, freq: 2 }),
})
type Asking = typeof asking extends fc.Arbitrary<infer A> ? A : never

let app: Installation
let tablet: Tablet
let companyId: number
let db: UserDatabase

beforeAll(async () => {
  app = await openInstallation()
  companyId = app.server.world.companies.alpha
  const given = fc.sample(person, { seed, numRuns: people })
  await pastPolicies(app.server.app.database, async (handle) => {
    const rows = given.map((one, at) => {
      const email = `${one.name.replaceAll(/[^\w陳😀]/gu, '')}.${at}@alpha.example`
      return {
        ...one,
        company_id: companyId,
        name_key: foldText(one.name),
        email,
        email_key: foldText(email),
        password_hash: null,
        avatar: null,
        language: 'en' as const,
        access_level: 0 as const,
        seal_key: 'x',
        change: 1,
      }
    })
    for (let at = 0; at < rows.length; at += 100)
      await handle
        .insertInto('portal_user')
        .values(rows.slice(at, at + 100))
        .execute()
  })
  tablet = await app.signedIn('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId }, query: { includedDel: true } })
  await tablet.rest()
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  db = tablet.device.of(session)
}, 240_000)
afterAll(() => app.close())

const asked = ({ field, order, results, page, ...filters }: Asking): ListQuery => ({
  scope: companyId,
  filters,
  sort: [field, order],
  page,
  results,
})

interface Said {
  count: number
  ids: unknown[]
}

/** What the server's own list says to every question, one after the other, as one company's user. */
const askServer = (all: readonly Asking[]) =>
  inTransaction(app.server.app, { role: 'portal_app', companyId }, async (handle) => {
    const answers: Said[] = []
    for (const { field, order, ...query } of all) {
      const { count, rows } = await listOnServer(handle, companyId, { ...query, sortField: field, sortOrder: order })
      answers.push({ count, ids: rows.map(({ id }) => id) })
    }
    return answers
  })

/** The whole way of a screen: session, coverage, waiting writes and all. */
async function asShown(query: ListQuery): Promise<Said & { complete: boolean }> {
  const { count, rows, complete } = await readListOn(tablet.device, list, query)
  return { count, ids: rows.map(({ row }) => row.id), complete }
}

/** Each so-manieth question goes by the index, and also the whole way of a screen: a fake IndexedDB takes its time. */
const indexedEach = 20
const shownEach = 40

describe(`a list of ${people} rows without a network`, () => {
  const all = fc.sample(asking, { seed, numRuns: queries })
  let answers: Said[]
  beforeAll(async () => {
    answers = await askServer(all)
  }, 240_000)

  const expectSame = (at: number, local: Said) =>
    expect(local, `SEED=${seed}, ${JSON.stringify(all[at])}`).toMatchObject({ ...answers[at] })

  it(`answers ${queries} random questions with the rows, the order and the count of the server, read whole`, async () => {
    const stored = await rowsOf(db, list.table).toArray()
    for (const [at, one] of all.entries()) {
      const query = asked(one)
      const fitting = stored.filter(matches(list, query.filters)).sort(comparer(list, query.sort))
      const first = (query.page - 1) * query.results
      expectSame(at, { count: fitting.length, ids: fitting.slice(first, first + query.results).map(({ id }) => id) })
      if (at % shownEach === 0) expectSame(at, await asShown(query))
    }
  }, 240_000)

  it(`answers every ${indexedEach}th of them the same by its index`, async () => {
    const tables = db.tables.map(({ name: table }) => table)
    await transact(db, tables, async () => await makeIndex(db, list, companyId))
    const listId = (await db.indexes.toArray())[0]?.name ?? ''
    for (const [at, one] of all.entries()) {
      if (at % indexedEach > 0) continue
      const query = asked(one)
      // By what is stored, and by what is in memory of it.
      if (at % shownEach === 0) forgetCopies()
      const first = (query.page - 1) * query.results
      const local = await db.transaction('r', ['buckets', 'columns'], async () => {
        const { count, ids } = await find(db, listId, { list, ...query })
        return { count, ids: await ids(first, query.results) }
      })
      expectSame(at, local)
      if (at % shownEach === 0) expectSame(at, { ...(await asShown(query)) })
    }
    // Else all of it might have been the same nothing.
    expect(answers.filter(({ ids }) => ids.length > 0).length).toBeGreaterThan(queries / 10)
  }, 240_000)
})
