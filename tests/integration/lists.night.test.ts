/** The device's list against the server's SQL, over random rows and random askings (protocol 36, I-14). */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldText } from '#domain/text.ts'
import { listUsers } from '#contract/users.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

let app: Installation
let tablet: Tablet
let companyId: number
let server: SignedIn

// Text where collations part: case, width, accents, Chinese, an emoji against U+FF5E, combining marks, blanks.
const odd = [
  'a',
  'A',
  'á',
  'a\u0301',
  'Ａ',
  'ß',
  'SS',
  'İ',
  'ı',
  '陳',
  '𠮷',
  '～',
  '😀',
  ' b',
  'Z',
  'z',
  '10',
  '9',
  '%',
  '_',
  "'",
  'ﬁ',
]
const name = fc.array(fc.constantFrom(...odd), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
const person = fc.record({
  name,
  title: fc.constantFrom(0, 1, 2),
  status: fc.constantFrom(-2, -1, 0, 1),
  admin: fc.boolean(),
  orders: fc.boolean(),
  alert: fc.boolean(),
  // Several within one second: what is shown is equal then, and the id decides.
  create_time: fc.integer({ min: 0, max: 3_000 }).map((ms) => Date.parse('2026-01-01T00:00:00Z') + ms),
  update_time: fc.integer({ min: 0, max: 400_000_000 }).map((ms) => Date.parse('2026-01-01T00:00:00Z') + ms),
})

beforeAll(async () => {
  app = await openInstallation()
  companyId = app.server.world.companies.alpha
  const people = fc.sample(person, { seed: 20260504, numRuns: 150 })
  await pastPolicies(app.server.app.database, async (db) => {
    for (const [at, given] of people.entries())
      await db
        .insertInto('portal_user')
        .values({
          ...given,
          title: given.title as 0,
          status: given.status as 0,
          company_id: companyId,
          name_key: foldText(given.name),
          email: `${given.name.replace(/\W/g, '')}${at}@alpha.example`,
          email_key: foldText(`${given.name.replace(/\W/g, '')}${at}@alpha.example`),
          password_hash: null,
          avatar: null,
          language: 'en',
          access_level: 0,
          seal_key: 'x',
          change: 1,
        })
        .execute()
  })
  server = await app.server.signIn('second@alpha')
  tablet = await app.signedIn('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId }, query: { includedDel: true } })
  await tablet.rest()
})
afterAll(() => app.close())

const list = listUsers.list as NonNullable<typeof listUsers.list>
const asking = fc.record({
  field: fc.constantFrom(...Object.keys(list.sorts)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  results: fc.integer({ min: 1, max: 50 }),
  page: fc.integer({ min: 1, max: 8 }),
  statusType: fc.option(fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const), { nil: undefined }),
  includedDel: fc.option(fc.boolean(), { nil: undefined }),
  searchText: fc.option(fc.constantFrom(...odd, 'example', 'a1', ' '), { nil: undefined }),
})

describe('a list without a network', () => {
  it('shows the same rows in the same order on the same pages as the server, and the same count', async () => {
    await fc.assert(
      fc.asyncProperty(asking, async ({ field, order, results, page, ...filters }) => {
        const query = { sortField: field, sortOrder: order, results, page, ...filters }
        const answer = await server.send({ url: `/api/m18s/company/${companyId}/users?${pairs(query)}` })
        const said = answer.json<{ count: number; data: { id: number }[] }>()
        const asked: Partial<ListQuery> = { scope: companyId, filters, sort: [field, order], page, results }
        const view = await tablet.list(listUsers, asked)
        expect(view.complete).toBe(true)
        expect(view.rows.map(({ row }) => row.id)).toEqual(said.data.map(({ id }) => id))
        expect(view.count).toBe(said.count)
      }),
      { numRuns: 400 },
    )
  }, 120_000)
})

const pairs = (query: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
