/** Tests that wrong input is rejected with a 4xx status and has no effect (F-01, F-02, F-05, S-01 to S-03, S-11). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint, ValueSchema, ObjectSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { createHandlers } from '#server/composition/app.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { basicAuthorization, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { roles } from '#tests/support/server/world.ts'

let server: TestServer
let admin: SignedIn
/** Users for the endpoints that a company's admin may not call. Rights are checked before values. */
let otherUsers: Record<'order' | 'staff', SignedIn>
beforeAll(async () => {
  server = await startServer()
  // Some calls of the staff need the right to order too.
  await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ orders: true })
      .where('id', '=', server.world.users[roles.D] ?? 0)
      .execute(),
  )
  admin = await server.signIn('admin@alpha')
  otherUsers = { order: await server.signIn(roles.O), staff: await server.signIn(roles.D) }
})
afterAll(() => server.close())

const builtEndpoints = createHandlers({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint)
const getFields = (schema: ValueSchema | undefined) =>
  ((schema as ObjectSchema | undefined)?.shape ?? {}) as Record<string, ValueSchema>

/** Values that no field accepts, except the few fields for which one of them is valid by chance. */
const wrongValues: unknown[] = [
  null,
  [],
  {},
  [1],
  ['1'],
  { a: 1 },
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'NaN',
  '1',
  "'; drop table portal_user; --",
  '{{7*7}}',
  '%_',
  '\u0000',
  '\u202e\u200b',
  '\ud83d',
  'x'.repeat(70_000),
]

let fieldCount = 0
/** Returns the values for the next field. By day it is a fifth of them in rotation, so that each value is sent to fields of all kinds. */
const chooseWrongValues = () => {
  const turn = fieldCount++ % 5
  return isNight ? wrongValues : wrongValues.filter((_, index) => index % 5 === turn)
}

const readRows = () =>
  runInTransaction(server.app, { role: 'portal_system' }, async (db) => ({
    users: await db.selectFrom('portal_user').selectAll().orderBy('id').execute(),
    companies: await db.selectFrom('company').selectAll().orderBy('id').execute(),
  }))

const buildPath = (endpoint: Endpoint) =>
  endpoint.path.replace(/:(\w+)/g, (_, name) =>
    name === 'companyId' || endpoint.path.includes('/company/')
      ? String(server.world.companies.alpha)
      : String(server.world.users['user@alpha']),
  )

function expectNoServerError(response: { statusCode: number; body: string }): void {
  if (response.statusCode >= 500) expect.fail(`${response.statusCode}: ${response.body}`)
  expect(response.body).not.toMatch(/syntax error|relation "|kysely|stack|\.ts:\d/)
}

const skippedEndpoints = new Set(['signOut'])
const adminAccess = new Set<Endpoint['access']>(['anybody', 'user', 'admin'])
const getSender = ({ access }: Endpoint) =>
  adminAccess.has(access) ? admin : access === 'order' ? otherUsers.order : otherUsers.staff

describe.each(
  builtEndpoints
    .filter(({ name }) => !skippedEndpoints.has(name))
    .map((endpoint) => [endpoint.name, endpoint] as const),
)('%s', (_, endpoint) => {
  const headers = endpoint.name === 'grantToken' ? { authorization: basicAuthorization } : {}
  /** True if the endpoint accepts a form with files. It then accepts no JSON. */
  const isForm = endpoint.encoding === 'multipart'

  test('rejects wrong values of every field without a server error (F-01, F-02)', async () => {
    for (const name of Object.keys(getFields(endpoint.body)))
      for (const value of chooseWrongValues())
        expectNoServerError(
          await admin.send({ method: endpoint.method, url: buildPath(endpoint), headers, payload: { [name]: value } }),
        )
    for (const name of Object.keys(getFields(endpoint.query)))
      for (const value of chooseWrongValues()) {
        const encodedValue = encodeURIComponent(
          String(typeof value === 'string' ? value.slice(0, 5000).toWellFormed() : JSON.stringify(value)),
        )
        expectNoServerError(
          await admin.send({ method: endpoint.method, url: `${buildPath(endpoint)}?${name}=${encodedValue}` }),
        )
      }
  })

  test('rejects wrong ids in its path', async () => {
    if (!endpoint.params) return
    const ids = ['0', '-1', '1.5', 'abc', '99999999999', '1e3', '%00', '~', '~x', 'null', '1%20', '%F0%9F%94%91']
    for (const id of ids) {
      // In a path of requests, `~x` is a valid reference to a write that has not arrived yet.
      if (id === '~x' && endpoint.path.startsWith('/api/request')) continue
      const { send } = getSender(endpoint)
      const response = await send({ method: endpoint.method, url: endpoint.path.replace(/:\w+/, id) })
      expectNoServerError(response)
      // A browser that returns from a gateway always gets a page of the portal.
      expect(endpoint.name === 'returnFromPayment' ? [303, 400, 404] : [400, 404]).toContain(response.statusCode)
    }
  })

  test('accepts only a body of its own content type (S-03)', async () => {
    if (!endpoint.body) return
    const otherTypes = ['text/plain', 'application/jsonx', 'application/json; charset=utf-16', 'application/xml']
    const types = isForm
      ? [...otherTypes, 'application/json', 'application/x-www-form-urlencoded']
      : [...otherTypes, 'application/json;', 'multipart/form-data; boundary=x']
    for (const type of types) {
      const response = await getSender(endpoint).send({
        method: endpoint.method,
        url: buildPath(endpoint),
        headers: { ...headers, 'content-type': type },
        payload: '{}',
      })
      expect([type, response.statusCode]).toEqual([type, 415])
    }
  })

  test('rejects malicious JSON (F-05, S-11)', async () => {
    if (!endpoint.body || isForm) return
    const trickPayloads = [
      '{"__proto__":{"admin":true}}',
      '{"a":{"\\u005f_proto__":1}}',
      '{"constructor":{"prototype":{}}}',
      '{"name":"a","name":"b"}',
      '{"na\\u006de":"a","name":"b"}',
      '{"a":'.repeat(21) + '1' + '}'.repeat(21),
      '['.repeat(10_000) + ']'.repeat(10_000),
      '\ufeff{}',
      '{/* */}',
      '{"a":1e400',
      '{"a":NaN}',
      "{'a':1}",
      '{} {}',
    ]
    for (const payload of trickPayloads) {
      const response = await getSender(endpoint).send({
        method: endpoint.method,
        url: buildPath(endpoint),
        headers: { ...headers, 'content-type': 'application/json' },
        payload,
      })
      expect([payload.slice(0, 40), response.statusCode]).toEqual([payload.slice(0, 40), 400])
    }
  })
})

describe('the values of a request', () => {
  const list = (query: string) =>
    admin.send({ url: `/api/m18s/company/${server.world.companies.alpha}/users?${query}` })

  test('are rejected if a name occurs twice (S-02)', async () => {
    expect((await list('page=1&page=2')).json().data).toMatchObject([{ field: 'page', code: 'REPEATED' }])
  })

  test('are not coerced in JSON, and in queries only to their declared type (S-02, S-12)', async () => {
    const url = `/api/m18s/company-user/${server.world.users['user@alpha']}`
    for (const alert of ['true', 1, 'yes', [true]])
      expect((await admin.send({ method: 'PUT', url, payload: { alert } })).statusCode).toBe(400)
    for (const query of [
      'page=1e1',
      'page=0x1',
      'includedDel=1',
      'results=51',
      'results=0',
      'sortField=password_hash',
      'sortOrder=DROP',
    ])
      expect([query, (await list(query)).statusCode]).toEqual([query, 400])
  })

  test('cause a final refusal under their key if they do not match the schema (protocol 3)', async () => {
    const key = '9d3c7f0e-9a2f-4a86-8d5f-2f8a6f1f9a01'
    const url = '/api/m18s/user'
    const refusedResponse = await admin.send({
      method: 'POST',
      url,
      headers: { 'idempotency-key': key },
      payload: { title: 0 },
    })
    expect(refusedResponse.headers).toMatchObject({ 'idempotency-key': key, 'idempotency-outcome': 'refused; schema' })
    const largeResponse = await admin.send({
      method: 'POST',
      url,
      headers: { 'idempotency-key': key },
      payload: { name: 'x'.repeat(1_100_000) },
    })
    expect([
      largeResponse.statusCode,
      largeResponse.headers['idempotency-key'],
      largeResponse.headers['idempotency-outcome'],
    ]).toEqual([413, key, 'refused; schema'])
    const unknownPathResponse = await admin.send({
      method: 'POST',
      url: '/api/nowhere',
      headers: { 'idempotency-key': key },
    })
    expect([
      unknownPathResponse.statusCode,
      unknownPathResponse.headers['idempotency-key'],
      unknownPathResponse.headers['idempotency-outcome'],
    ]).toEqual([404, key, undefined])
  })

  test('are removed and counted if they are unknown (S-01)', async () => {
    await admin.send({
      method: 'POST',
      url: '/api/m18s/user',
      payload: { title: 0, name: 'A', email: 'x', color: 1, size: 2 },
    })
    expect(server.readLog()).toMatch(/"unknownFields":2/)
  })

  test('are read quickly even if they are a megabyte of quotes', async () => {
    const payload = { title: 0, name: '"\\'.repeat(240_000), email: 'x' }
    const startedAt = performance.now()
    expect((await admin.send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(400)
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})

describe('requests with a wrong method or path', () => {
  test('get 405 with the allowed methods for a known path (S-54)', async () => {
    for (const method of ['PATCH', 'OPTIONS', 'POST'] as const) {
      const response = await admin.send({ method, url: `/api/m18s/company/${server.world.companies.alpha}` })
      expect([method, response.statusCode, response.headers.allow]).toEqual([method, 405, 'GET, HEAD, PUT'])
    }
    expect((await server.send({ url: '/api/m18s/token' })).statusCode).toBe(405)
  })

  test('get 404 as JSON for an unknown path in any spelling (F-04, S-79)', async () => {
    for (const url of [
      '/api/nope',
      '/public/nope',
      '/api//m18s/user',
      '/API/m18s/user',
      '/api/m18s/user/',
      '/api/m18s/user;x',
      '/api/m18s/%2e%2e/user',
      '/api/m18s/user.css',
      '/api/m18s/settings/x.js',
    ]) {
      const response = await admin.send({ url, headers: { accept: 'text/html' } })
      expect([url, response.statusCode, response.headers['content-type']]).toEqual([
        url,
        expect.toSatisfy((status: number) => [400, 404, 405].includes(status)),
        'application/json; charset=utf-8',
      ])
    }
  })

  test('are rejected with all security headers if the path cannot be decoded', async () => {
    const response = await server.send({ url: '/api/%zz' })
    expect([response.statusCode, response.headers['x-content-type-options']]).toEqual([400, 'nosniff'])
    expect((await server.send({ url: `/api/${'x'.repeat(9000)}` })).statusCode).toBe(413)
  })

  test('Pages of another site can neither change anything nor read responses (S-55, S-56)', async () => {
    const sendWithHeaders = (headers: Record<string, string>) =>
      admin.send({ method: 'POST', url: `/api/users/enable/${server.world.users['disabled@alpha']}`, headers })
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', host: 'localhost:8080' },
      { origin: 'null', host: 'localhost:8080' },
      { origin: 'http://localhost:8080.evil.example', host: 'localhost:8080' },
    ] as Record<string, string>[])
      expect([headers, (await sendWithHeaders(headers)).statusCode]).toEqual([headers, 403])
    expect((await sendWithHeaders({ origin: 'http://localhost:8080', host: 'localhost:8080' })).statusCode).toBe(200)
    const foreignResponse = await admin.send({ url: '/api/m18s/user', headers: { origin: 'https://evil.example' } })
    expect(Object.keys(foreignResponse.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

test('The wrong requests of this file changed nothing, and every endpoint of the contract is implemented', async () => {
  const rowsBefore = await readRows()
  expect(rowsBefore.users.filter(({ name }) => name.includes('drop table'))).toEqual([])
  expect(rowsBefore.companies.map(({ code }) => code)).toEqual(['alpha', 'beta', 'm18'])
  // Every endpoint of the contract is implemented.
  expect(builtEndpoints.map(({ name }) => name).toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted())
})
