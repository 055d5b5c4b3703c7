/** Compares the device's list with the server's SQL over random rows and random queries (protocol 36, I-14). */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { normaliseText } from '#domain/text.ts'
import { listUsers } from '#contract/users.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

let installation: Installation
let tablet: Tablet
let companyId: number
let serverUser: SignedIn

// Texts that collations treat differently: case, width, accents, Chinese, an emoji against U+FF5E, combining marks, blanks.
const oddCharacters = [
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
const name = fc.array(fc.constantFrom(...oddCharacters), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
const userArbitrary = fc.record({
  name,
  title: fc.constantFrom(0, 1, 2),
  status: fc.constantFrom(-2, -1, 0, 1),
  admin: fc.boolean(),
  orders: fc.boolean(),
  alert: fc.boolean(),
  // Creates several rows within one second: their displayed times are equal, so they are ordered by id.
  create_time: fc.integer({ min: 0, max: 3_000 }).map((ms) => Date.parse('2026-01-01T00:00:00Z') + ms),
  update_time: fc.integer({ min: 0, max: 400_000_000 }).map((ms) => Date.parse('2026-01-01T00:00:00Z') + ms),
})

beforeAll(async () => {
  installation = await openInstallation()
  companyId = installation.server.world.companies.alpha
  const users = fc.sample(userArbitrary, { seed: 20260504, numRuns: 150 })
  await bypassPolicies(installation.server.app.database, async (db) => {
    for (const [index, user] of users.entries())
      await db
        .insertInto('portal_user')
        .values({
          ...user,
          title: user.title as 0,
          status: user.status as 0,
          company_id: companyId,
          name_key: normaliseText(user.name),
          email: `${user.name.replace(/\W/g, '')}${index}@alpha.example`,
          email_key: normaliseText(`${user.name.replace(/\W/g, '')}${index}@alpha.example`),
          password_hash: null,
          avatar: null,
          language: 'en',
          access_level: 0,
          seal_key: 'x',
          change: 1,
        })
        .execute()
  })
  serverUser = await installation.server.signIn('second@alpha')
  tablet = await installation.signInTablet('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId }, query: { includedDel: true } })
  await tablet.settle()
})
afterAll(() => installation.close())

const list = listUsers.list as NonNullable<typeof listUsers.list>
const queryArbitrary = fc.record({
  field: fc.constantFrom(...Object.keys(list.sorts)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  results: fc.integer({ min: 1, max: 50 }),
  page: fc.integer({ min: 1, max: 8 }),
  statusType: fc.option(fc.constantFrom(-2 as const, -1 as const, 0 as const, 1 as const), { nil: undefined }),
  includedDel: fc.option(fc.boolean(), { nil: undefined }),
  searchText: fc.option(fc.constantFrom(...oddCharacters, 'example', 'a1', ' '), { nil: undefined }),
})

describe('an offline list', () => {
  it('shows the same rows, order, pages and count as the server', async () => {
    await fc.assert(
      fc.asyncProperty(queryArbitrary, async ({ field, order, results, page, ...filters }) => {
        const query = { sortField: field, sortOrder: order, results, page, ...filters }
        const response = await serverUser.send({ url: `/api/m18s/company/${companyId}/users?${pairs(query)}` })
        const serverList = response.json<{ count: number; data: { id: number }[] }>()
        const listQuery: Partial<ListQuery> = { scope: companyId, filters, sort: [field, order], page, results }
        const view = await tablet.list(listUsers, listQuery)
        expect(view.complete).toBe(true)
        expect(view.rows.map(({ row }) => row.id)).toEqual(serverList.data.map(({ id }) => id))
        expect(view.count).toBe(serverList.count)
      }),
      { numRuns: 400 },
    )
  }, 120_000)
})

const pairs = (query: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
