/** Headers of every answer (H-01 to H-05, H-11, S-63, S-85), and what the pages' addresses give away (S-79, S-87, W-05). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { endpoints } from '#contract/index.ts'
import { buildApp } from '#server/composition/app.ts'
import { noPayments, type Payments } from '#server/context/payment-methods.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let user: SignedIn
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-pages-'))
  const files: Record<string, string> = {
    'dist/index.html': '<!doctype html><title>shell</title>',
    'dist/sw.js': 'self.x = 1',
    'dist/manifest.webmanifest': '{}',
    'dist/build.json': '{"build":"b-42","styleNonce":"bm9uY2U="}',
    'dist/assets/app-1a2b.js': 'export const long = 1;'.repeat(200),
    'dist/assets/app-1a2b.js.map': '{}',
    'dist/assets/squeezed-3c4d.js': 'export const plain = 1',
    'dist/assets/squeezed-3c4d.js.br': 'as the build squeezed it',
    'dist/assets/picture-5e6f.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'dist/.env': 'SECRET=1',
    'dist/icons/any-192.png': 'png',
    'site/index.html': '<!doctype html><title>home</title>',
    'site/privacy.html': '<!doctype html><title>privacy</title>',
    'secret.txt': 'outside',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  server = await startServer({ settings: { dist: join(folder, 'dist'), site: join(folder, 'site') } })
  user = await server.signIn('user@alpha')
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const html = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' }

function expectEverywhere({ headers }: LightMyRequestResponse): void {
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringContaining('default-src'),
    'permissions-policy': expect.stringContaining('camera=()'),
    'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
    'x-build': 'b-42',
  })
  for (const name of [
    'server',
    'x-powered-by',
    'strict-transport-security',
    'clear-site-data',
    'service-worker-allowed',
  ])
    expect(headers[name]).toBeUndefined()
}

async function expectedEverywhere(url: string): Promise<LightMyRequestResponse> {
  const answer = await server.send({ url })
  expectEverywhere(answer)
  return answer
}

describe('every call of the table (H-05, H-10, S-66, S-78)', () => {
  test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    async (_, { method, path }) => {
      for (const send of [server.send, user.send]) {
        const answer = await send({ method, url: path.replace(/:\w+/g, '1') })
        if (path.endsWith('logout')) user = await server.signIn('user@alpha')
        expectEverywhere(answer)
        expect(answer.headers['cache-control']).toBe('no-store')
        expect(answer.headers['content-security-policy']).toBe(
          "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        )
        expect(answer.headers.vary).toMatch(/Authorization, Sec-Fetch-Site$/)
        if (answer.statusCode !== 204) expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
        if (answer.statusCode === 401) expect(answer.headers['www-authenticate']).toBe('Bearer')
      }
    },
  )
})

describe('the pages', () => {
  test('the shell comes for navigations under /saas, with its policy and never stale (H-01, W-12)', async () => {
    for (const url of ['/saas/', '/saas/app/home', '/saas/login?x=1', '/saas/index.html']) {
      const answer = await server.send({ url, headers: html })
      expect([url, answer.statusCode, answer.body]).toEqual([url, 200, '<!doctype html><title>shell</title>'])
      expectEverywhere(answer)
      expect(answer.headers['cache-control']).toBe('no-cache')
      const policy = String(answer.headers['content-security-policy'])
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'nonce-bm9uY2U='",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types default',
      ])
        expect(policy.split('; ')).toContain(part)
      expect(policy).not.toMatch(/unsafe/)
    }
  })

  test('fault 36M81b what a card is typed into is let in where it is set up, by its own origin, and nowhere else', async () => {
    const policyWith = async (payments: Partial<Payments>) => {
      const app = buildApp(
        { ...server.app, payments: { ...noPayments, ...payments } },
        { dist: join(folder, 'dist'), site: join(folder, 'site') },
      )
      const { headers } = await app.inject({ url: '/saas/', headers: html })
      await app.close()
      return String(headers['content-security-policy']).split('; ')
    }
    const cardFrame = 'http://127.0.0.1:9091/card-fields'
    const [none, demo, stripe] = await Promise.all([
      policyWith({}),
      policyWith({ cardFrame }),
      policyWith({ stripeKey: 'pk_test_x' }),
    ])
    const changes = (policy: string[]) => policy.filter((part) => !none.includes(part))
    expect(none).toEqual(expect.arrayContaining(["script-src 'self'", "frame-src 'self'", "connect-src 'self'"]))
    expect(changes(demo)).toEqual(["frame-src 'self' http://127.0.0.1:9091"])
    expect(changes(stripe)).toEqual([
      "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
      "connect-src 'self' https://api.stripe.com",
      "frame-src 'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
      'trusted-types default stripe',
    ])
  })

  test('the worker, hashed files and icons say how long they hold (H-03, H-04)', async () => {
    const worker = await server.send({ url: '/saas/sw.js', headers: { 'service-worker': 'script' } })
    expect(worker.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    })
    const asset = await server.send({ url: '/saas/assets/app-1a2b.js', headers: { 'accept-encoding': 'br' } })
    expect(asset.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
    })
    // Never asked for again, so it bears nothing to compare by.
    for (const name of ['etag', 'last-modified', 'accept-ranges']) expect(asset.headers).not.toHaveProperty(name)
    const manifest = await server.send({ url: '/saas/manifest.webmanifest' })
    expect(manifest.headers).toMatchObject({
      'content-type': 'application/manifest+json',
      'cache-control': 'no-cache',
    })
  })

  test('the home page is asked for each time; a policy can be read again for a day without asking (M7, M14)', async () => {
    const held = async (url: string) => (await server.send({ url, headers: html })).headers['cache-control']
    expect(await held('/index.html')).toBe('no-cache')
    expect(await held('/privacy.html')).toBe('public, max-age=86400')
  })

  test('the home page and the policies run no script but their own and stand in no frame of others (H-01)', async () => {
    for (const url of ['/index.html', '/privacy.html']) {
      const { statusCode, headers } = await server.send({ url, headers: html })
      expect([url, statusCode]).toEqual([url, 200])
      const policy = String(headers['content-security-policy'])
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "object-src 'none'",
          "frame-ancestors 'none'",
        ]),
      )
      expect(policy).not.toMatch(/unsafe/)
    }
  })

  test('parts of a page are guarded like the page (H-02), and no header names what browsers do not know', async () => {
    for (const url of [
      '/saas/assets/app-1a2b.js',
      '/saas/sw.js',
      '/saas/icons/any-192.png',
      '/saas/assets/picture-5e6f.svg',
      '/saas/assets/gone.js',
    ]) {
      const { headers } = await expectedEverywhere(url)
      // Chromium writes a warning on the console for each of them.
      expect(headers['permissions-policy']).not.toMatch(/bluetooth|web-share/)
    }
  })

  test('a file that the build has squeezed goes out as it is, under its own name and to whoever can read it (H-03)', async () => {
    const url = '/saas/assets/squeezed-3c4d.js'
    const squeezed = await server.send({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect(squeezed.body).toBe('as the build squeezed it')
    expect(squeezed.headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    expect((await server.send({ url })).body).toBe('export const plain = 1')
    expect((await server.send({ url: `${url}.br` })).statusCode).toBe(404)
  })

  test('an unchanged file is a 304 with the same headers', async () => {
    const first = await server.send({ url: '/saas/index.html', headers: html })
    const again = await server.send({
      url: '/saas/index.html',
      headers: { ...html, 'if-none-match': String(first.headers.etag) },
    })
    expect(again.statusCode).toBe(304)
    expectEverywhere(again)
  })

  test('the front door leads on (M5, M7)', async () => {
    const root = await server.send({ url: '/' })
    expect([root.statusCode, root.headers.location]).toEqual([302, '/index.html'])
    expectEverywhere(root)
    expect((await server.send({ url: '/saas' })).headers.location).toBe('/saas/')
    expect((await server.send({ url: '/index.html' })).body).toContain('home')
    expect((await server.send({ url: '/privacy.html' })).body).toContain('privacy')
  })

  test('what is not a page of ours is a 404 in JSON, never the shell (S-79)', async () => {
    const cases: [string, Record<string, string>][] = [
      ['/saas/app/home', { accept: 'application/json' }],
      ['/saas/app/home', { accept: 'text/html', 'sec-fetch-mode': 'no-cors' }],
      ['/saas/assets/gone-1.js', html],
      ['/saas/app/home.css', html],
      ['/saas/build.json', html],
      ['/saas/assets/app-1a2b.js.map', html],
      ['/saas/.env', html],
      ['/saas/assets/', html],
      ['/nowhere', html],
      ['/saas/../secret.txt', html],
      ['/saas/..%2fsecret.txt', html],
      ['/saas/%2e%2e/secret.txt', html],
      ['/..%5csecret.txt', html],
      ['/site/../secret.txt', html],
      ['/saas/assets/..%2f..%2fbuild.json', html],
      ['/saas/assets/%00app-1a2b.js', html],
    ]
    for (const [url, headers] of cases) {
      const answer = await server.send({ url, headers })
      expect([url, answer.statusCode >= 400 && answer.statusCode < 500]).toEqual([url, true])
      expect(answer.body).not.toMatch(/shell|outside|SECRET|styleNonce/)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-store')
      expectEverywhere(answer)
    }
  })

  test('nothing but the worker can be asked for as a worker (W-05)', async () => {
    for (const url of ['/saas/assets/app-1a2b.js', '/saas/', '/index.html', '/api/m18s/user', '/public/asset/abcdefgh'])
      expect((await server.send({ url, headers: { 'service-worker': 'script' } })).statusCode).toBe(403)
  })

  test('pages are read, not written to (S-54)', async () => {
    const answer = await server.send({ method: 'POST', url: '/saas/index.html' })
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await server.send({ method: 'HEAD', url: '/saas/index.html' })).statusCode).toBe(200)
  })
})

test('over TLS browsers are told to stay there, and cookies bear their prefixes (H-02, K-03, S-82)', async () => {
  const safe = await startServer({ env: { PUBLIC_URL: 'https://portal.example' } })
  try {
    const answer = await safe.send({ url: '/api/m18s/user' })
    expect(answer.headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains')
    const { access } = await safe.signIn('user@alpha')
    const out = await safe.send({
      method: 'POST',
      url: '/api/m18s/logout',
      headers: { authorization: `Bearer ${access}` },
    })
    expect([out.headers['set-cookie']].flat()).toEqual([
      '__Host-portal-access=; Max-Age=0; Path=/; Secure; SameSite=Strict',
      '__Secure-portal-refresh=; Max-Age=0; Path=/api/m18s; HttpOnly; Secure; SameSite=Strict',
    ])
  } finally {
    await safe.close()
  }
})
