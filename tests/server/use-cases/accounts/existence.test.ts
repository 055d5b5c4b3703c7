/** Tests the queries that return whether a code or a value is already used (portal 7, D57). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { type ShopData, openShopWithOrders } from '#tests/support/orders/shop-data.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let shop: ShopData
let staff: SignedIn
let user: SignedIn
beforeAll(async () => {
  server = await startServer()
  shop = await openShopWithOrders(server)
  ;[staff, user] = await Promise.all([server.signIn('admin@m18'), server.signIn('user@alpha')])
}, 120_000)
afterAll(() => server.close())

const buildQueryUrl = (queryName: string, query: Record<string, string>) =>
  `/api/query/${queryName}?${new URLSearchParams(query)}`
const findCode = async (caller: Pick<SignedIn, 'send'>, resource: string, codeValue: string) => {
  const response = await caller.send({ url: buildQueryUrl('code', { resource, code: codeValue }) })
  return response.statusCode === 200 ? response.json() : response.statusCode
}

test('The code query searches one resource and ignores case', async () => {
  const order = String(shop.orders.alpha['code'])
  const module = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db.selectFrom('module').select(['code', 'hidden']).where('id', '=', shop.moduleId).executeTakeFirstOrThrow(),
  )
  expect(module.hidden).toBe(false)
  expect(await findCode(server, 'company', 'ALPHA')).toBe(true)
  expect(await findCode(server, 'company', 'nobody')).toBe(false)
  expect(await findCode(user, 'order', order)).toBe(true)
  expect(await findCode(user, 'order', 'notaken')).toBe(false)
  expect(await findCode(staff, 'module', module.code.toUpperCase())).toBe(true)
  expect(await findCode(staff, 'module', 'nosuch')).toBe(false)
  expect(await findCode(staff, 'automodule', module.code)).toBe(false)
})

test('The code query rejects callers without the right and unknown resources', async () => {
  expect(await findCode(server, 'order', 'x')).toBe(401)
  expect(await findCode(user, 'module', 'x')).toBe(403)
  expect(await findCode(user, 'automodule', 'x')).toBe(403)
  expect(await findCode(user, 'price', 'x')).toBe(400)
})

test('The field query leaves out the row of a `not` condition and rows of other companies', async () => {
  const email = { resource: 'user', field: 'email', value: 'USER@alpha.example' }
  const findValue = async (overrides: object) =>
    (await user.send({ url: buildQueryUrl('field', { ...email, ...overrides }) })).json()
  expect(await findValue({})).toBe(true)
  expect(await findValue({ conds: `not=${user.userId}` })).toBe(false)
  expect(await findValue({ value: 'nobody@alpha.example' })).toBe(false)
  expect(await findValue({ value: 'user@beta.example' })).toBe(false)
})

test('The password reset page reports an invalid link before a password is sent', async () => {
  const response = await server.send({ url: '/public/password/reset?otk=nosuchkey' })
  expect(response.json()).toMatchObject({ errorCode: 'INVALID_RESETPWD_LINK' })
})

test('A redirect keeps the language of the address', async () => {
  for (const [from, to] of [
    ['/?lang=zh', '/index.html?lang=zh'],
    ['/saas?lang=zh', '/saas/?lang=zh'],
    ['/', '/index.html'],
  ] as const)
    expect((await server.send({ url: from })).headers.location).toBe(to)
})
