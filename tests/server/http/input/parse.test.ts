/** What is sent, against what is taken (F-01, F-02, F-05, S-01 to S-03, S-11): 400 and no effect, never a 5xx. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint, Schema, Shape } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { handlersOf } from '#server/composition/app.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { basic, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { roles } from '#tests/support/server/world.ts'

let server: TestServer
let admin: SignedIn
/** For what an admin of a company may not: nobody's values are looked at before their rights. */
let others: Record<'order' | 'staff', SignedIn>
beforeAll(async () => {
  server = await startServer()
  admin = await server.signIn('admin@alpha')
  others = { order: await server.signIn(roles.O), staff: await server.signIn(roles.D) }
})
afterAll(() => server.close())

const built = handlersOf({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint)
const fieldsOf = (schema: Schema | undefined) => ((schema as Shape | undefined)?.shape ?? {}) as Record<string, Schema>

/** Values that no field takes, or that some take only by mistake. */
const wrong: unknown[] = [
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

let fields = 0
/** For the next field: a fifth of them by day, in turns, so that each value is given to fields of all kinds. */
const wrongForNext = () => {
  const turn = fields++ % 5
  return isNight ? wrong : wrong.filter((_, at) => at % 5 === turn)
}

const rowsOf = () =>
  inTransaction(server.app, { role: 'portal_system' }, async (db) => ({
    users: await db.selectFrom('portal_user').selectAll().orderBy('id').execute(),
    companies: await db.selectFrom('company').selectAll().orderBy('id').execute(),
  }))

const pathOf = (endpoint: Endpoint) =>
  endpoint.path.replace(/:(\w+)/g, (_, name) =>
    name === 'companyId' || endpoint.path.includes('/company/')
      ? String(server.world.companies.alpha)
      : String(server.world.users['user@alpha']),
  )

function calm(answer: { statusCode: number; body: string }): void {
  if (answer.statusCode >= 500) expect.fail(`${answer.statusCode}: ${answer.body}`)
  expect(answer.body).not.toMatch(/syntax error|relation "|kysely|stack|\.ts:\d/)
}

const skipped = new Set(['signOut'])
const mayAdmin = new Set<Endpoint['who']>(['anybody', 'user', 'admin'])
const asker = ({ who }: Endpoint) => (mayAdmin.has(who) ? admin : who === 'order' ? others.order : others.staff)

describe.each(built.filter(({ name }) => !skipped.has(name)).map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    const headers = endpoint.name === 'grantToken' ? { authorization: basic } : {}
    /** With files: takes no JSON at all. */
    const isForm = endpoint.encoding === 'multipart'

    test('takes no wrong value of any field, and breaks at none (F-01, F-02)', async () => {
      for (const name of Object.keys(fieldsOf(endpoint.body)))
        for (const value of wrongForNext())
          calm(
            await admin.send({ method: endpoint.method, url: pathOf(endpoint), headers, payload: { [name]: value } }),
          )
      for (const name of Object.keys(fieldsOf(endpoint.query)))
        for (const value of wrongForNext()) {
          const given = encodeURIComponent(
            String(typeof value === 'string' ? value.slice(0, 5000).toWellFormed() : JSON.stringify(value)),
          )
          calm(await admin.send({ method: endpoint.method, url: `${pathOf(endpoint)}?${name}=${given}` }))
        }
    })

    test('takes no wrong id in its path', async () => {
      if (!endpoint.params) return
      const ids = ['0', '-1', '1.5', 'abc', '99999999999', '1e3', '%00', '~', '~x', 'null', '1%20', '%F0%9F%94%91']
      for (const id of ids) {
        // Any name may stand for a write that has not happened.
        if (id === '~x' && endpoint.path.startsWith('/api/request')) continue
        const { send } = asker(endpoint)
        const answer = await send({ method: endpoint.method, url: endpoint.path.replace(/:\w+/, id) })
        calm(answer)
        // A browser that comes back from a gateway is shown a page of ours, whatever it brings.
        expect(endpoint.name === 'returnFromPayment' ? [303, 400, 404] : [400, 404]).toContain(answer.statusCode)
      }
    })

    test('takes a body of its own kind alone (S-03)', async () => {
      if (!endpoint.body) return
      const others = ['text/plain', 'application/jsonx', 'application/json; charset=utf-16', 'application/xml']
      const types = isForm
        ? [...others, 'application/json', 'application/x-www-form-urlencoded']
        : [...others, 'application/json;', 'multipart/form-data; boundary=x']
      for (const type of types) {
        const answer = await asker(endpoint).send({
          method: endpoint.method,
          url: pathOf(endpoint),
          headers: { ...headers, 'content-type': type },
          payload: '{}',
        })
        expect([type, answer.statusCode]).toEqual([type, 415])
      }
    })

    test('takes no JSON that plays tricks (F-05, S-11)', async () => {
      if (!endpoint.body || isForm) return
      const tricks = [
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
      for (const payload of tricks) {
        const answer = await asker(endpoint).send({
          method: endpoint.method,
          url: pathOf(endpoint),
          headers: { ...headers, 'content-type': 'application/json' },
          payload,
        })
        expect([payload.slice(0, 40), answer.statusCode]).toEqual([payload.slice(0, 40), 400])
      }
    })
  },
)

describe('values', () => {
  const list = (query: string) =>
    admin.send({ url: `/api/m18s/company/${server.world.companies.alpha}/users?${query}` })

  test('a name given twice is a mistake, not a choice (S-02)', async () => {
    expect((await list('page=1&page=2')).json().data).toMatchObject([{ field: 'page', code: 'DUPLICATE' }])
  })

  test('JSON is not coerced, queries only by their declared type (S-02, S-12)', async () => {
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

  test('a refusal by the bytes alone says that it is final, and repeats the key (protocol 3)', async () => {
    const key = '9d3c7f0e-9a2f-4a86-8d5f-2f8a6f1f9a01'
    const url = '/api/m18s/user'
    const refused = await admin.send({
      method: 'POST',
      url,
      headers: { 'idempotency-key': key },
      payload: { title: 0 },
    })
    expect(refused.headers).toMatchObject({ 'idempotency-key': key, 'idempotency-outcome': 'refused; schema' })
    const large = await admin.send({
      method: 'POST',
      url,
      headers: { 'idempotency-key': key },
      payload: { name: 'x'.repeat(1_100_000) },
    })
    expect([large.statusCode, large.headers['idempotency-key'], large.headers['idempotency-outcome']]).toEqual([
      413,
      key,
      'refused; schema',
    ])
    const nowhere = await admin.send({ method: 'POST', url: '/api/nowhere', headers: { 'idempotency-key': key } })
    expect([nowhere.statusCode, nowhere.headers['idempotency-key'], nowhere.headers['idempotency-outcome']]).toEqual([
      404,
      key,
      undefined,
    ])
  })

  test('fields that are not known are taken out, and counted (S-01)', async () => {
    await admin.send({
      method: 'POST',
      url: '/api/m18s/user',
      payload: { title: 0, name: 'A', email: 'x', color: 1, size: 2 },
    })
    expect(server.logged()).toMatch(/"strays":2/)
  })

  test('a megabyte of quotes is read in no time', async () => {
    const payload = { title: 0, name: '"\\'.repeat(240_000), email: 'x' }
    const from = performance.now()
    expect((await admin.send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(400)
    expect(performance.now() - from).toBeLessThan(1000)
  })
})

describe('methods and addresses', () => {
  test('a known address says what it takes (S-54)', async () => {
    for (const method of ['PATCH', 'OPTIONS', 'POST'] as const) {
      const answer = await admin.send({ method, url: `/api/m18s/company/${server.world.companies.alpha}` })
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD, PUT'])
    }
    expect((await server.send({ url: '/api/m18s/token' })).statusCode).toBe(405)
  })

  test('an unknown one is a 404 in JSON, however it is written (F-04, S-79)', async () => {
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
      const answer = await admin.send({ url, headers: { accept: 'text/html' } })
      expect([url, answer.statusCode, answer.headers['content-type']]).toEqual([
        url,
        expect.toSatisfy((status: number) => [400, 404, 405].includes(status)),
        'application/json; charset=utf-8',
      ])
    }
  })

  test('an address that cannot be decoded is refused with all headers', async () => {
    const answer = await server.send({ url: '/api/%zz' })
    expect([answer.statusCode, answer.headers['x-content-type-options']]).toEqual([400, 'nosniff'])
    expect((await server.send({ url: `/api/${'x'.repeat(9000)}` })).statusCode).toBe(413)
  })

  test('another site’s page cannot make us change anything, or read our answers (S-55, S-56)', async () => {
    const send = (headers: Record<string, string>) =>
      admin.send({ method: 'POST', url: `/api/users/enable/${server.world.users['disabled@alpha']}`, headers })
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', host: 'localhost:8080' },
      { origin: 'null', host: 'localhost:8080' },
      { origin: 'http://localhost:8080.evil.example', host: 'localhost:8080' },
    ] as Record<string, string>[])
      expect([headers, (await send(headers)).statusCode]).toEqual([headers, 403])
    expect((await send({ origin: 'http://localhost:8080', host: 'localhost:8080' })).statusCode).toBe(200)
    const foreign = await admin.send({ url: '/api/m18s/user', headers: { origin: 'https://evil.example' } })
    expect(Object.keys(foreign.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

test('and after all of it nothing has changed but what was meant', async () => {
  const before = await rowsOf()
  expect(before.users.filter(({ name }) => name.includes('drop table'))).toEqual([])
  expect(before.companies.map(({ code }) => code)).toEqual(['alpha', 'beta', 'm18'])
  // Each call that is described is built.
  expect(built.map(({ name }) => name).toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted())
})
