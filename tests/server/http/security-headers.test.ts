/**
 * Tests the headers of every response (H-01 to H-05, H-11, S-63, S-85), and the responses to page paths, which must not reveal other files
 * (S-79, S-87, W-05).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { endpoints } from '#contract/index.ts'
import { buildApp } from '#server/composition/app.ts'
import { noPaymentMethods, type PaymentMethods } from '#server/context/payment-methods.ts'
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

const htmlHeaders = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' }

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

async function sendAndExpectHeaders(url: string): Promise<LightMyRequestResponse> {
  const response = await server.send({ url })
  expectEverywhere(response)
  return response
}

describe('every endpoint sends its security headers (H-05, H-10, S-66, S-78)', () => {
  test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    async (_, { method, path }) => {
      for (const send of [server.send, user.send]) {
        const response = await send({ method, url: path.replace(/:\w+/g, '1') })
        if (path.endsWith('logout')) user = await server.signIn('user@alpha')
        expectEverywhere(response)
        expect(response.headers['cache-control']).toBe('no-store')
        expect(response.headers['content-security-policy']).toBe(
          "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        )
        expect(response.headers.vary).toMatch(/Authorization, Sec-Fetch-Site$/)
        if (response.statusCode !== 204)
          expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
        if (response.statusCode === 401) expect(response.headers['www-authenticate']).toBe('Bearer')
      }
    },
  )
})

describe('the web server for pages and files', () => {
  test('serves the app shell for navigations under /saas with its policy, always revalidated (H-01, W-12)', async () => {
    for (const url of ['/saas/', '/saas/app/home', '/saas/login?x=1', '/saas/index.html']) {
      const response = await server.send({ url, headers: htmlHeaders })
      expect([url, response.statusCode, response.body]).toEqual([url, 200, '<!doctype html><title>shell</title>'])
      expectEverywhere(response)
      expect(response.headers['cache-control']).toBe('no-cache')
      const policy = String(response.headers['content-security-policy'])
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

  test('allows the card frame only if it is configured, and only its own origin (fault 36M81b)', async () => {
    const readPolicy = async (payments: Partial<PaymentMethods>) => {
      const app = buildApp(
        { ...server.app, payments: { ...noPaymentMethods, ...payments } },
        { dist: join(folder, 'dist'), site: join(folder, 'site') },
      )
      const { headers } = await app.inject({ url: '/saas/', headers: htmlHeaders })
      await app.close()
      return String(headers['content-security-policy']).split('; ')
    }
    const cardFrame = 'http://127.0.0.1:9091/card-fields'
    const [basePolicy, demoPolicy, stripePolicy] = await Promise.all([
      readPolicy({}),
      readPolicy({ cardFrame }),
      readPolicy({ stripeKey: 'pk_test_x' }),
    ])
    const findChanges = (policy: string[]) => policy.filter((policyPart) => !basePolicy.includes(policyPart))
    expect(basePolicy).toEqual(expect.arrayContaining(["script-src 'self'", "frame-src 'self'", "connect-src 'self'"]))
    expect(findChanges(demoPolicy)).toEqual(["frame-src 'self' http://127.0.0.1:9091"])
    expect(findChanges(stripePolicy)).toEqual([
      "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
      "connect-src 'self' https://api.stripe.com",
      "frame-src 'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
      'trusted-types default stripe',
    ])
  })

  test('sets the cache time of the worker, hashed files and icons (H-03, H-04)', async () => {
    const workerResponse = await server.send({ url: '/saas/sw.js', headers: { 'service-worker': 'script' } })
    expect(workerResponse.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    })
    const assetResponse = await server.send({ url: '/saas/assets/app-1a2b.js', headers: { 'accept-encoding': 'br' } })
    expect(assetResponse.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
    })
    // An immutable file is never revalidated, so it has no validator.
    for (const name of ['etag', 'last-modified', 'accept-ranges'])
      expect(assetResponse.headers).not.toHaveProperty(name)
    const manifestResponse = await server.send({ url: '/saas/manifest.webmanifest' })
    expect(manifestResponse.headers).toMatchObject({
      'content-type': 'application/manifest+json',
      'cache-control': 'no-cache',
    })
  })

  test('makes browsers revalidate the home page each time, and a policy page after a day (M7, M14)', async () => {
    const getCacheControl = async (url: string) =>
      (await server.send({ url, headers: htmlHeaders })).headers['cache-control']
    expect(await getCacheControl('/index.html')).toBe('no-cache')
    expect(await getCacheControl('/privacy.html')).toBe('public, max-age=86400')
  })

  test('lets the home page and the policy pages run only their own scripts, and forbids framing (H-01)', async () => {
    for (const url of ['/index.html', '/privacy.html']) {
      const { statusCode, headers } = await server.send({ url, headers: htmlHeaders })
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

  test('protects the parts of a page like the page (H-02), and sends no header that is unknown to browsers', async () => {
    for (const url of [
      '/saas/assets/app-1a2b.js',
      '/saas/sw.js',
      '/saas/icons/any-192.png',
      '/saas/assets/picture-5e6f.svg',
      '/saas/assets/gone.js',
    ]) {
      const { headers } = await sendAndExpectHeaders(url)
      // Chromium logs a warning for each unknown feature.
      expect(headers['permissions-policy']).not.toMatch(/bluetooth|web-share/)
    }
  })

  test('sends files that the build has compressed to clients that accept them, under the original name (H-03)', async () => {
    const url = '/saas/assets/squeezed-3c4d.js'
    const compressedResponse = await server.send({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect(compressedResponse.body).toBe('as the build squeezed it')
    expect(compressedResponse.headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    expect((await server.send({ url })).body).toBe('export const plain = 1')
    expect((await server.send({ url: `${url}.br` })).statusCode).toBe(404)
  })

  test('sends the same headers with a 304 for an unchanged file', async () => {
    const firstResponse = await server.send({ url: '/saas/index.html', headers: htmlHeaders })
    const repeatedResponse = await server.send({
      url: '/saas/index.html',
      headers: { ...htmlHeaders, 'if-none-match': String(firstResponse.headers.etag) },
    })
    expect(repeatedResponse.statusCode).toBe(304)
    expectEverywhere(repeatedResponse)
  })

  test('redirects / and /saas to their pages (M5, M7)', async () => {
    const rootResponse = await server.send({ url: '/' })
    expect([rootResponse.statusCode, rootResponse.headers.location]).toEqual([302, '/index.html'])
    expectEverywhere(rootResponse)
    expect((await server.send({ url: '/saas' })).headers.location).toBe('/saas/')
    expect((await server.send({ url: '/index.html' })).body).toContain('home')
    expect((await server.send({ url: '/privacy.html' })).body).toContain('privacy')
  })

  test('returns 404 as JSON for unknown files, never the app shell (S-79)', async () => {
    const cases: [string, Record<string, string>][] = [
      ['/saas/app/home', { accept: 'application/json' }],
      ['/saas/app/home', { accept: 'text/html', 'sec-fetch-mode': 'no-cors' }],
      ['/saas/assets/gone-1.js', htmlHeaders],
      ['/saas/app/home.css', htmlHeaders],
      ['/saas/build.json', htmlHeaders],
      ['/saas/assets/app-1a2b.js.map', htmlHeaders],
      ['/saas/.env', htmlHeaders],
      ['/saas/assets/', htmlHeaders],
      ['/nowhere', htmlHeaders],
      ['/saas/../secret.txt', htmlHeaders],
      ['/saas/..%2fsecret.txt', htmlHeaders],
      ['/saas/%2e%2e/secret.txt', htmlHeaders],
      ['/..%5csecret.txt', htmlHeaders],
      ['/site/../secret.txt', htmlHeaders],
      ['/saas/assets/..%2f..%2fbuild.json', htmlHeaders],
      ['/saas/assets/%00app-1a2b.js', htmlHeaders],
    ]
    for (const [url, headers] of cases) {
      const response = await server.send({ url, headers })
      expect([url, response.statusCode >= 400 && response.statusCode < 500]).toEqual([url, true])
      expect(response.body).not.toMatch(/shell|outside|SECRET|styleNonce/)
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(response.headers['cache-control']).toBe('no-store')
      expectEverywhere(response)
    }
  })

  test('forbids requesting other files as a service worker (W-05)', async () => {
    for (const url of ['/saas/assets/app-1a2b.js', '/saas/', '/index.html', '/api/m18s/user', '/public/asset/abcdefgh'])
      expect((await server.send({ url, headers: { 'service-worker': 'script' } })).statusCode).toBe(403)
  })

  test('allows only GET and HEAD (S-54)', async () => {
    const response = await server.send({ method: 'POST', url: '/saas/index.html' })
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await server.send({ method: 'HEAD', url: '/saas/index.html' })).statusCode).toBe(200)
  })
})

test('Over TLS the server sends HSTS, and its cookies have their prefixes (H-02, K-03, S-82)', async () => {
  const secureServer = await startServer({ env: { PUBLIC_URL: 'https://portal.example' } })
  try {
    const response = await secureServer.send({ url: '/api/m18s/user' })
    expect(response.headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains')
    const { accessToken } = await secureServer.signIn('user@alpha')
    const signOutResponse = await secureServer.send({
      method: 'POST',
      url: '/api/m18s/logout',
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect([signOutResponse.headers['set-cookie']].flat()).toEqual([
      '__Host-portal-access=; Max-Age=0; Path=/; Secure; SameSite=Strict',
      '__Secure-portal-refresh=; Max-Age=0; Path=/api/m18s; HttpOnly; Secure; SameSite=Strict',
    ])
  } finally {
    await secureServer.close()
  }
})
