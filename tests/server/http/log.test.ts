/** Tests of what is logged and what must never be logged (S-88 to S-90, S-92, K-12). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { endpoints } from '#contract/index.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import {
  basicAuthorization,
  requestToken,
  type SignedIn,
  startServer,
  type TestServer,
  buildUsername,
} from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

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

interface LogLine {
  security?: string
  event: string
  requestId?: string
  [name: string]: unknown
}
const readLines = (): LogLine[] =>
  server
    .readLog()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('No field value of any call appears in the log (S-89)', async () => {
  const canary = `CANARY${randomUUID().replaceAll('-', '')}`
  for (const { method, path, body, encoding } of endpoints) {
    const fields = Object.keys((body as { shape?: object } | undefined)?.shape ?? { x: 1 })
    const values = Object.fromEntries(fields.map((name) => [name, `${canary}-${name}`]))
    const payload = encoding === 'form' ? new URLSearchParams(values).toString() : JSON.stringify(values)
    const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
    for (const authorization of [`Bearer ${admin.accessToken}`, `Bearer ${canary}`, basicAuthorization]) {
      await server.send({
        method,
        url: `${path.replace(/:\w+/g, canary)}?otk=${canary}&token=${canary}`,
        headers: {
          authorization,
          cookie: `portal-access=${canary}; portal-refresh=${canary}`,
          referer: `https://x.example/?${canary}`,
          'user-agent': canary,
          'idempotency-key': canary,
          'for-user': canary,
          ...(method === 'GET' ? {} : { 'content-type': type }),
        },
        ...(method === 'GET' ? {} : { payload }),
      })
    }
    if (path.endsWith('logout')) admin = await server.signIn('admin@alpha')
  }
  await requestToken(server.fastify, {
    grant_type: 'password',
    username: buildUsername('user@alpha'),
    password: canary,
  })
  const logText = server.readLog()
  expect(readLines().length).toBeGreaterThan(endpoints.length)
  for (const secret of [canary, admin.accessToken, admin.refresh, password]) expect(logText).not.toContain(secret)
})

test('Each response is one log line with time, request, user and route (S-89)', async () => {
  const response = await admin.send({ url: `/api/m18s/user?userId=${admin.userId}` })
  const line = readLines().find(
    ({ requestId, event }) => requestId === response.headers['x-request-id'] && event === 'request_completed',
  )
  expect(line).toMatchObject({
    user: admin.userId,
    tenant: server.world.companies.alpha,
    method: 'GET',
    route: '/api/m18s/user',
    status: 200,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
})

test('Line breaks and terminal codes in a name stay in their log line (S-90)', async () => {
  const lineCount = readLines().length
  await admin.send({
    method: 'POST',
    url: '/api/m18s/user',
    payload: { title: 0, name: 'a\r\n{"level":60}\u001b[31m', email: 'x' },
  })
  expect(readLines().length - lineCount).toBeLessThanOrEqual(3)
  expect(server.readLog()).not.toContain('\u001b')
})

test('Security events have a log field of their own (S-88)', async () => {
  const user = await server.signIn('user@alpha')
  await requestToken(server.fastify, {
    grant_type: 'password',
    username: buildUsername('user@alpha'),
    password: 'Not-the-one-44',
  })
  await user.send({ method: 'DELETE', url: `/api/m18s/user/${user.userId}` })
  await user.send({ url: `/api/m18s/company/${server.world.companies.alpha}` })
  await admin.send({ method: 'PUT', url: `/api/m18s/company-user/${user.userId}`, payload: { order: true } })
  await admin.send({ method: 'POST', url: `/api/users/disable/${user.userId}` })
  await admin.send({ method: 'POST', url: '/api/m18s/user', payload: {} })
  await admin.send({ method: 'POST', url: '/api/m18s/logout' })
  const loggedEvents = new Set(readLines().flatMap(({ event, security }) => (security ? [event] : [])))
  for (const event of [
    'login_succeeded',
    'login_failed',
    'access_denied',
    'role_changed',
    'user_disabled',
    'input_refused',
    'logout',
  ])
    expect(loggedEvents).toContain(event)
})

test('An internal error returns only its request id, under which it is logged (S-92)', async () => {
  const { database } = server.app
  server.app.database = { ...database, kysely: new Proxy(database.kysely, { get: () => throwFault }) }
  const response = await admin.send({ url: '/api/m18s/user' })
  server.app.database = database
  expect([response.statusCode, response.json().errorCode, response.json().data]).toEqual([500, 'SERVER_ERROR', null])
  expect(response.body).not.toContain('wires')
  const line = readLines().find(
    ({ requestId, event }) => requestId === response.headers['x-request-id'] && event === 'request_failed',
  )
  expect(line).toMatchObject({ err: { type: 'Error', message: 'crossed wires' } })
  expect((await admin.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
})

const throwFault = () => {
  throw new Error('crossed wires')
}

test('An unreachable database returns 503 with Retry-After (H-11)', async () => {
  const { database } = server.app
  const throwGone = () => {
    throw Object.assign(new Error('gone'), { code: '57P01' })
  }
  server.app.database = { ...database, kysely: new Proxy(database.kysely, { get: () => throwGone }) }
  const response = await admin.send({ url: '/api/m18s/user' })
  const readyResponse = await server.send({ url: '/health/ready' })
  server.app.database = database
  expect([response.statusCode, response.json().errorCode, response.headers['retry-after']]).toEqual([
    503,
    'UNAVAILABLE',
    '5',
  ])
  expect(readyResponse.statusCode).toBe(503)
  expect((await server.send({ url: '/health/ready' })).statusCode).toBe(200)
})

test('Writes are refused and reads work if the disk is nearly full (R-13)', async () => {
  const { database } = server.app
  server.app.database = { ...database, hasFreeSpace: () => false }
  const writeResponse = await admin.send({
    method: 'POST',
    url: `/api/users/enable/${server.world.users['disabled@alpha']}`,
  })
  const readResponse = await admin.send({ url: '/api/m18s/user' })
  server.app.database = database
  expect([writeResponse.statusCode, writeResponse.json().errorCode, writeResponse.headers['retry-after']]).toEqual([
    503,
    'STORAGE_FULL',
    '60',
  ])
  expect(readResponse.statusCode).toBe(200)
  const updateResult = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('portal_user')
      .select('status')
      .where('id', '=', server.world.users['disabled@alpha'] ?? 0)
      .executeTakeFirst(),
  )
  expect(updateResult?.status).toBe(-1)
})

test('Health checks are answered only on this machine (S-86)', async () => {
  const sendFrom = (remoteAddress: string, headers: Record<string, string> = {}) =>
    server.send({ url: '/health/live', remoteAddress, headers })
  expect((await sendFrom('127.0.0.1')).statusCode).toBe(200)
  expect((await sendFrom('::1')).statusCode).toBe(200)
  expect((await sendFrom('203.0.113.9')).statusCode).toBe(404)
  expect((await sendFrom('127.0.0.1', { 'x-forwarded-for': '203.0.113.9' })).statusCode).toBe(404)
})
