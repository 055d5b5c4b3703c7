/** Tests of HEAD for every GET without side effects, of the app's page for programs, and of a wrong Host. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let user: SignedIn
let staff: SignedIn
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-head-'))
  const files: Record<string, string> = {
    'dist/index.html': '<!doctype html><title>shell</title>',
    'dist/sw.js': 'self.x = 1',
    'dist/assets/app-1a2b.js': 'export const one = 1',
    'site/index.html': '<!doctype html><title>home</title>',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const settings = { dist: join(folder, 'dist'), site: join(folder, 'site') }
  server = await startServer({ settings, env: { PUBLIC_URL: 'http://portal.example', API_DOCS: '1' } })
  user = await server.signIn('admin@alpha')
  staff = await server.signIn('admin@m18')
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const anyContentHeaders = { host: 'localhost', accept: '*/*' }

/** Picks the headers of GET that HEAD repeats, without headers that differ in each response. */
const pickComparableHeaders = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    ['content-type', 'location', 'cache-control', 'content-security-policy', 'etag', 'content-length', 'allow'].map(
      (name) => [name, headers[name]],
    ),
  )

describe('HEAD requests (fault 21a)', () => {
  it.each([
    '/',
    '/index.html',
    '/saas',
    '/saas/',
    '/saas/app/user',
    '/saas/sw.js',
    '/saas/worker.json',
    '/saas/assets/app-1a2b.js',
    '/saas/assets/missing.js',
    '/health/live',
    '/health/ready',
    '/api/openapi.json',
    '/api/docs',
    '/api/nothing',
    '/nowhere',
  ])('return the status and headers of GET at %s', async (url) => {
    const [getResponse, headResponse] = [
      await server.send({ url, headers: anyContentHeaders }),
      await server.send({ method: 'HEAD', url, headers: anyContentHeaders }),
    ]
    expect([url, headResponse.statusCode]).toEqual([url, getResponse.statusCode])
    expect(headResponse.body).toBe('')
    expect(pickComparableHeaders(headResponse.headers)).toEqual(pickComparableHeaders(getResponse.headers))
  })

  const readEndpoints = endpoints.filter(({ method }) => method === 'GET')
  it.each(readEndpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    'return the status of GET for the call %s, or 204 if GET redirects',
    async (_, { path, access }) => {
      const url = path.replaceAll(/:\w+/g, '1')
      const sender = access === 'anybody' ? server : staff
      const getResponse = await sender.send({ url })
      const headResponse = await sender.send({ method: 'HEAD', url })
      expect(headResponse.body).toBe('')
      // GET redirects to a page that depends on the gateway's answer, which HEAD does not request.
      const isSame =
        headResponse.statusCode === getResponse.statusCode ||
        (getResponse.statusCode === 303 && headResponse.statusCode === 204)
      expect([headResponse.statusCode, isSame]).toEqual([headResponse.statusCode, true])
      const refusedResponse = await server.send({ method: 'HEAD', url })
      if (access !== 'anybody') expect(refusedResponse.statusCode).toBe(401)
    },
  )

  it('return 405 with the allowed methods for a call without GET', async () => {
    const response = await server.send({ method: 'HEAD', url: '/api/m18s/token' })
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST'])
  })
})

it('HEAD of an export writes nothing (fault 21b)', async () => {
  const countRows = () =>
    runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const { rows } = await db
        .selectFrom('audit_entry')
        .select(({ fn }) => fn.countAll().as('rows'))
        .executeTakeFirstOrThrow()
      return Number(rows)
    })
  const url = '/api/systrail/export?format=csv'
  const countBefore = await countRows()
  expect((await user.send({ method: 'HEAD', url })).statusCode).toBe(200)
  expect(await countRows()).toBe(countBefore)
  expect((await user.send({ url })).statusCode).toBe(200)
  expect(await countRows()).toBe(countBefore + 1)
})

describe('the page of the app (fault 21c)', () => {
  it.each([{ accept: '*/*' }, { accept: 'text/*' }, {}])(
    'is returned to a program that accepts %o',
    async (headers) => {
      for (const url of ['/saas/', '/saas/app/contract/7']) {
        const response = await server.send({ url, headers: { host: 'localhost', ...headers } })
        expect([url, response.statusCode, response.body.includes('shell')]).toEqual([url, 200, true])
      }
    },
  )

  it('is not returned for a missing file, or to a script that requests data', async () => {
    for (const [url, headers] of [
      ['/saas/assets/gone-1a2b.js', {}],
      ['/saas/missing.png', {}],
      ['/saas/app/contract', { 'sec-fetch-mode': 'cors' }],
      ['/saas/app/contract', { accept: 'application/json' }],
    ] as const) {
      const response = await server.send({ url, headers: { ...anyContentHeaders, ...headers } })
      expect([url, response.statusCode]).toEqual([url, 404])
    }
  })
})

describe('a request with a wrong Host (fault 21d)', () => {
  const wrongHostHeaders = { host: 'other.example', accept: 'text/html,*/*' }

  it.each([
    ['en', 'The portal is not served at this address'],
    ['zh-CN', '此地址不提供门户服务'],
  ])('gets a page in %s that names PUBLIC_URL', async (language, title) => {
    const response = await server.send({ url: '/saas/', headers: { ...wrongHostHeaders, 'accept-language': language } })
    expect(response.statusCode).toBe(403)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.headers['cache-control']).toBe('no-store')
    for (const text of [title, 'PUBLIC_URL', 'other.example', 'Host']) expect(response.body).toContain(text)
  })

  it('gets a page on which the host name is escaped', async () => {
    const response = await server.send({
      url: '/',
      headers: { ...wrongHostHeaders, host: 'a<script>alert(1)</script>"&' },
    })
    expect(response.body).not.toContain('<script')
    expect(response.body).toContain('a&lt;script&gt;')
  })

  it('gets a problem as JSON under /api', async () => {
    const response = await server.send({ url: '/api/m18s/settings', headers: { host: 'other.example' } })
    expect([response.statusCode, response.json().errorCode]).toEqual([403, 'WRONG_HOST'])
    expect(response.json().errorMessage).toContain('PUBLIC_URL')
  })

  it('is logged with both names and a hint, at most once an hour per name and for at most ten names', async () => {
    server.clock.now += 3_600_000
    const logLength = server.readLog().length
    for (let index = 0; index < 30; index++)
      await server.send({ url: '/', headers: { ...wrongHostHeaders, host: `name-${index % 15}.example` } })
    const logLines = server
      .readLog()
      .slice(logLength)
      .split('\n')
      .filter((line) => line.includes('"host_refused"'))
      .map((line) => JSON.parse(line))
    expect(logLines).toHaveLength(10)
    expect(logLines[0]).toMatchObject({ host: 'name-0.example', publicUrl: 'http://portal.example' })
    expect(logLines[0].advice).toContain('PUBLIC_URL')
  })
})
