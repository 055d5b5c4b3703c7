/** Tests that each item of a batch is executed as if it had been sent alone (protocol 23, 24). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { runInTransaction } from '#server/db/transaction.ts'
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

interface BatchItem {
  method: string
  path: string
  key: string
  headers?: Record<string, string>
  body?: unknown
  after?: string
}
interface BatchItemResponse {
  status: number
  headers: Record<string, string>
  body: { errorCode?: string; id?: number; data?: unknown } | null
}

const sendBatch = async (items: BatchItem[], sender = admin): Promise<BatchItemResponse[]> => {
  const response = await sender.send({ method: 'POST', url: '/api/batch', payload: items })
  expect(response.statusCode).toBe(200)
  return response.json()
}
const createInvitation = (name: string, overrides: Partial<BatchItem> = {}): BatchItem => ({
  method: 'POST',
  path: '/api/m18s/user',
  key: randomUUID(),
  body: { title: 0, name, email: `${name}@alpha.example` },
  ...overrides,
})
const createChange = (id: number | string, overrides: Partial<BatchItem> = {}): BatchItem => ({
  method: 'PUT',
  path: `/api/m18s/company-user/${id}`,
  key: randomUUID(),
  body: { alert: true },
  ...overrides,
})
const getUserId = (userName: string) => server.world.users[userName] ?? 0

test('POST /api/batch executes its items in order, each with its own key, outcome and version', async () => {
  const invitation = createInvitation('one')
  const items = [
    invitation,
    createChange(`~${invitation.key}`, { headers: { 'If-Match': `"~${invitation.key}"` }, after: invitation.key }),
  ]
  const [createResponse, changeResponse] = await sendBatch(items)
  expect(createResponse).toMatchObject({ status: 200, headers: { 'idempotency-key': invitation.key, etag: '"1"' } })
  expect(changeResponse).toMatchObject({
    status: 200,
    headers: { etag: '"2"' },
    body: { id: createResponse?.body?.id, alert: true },
  })
  expect(changeResponse?.headers['idempotency-outcome']).toMatch(/^done; \d+$/)
})

test('POST /api/batch with items that were already sent has no second effect', async () => {
  const invitation = createInvitation('one')
  const singleResponse = await admin.send({
    method: 'POST',
    url: invitation.path,
    headers: { 'idempotency-key': invitation.key },
    payload: invitation.body as object,
  })
  const [repeatedResponse] = await sendBatch([invitation])
  expect(repeatedResponse).toMatchObject({ status: 200, body: singleResponse.json() })
  expect(repeatedResponse?.headers['idempotency-replayed']).toBe('true')
})

test('POST /api/batch skips only items that depend on a refused item', async () => {
  const wrongItem = createChange(getUserId('user@beta'))
  const [refusedResponse, dependentResponse, independentResponse] = await sendBatch([
    wrongItem,
    createChange(getUserId('user@alpha'), { after: wrongItem.key }),
    createChange(getUserId('order@alpha')),
  ])
  expect(refusedResponse).toMatchObject({ status: 404, body: { errorCode: 'USER_NOT_EXIST' } })
  expect(dependentResponse).toMatchObject({
    status: 424,
    body: { errorCode: 'DEPENDENCY_FAILED', data: { final: true } },
  })
  expect(independentResponse).toMatchObject({ status: 200 })
})

test('POST /api/batch accepts only writes that can be queued', async () => {
  const items = [
    { method: 'POST', path: '/api/m18s/token', key: randomUUID(), body: {} },
    { method: 'POST', path: '/api/batch', key: randomUUID(), body: [] },
    { method: 'POST', path: '/api/contract', key: randomUUID(), body: {} },
    { method: 'POST', path: '/api/nowhere', key: randomUUID(), body: {} },
    createChange(getUserId('user@alpha'), { headers: { authorization: 'Bearer other' } }),
    createChange(getUserId('user@alpha'), { body: { alert: 'x' } }),
  ]
  const responses = await sendBatch(items)
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 404, 400, 400])
  expect(responses.at(-1)?.headers['idempotency-outcome']).toBe('refused; schema')
  for (const [index, { headers }] of responses.entries()) expect(headers['idempotency-key']).toBe(items[index]?.key)
})

test('POST /api/batch attempts no further items after its user is disabled', async () => {
  const secondUser = await server.signIn('second@alpha')
  const responses = await sendBatch(
    [
      createChange(getUserId('user@alpha')),
      { method: 'POST', path: `/api/users/disable/${admin.userId}`, key: randomUUID() },
      createChange(getUserId('order@alpha')),
    ],
    secondUser,
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  const lateResponses = await sendBatchDuring(secondUser, async () => {
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ status: -1 }).where('id', '=', secondUser.userId).execute(),
    )
  })
  expect(lateResponses.map(({ status, body }) => [status, body?.errorCode])).toEqual([
    [200, undefined],
    [401, 'UNAUTHORIZED'],
    [424, 'NOT_ATTEMPTED'],
  ])
})

/** Sends a batch of three items, and runs the callback during the first item. */
async function sendBatchDuring(sender: SignedIn, callback: () => Promise<void>): Promise<BatchItemResponse[]> {
  const { database } = server.app
  let checkCount = 0
  server.app.database = {
    ...database,
    // Called for the batch, for its first item, and again when that item starts.
    hasFreeSpace: () => {
      checkCount++
      return true
    },
  }
  const sendingBatch = sendBatch([createInvitation('a'), createInvitation('b'), createInvitation('c')], sender)
  while (checkCount < 3) await new Promise((resolve) => setImmediate(resolve))
  await callback()
  const responses = await sendingBatch
  server.app.database = database
  return responses
}

test('POST /api/batch refuses only the items that are for another subject', async () => {
  const { alpha } = server.world.companies
  const [otherResponse, ownResponse] = await sendBatch([
    createChange(getUserId('user@alpha'), { headers: { 'For-User': `${alpha}:${getUserId('user@alpha')}` } }),
    createChange(getUserId('user@alpha'), { headers: { 'For-User': `${alpha}:${admin.userId}` } }),
  ])
  expect(otherResponse).toMatchObject({ status: 409, body: { errorCode: 'WRONG_SESSION' } })
  expect(ownResponse).toMatchObject({ status: 200 })
})

test('POST /api/batch rejects an empty batch and a batch of more than fifty items', async () => {
  for (const count of [0, 51]) {
    const payload = Array.from({ length: count }, () => createChange(getUserId('user@alpha')))
    expect((await admin.send({ method: 'POST', url: '/api/batch', payload })).statusCode).toBe(400)
  }
})
