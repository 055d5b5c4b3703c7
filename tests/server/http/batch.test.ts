/** Batches (protocol 23, 24): each item as if it had come alone. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { inTransaction } from '#server/db/transaction.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.reset()
  admin = await server.signIn('admin@alpha')
})

interface Item {
  method: string
  path: string
  key: string
  headers?: Record<string, string>
  body?: unknown
  after?: string
}
interface ItemAnswer {
  status: number
  headers: Record<string, string>
  body: { errorCode?: string; id?: number; data?: unknown } | null
}

const batch = async (items: Item[], by = admin): Promise<ItemAnswer[]> => {
  const answer = await by.send({ method: 'POST', url: '/api/batch', payload: items })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}
const invite = (name: string, more: Partial<Item> = {}): Item => ({
  method: 'POST',
  path: '/api/m18s/user',
  key: randomUUID(),
  body: { title: 0, name, email: `${name}@alpha.example` },
  ...more,
})
const change = (id: number | string, more: Partial<Item> = {}): Item => ({
  method: 'PUT',
  path: `/api/m18s/company-user/${id}`,
  key: randomUUID(),
  body: { alert: true },
  ...more,
})
const idOf = (who: string) => server.world.users[who] ?? 0

test('carries out its items in order, each with its own key, outcome and version', async () => {
  const first = invite('one')
  const items = [first, change(`~${first.key}`, { headers: { 'If-Match': `"~${first.key}"` }, after: first.key })]
  const [made, changed] = await batch(items)
  expect(made).toMatchObject({ status: 200, headers: { 'idempotency-key': first.key, etag: '"1"' } })
  expect(changed).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { id: made?.body?.id, alert: true } })
  expect(changed?.headers['idempotency-outcome']).toMatch(/^done; \d+$/)
})

test('twice, or alone and then in a batch, is still one effect', async () => {
  const item = invite('one')
  const alone = await admin.send({
    method: 'POST',
    url: item.path,
    headers: { 'idempotency-key': item.key },
    payload: item.body as object,
  })
  const [again] = await batch([item])
  expect(again).toMatchObject({ status: 200, body: alone.json() })
  expect(again?.headers['idempotency-replayed']).toBe('true')
})

test('an item that is refused keeps back only what named it', async () => {
  const wrong = change(idOf('user@beta'))
  const [refused, kept, free] = await batch([
    wrong,
    change(idOf('user@alpha'), { after: wrong.key }),
    change(idOf('order@alpha')),
  ])
  expect(refused).toMatchObject({ status: 404, body: { errorCode: 'USER_NOT_EXIST' } })
  expect(kept).toMatchObject({ status: 424, body: { errorCode: 'DEPENDENCY_FAILED', data: { final: true } } })
  expect(free).toMatchObject({ status: 200 })
})

test('takes only what may wait in a queue', async () => {
  const items = [
    { method: 'POST', path: '/api/m18s/token', key: randomUUID(), body: {} },
    { method: 'POST', path: '/api/batch', key: randomUUID(), body: [] },
    { method: 'POST', path: '/api/contract', key: randomUUID(), body: {} },
    { method: 'POST', path: '/api/nowhere', key: randomUUID(), body: {} },
    change(idOf('user@alpha'), { headers: { authorization: 'Bearer other' } }),
    change(idOf('user@alpha'), { body: { alert: 'x' } }),
  ]
  const answers = await batch(items)
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 404, 400, 400])
  expect(answers.at(-1)?.headers['idempotency-outcome']).toBe('refused; schema')
  for (const [at, { headers }] of answers.entries()) expect(headers['idempotency-key']).toBe(items[at]?.key)
})

test('a user who is disabled in the middle does nothing more; the rest is not attempted', async () => {
  const second = await server.signIn('second@alpha')
  const answers = await batch(
    [
      change(idOf('user@alpha')),
      { method: 'POST', path: `/api/users/disable/${admin.userId}`, key: randomUUID() },
      change(idOf('order@alpha')),
    ],
    second,
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const late = await batchBy(second, async () => {
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ status: -1 }).where('id', '=', second.userId).execute(),
    )
  })
  expect(late.map(({ status, body }) => [status, body?.errorCode])).toEqual([
    [200, undefined],
    [401, 'UNAUTHORIZED'],
    [424, 'NOT_ATTEMPTED'],
  ])
})

/** A batch of three during whose first item something happens. */
async function batchBy(by: SignedIn, during: () => Promise<void>): Promise<ItemAnswer[]> {
  const { database } = server.app
  let writes = 0
  server.app.database = {
    ...database,
    // Asked for the batch, for its first item, and once more where that item begins.
    hasFreeSpace: () => {
      writes++
      return true
    },
  }
  const carried = batch([invite('a'), invite('b'), invite('c')], by)
  while (writes < 3) await new Promise((resolve) => setImmediate(resolve))
  await during()
  const answers = await carried
  server.app.database = database
  return answers
}

test('made for another subject, an item is refused and the others are not', async () => {
  const { alpha } = server.world.companies
  const [other, own] = await batch([
    change(idOf('user@alpha'), { headers: { 'For-User': `${alpha}:${idOf('user@alpha')}` } }),
    change(idOf('user@alpha'), { headers: { 'For-User': `${alpha}:${admin.userId}` } }),
  ])
  expect(other).toMatchObject({ status: 409, body: { errorCode: 'WRONG_SESSION' } })
  expect(own).toMatchObject({ status: 200 })
})

test('of more than fifty, or none, it is no batch', async () => {
  for (const count of [0, 51]) {
    const payload = Array.from({ length: count }, () => change(idOf('user@alpha')))
    expect((await admin.send({ method: 'POST', url: '/api/batch', payload })).statusCode).toBe(400)
  }
})
