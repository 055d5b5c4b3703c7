/** Whether a code or a value is taken (portal 7, D57). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { type Market, openMarket } from '#tests/support/orders/shop-data.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let market: Market
let staff: SignedIn
let user: SignedIn
beforeAll(async () => {
  server = await startServer()
  market = await openMarket(server)
  ;[staff, user] = await Promise.all([server.signIn('admin@m18'), server.signIn('user@alpha')])
}, 120_000)
afterAll(() => server.close())

const url = (what: string, query: Record<string, string>) => `/api/query/${what}?${new URLSearchParams(query)}`
const code = async (by: Pick<SignedIn, 'send'>, resource: string, asked: string) => {
  const answer = await by.send({ url: url('code', { resource, code: asked }) })
  return answer.statusCode === 200 ? answer.json() : answer.statusCode
}

test('a code is asked for by its resource, without regard to case', async () => {
  const order = String(market.orders.alpha['code'])
  const module = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
    db.selectFrom('module').select(['code', 'hidden']).where('id', '=', market.moduleId).executeTakeFirstOrThrow(),
  )
  expect(module.hidden).toBe(false)
  expect(await code(server, 'company', 'ALPHA')).toBe(true)
  expect(await code(server, 'company', 'nobody')).toBe(false)
  expect(await code(user, 'order', order)).toBe(true)
  expect(await code(user, 'order', 'notaken')).toBe(false)
  expect(await code(staff, 'module', module.code.toUpperCase())).toBe(true)
  expect(await code(staff, 'module', 'nosuch')).toBe(false)
  expect(await code(staff, 'automodule', module.code)).toBe(false)
})

test('who may not ask for a resource is refused, and what is none is wrong', async () => {
  expect(await code(server, 'order', 'x')).toBe(401)
  expect(await code(user, 'module', 'x')).toBe(403)
  expect(await code(user, 'automodule', 'x')).toBe(403)
  expect(await code(user, 'price', 'x')).toBe(400)
})

test('a value in a field is asked for under conditions', async () => {
  const email = { resource: 'user', field: 'email', value: 'USER@alpha.example' }
  const value = async (more: object) => (await user.send({ url: url('field', { ...email, ...more }) })).json()
  expect(await value({})).toBe(true)
  expect(await value({ conds: `not=${user.userId}` })).toBe(false)
  expect(await value({ value: 'nobody@alpha.example' })).toBe(false)
  expect(await value({ value: 'user@beta.example' })).toBe(false)
})

test('a used reset link is known before a password is sent', async () => {
  const answer = await server.send({ url: '/public/password/reset?otk=nosuchkey' })
  expect(answer.json()).toMatchObject({ errorCode: 'INVALID_RESETPWD_LINK' })
})

test('the language of an address goes along with a redirect', async () => {
  for (const [from, to] of [
    ['/?lang=zh', '/index.html?lang=zh'],
    ['/saas?lang=zh', '/saas/?lang=zh'],
    ['/', '/index.html'],
  ] as const)
    expect((await server.send({ url: from })).headers.location).toBe(to)
})
