/** The sample instance, as a real task behind the real gateway: signing in, items, users, and what it refuses. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { InstanceAddress } from '#server/drivers/hosting/driver.ts'
import { ask, type Exchange, healthy, openLocalHosting, until } from '#tests/support/hosting/hosting.ts'
import { packed } from '#tests/support/uploads/packages.ts'

vi.setConfig({ testTimeout: 60_000 })

const ref = { serviceId: 3, code: 'acmeshop' }
const the = openLocalHosting()
let address: InstanceAddress
let admin: InstanceAddress

beforeAll(async () => {
  const { driver, folder } = the
  const fence = { fence: 1 }
  await driver.prepare(ref, { name: 'Shop', config: { memoryMb: 0, tasks: 2 } }, fence)
  const bytes = await packed({
    files: { 'data/menus.json': '{"menus": ["<script>alert(1)</script>"]}', 'data/bad.json': 'not json', 'x.js': 'x' },
  })
  const path = join(folder, 'pay.mapp')
  writeFileSync(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: { digits: 3, old: false } }
  await driver.install(ref, [{ ...app, package: { path, sha256 } }], fence)
  await driver.setPassword(ref, 'First-pass-1', fence)
  await driver.start(ref, { fresh: false }, fence)
  address = (await healthy(driver, ref, 2)).address
  admin = { ...address, url: address.adminUrl }
})
afterAll(() => the.end())

/** Somebody signed in, at one of both hosts. */
async function signedIn(at: InstanceAddress, user = 'admin', password = 'First-pass-1') {
  const answer = await ask(at.url, '/sign-in', { form: { user, password } })
  const [set = ''] = answer.headers['set-cookie'] ?? []
  const cookie = set.split(';')[0] ?? ''
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(at.url, path, { headers: { cookie, ...headers } })
  const csrf = /name="csrf" value="([^"]+)"/.exec((await get(at === admin ? '/' : '/items')).body)?.[1] ?? ''
  const post = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    ask(at.url, path, { form: { csrf, ...form }, headers: { cookie, ...headers } })
  return { answer, set, cookie, csrf, get, post }
}
const item = { code: 'A-1', name: 'Screws', quantity: '1.5', unit: 'box' }
const outcome = ({ status, headers }: Exchange) => [status, headers.location]

describe('a sample instance', () => {
  let by: Awaited<ReturnType<typeof signedIn>>
  beforeEach(async () => void (by = await signedIn(address)))

  it('is marked as one on every page, and shows nothing to whoever is not signed in', async () => {
    const { body, headers } = await ask(address.url, '/sign-in')
    expect(body).toContain('<strong>Sample instance</strong>')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    for (const path of ['/', '/items', '/items/new', '/items/1'])
      expect(outcome(await ask(address.url, path))).toEqual([303, '/sign-in'])
    for (const path of ['/users', '/apps']) expect(outcome(await ask(admin.url, path))).toEqual([303, '/sign-in'])
    expect((await ask(address.url, '/items/new', { form: item })).status).toBe(403)
    for (const path of ['/items', '/items/new', '/nothing'])
      expect((await by.get(path)).body).toContain('<strong>Sample instance</strong>')
    const chinese = await ask(address.url, '/sign-in', { headers: { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' } })
    expect(chinese.body).toMatch(/<html lang="zh-Hans">[^]*示例实例[^]*登录/)
  })

  it('lets in whoever knows the password, by a cookie of that host alone', async () => {
    expect(outcome(by.answer)).toEqual([303, '/'])
    expect(by.set).toMatch(/^sample_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await by.get('/items')).status).toBe(200)
    for (const [user, password] of [
      ['admin', 'first-pass-1'],
      ['nobody', 'First-pass-1'],
      ["' or 1=1 --", 'x'],
      ['admin', ''],
    ] as const)
      expect((await ask(address.url, '/sign-in', { form: { user, password } })).status).toBe(401)
    expect(outcome(await by.post('/sign-out'))).toEqual([303, '/sign-in'])
    expect((await by.get('/items')).status).toBe(303)
  })

  it('lets nobody try many passwords, at whichever of its tasks, and lets in again who was given a new one', async () => {
    const hers = await signedIn(admin)
    await hers.post('/users', { user: 'guessed', password: 'Guess-me-12' })
    const tries = Array.from({ length: 12 }, () =>
      ask(address.url, '/sign-in', { form: { user: 'guessed', password: 'wrong' } }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
    expect((await ask(address.url, '/sign-in', { form: { user: 'guessed', password: 'Guess-me-12' } })).status).toBe(
      429,
    )
    for (let time = 0; time < 5; time++)
      await ask(address.url, '/sign-in', { form: { user: 'admin', password: 'wrong' } })
    expect((await ask(address.url, '/sign-in', { form: { user: 'admin', password: 'First-pass-1' } })).status).toBe(429)
    await the.driver.setPassword(ref, 'First-pass-1', { fence: 1 })
    expect((await signedIn(address)).answer.status).toBe(303)
  })

  it('keeps items: made, found, changed and deleted, the same at both tasks', async () => {
    expect(outcome(await by.post('/items/new', item))).toEqual([303, '/items'])
    expect((await by.post('/items/new', { ...item, code: 'a-1' })).status).toBe(409)
    const evil = { code: 'X', name: '<img src=x onerror=alert(1)>"\'', quantity: '-3', unit: '件' }
    await by.post('/items/new', evil)
    for (let time = 0; time < 2; time++) {
      const { body } = await by.get('/items')
      expect(body).toMatch(/A-1<\/a><\/td><td>Screws<\/td><td class="number">1.5<\/td><td>box/)
      expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;')
      expect(body).not.toContain('<img')
    }
    expect((await by.get('/items?search=scr')).body).toMatch(/Screws/)
    expect((await by.get('/items?search=%25')).body).toContain('Nothing was found')
    const [, id = ''] = /href="\/items\/(\d+)">A-1/.exec((await by.get('/items')).body) ?? []
    const version = () =>
      by.get(`/items/${id}`).then(({ body }) => /name="version" value="(\d+)"/.exec(body)?.[1] ?? '')
    const seen = await version()
    expect(outcome(await by.post(`/items/${id}`, { ...item, quantity: '7.125', version: seen }))).toEqual([
      303,
      '/items',
    ])
    expect((await by.get('/items')).body).toContain('>7.125<')
    // Somebody else has saved since it was shown.
    expect((await by.post(`/items/${id}`, { ...item, name: 'Late', version: seen })).status).toBe(409)
    expect((await by.post(`/items/${id}`, { ...item, code: 'X', version: await version() })).status).toBe(409)
    expect(outcome(await by.post(`/items/${id}/delete`))).toEqual([303, '/items'])
    expect((await by.get(`/items/${id}`)).status).toBe(404)
    for (const wrong of [
      { code: '' },
      { code: '<x>' },
      { name: '' },
      { quantity: '1e3' },
      { quantity: '1.2345' },
      { unit: '' },
    ])
      expect([wrong, (await by.post('/items/new', { ...item, ...wrong })).status]).toEqual([wrong, 400])
  })

  it('does nothing that comes from another site, or without the session’s token', async () => {
    const before = (await by.get('/items')).body
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: admin.url.slice(0, -1) },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign)
      expect([headers, (await by.post('/items/new', { ...item, code: 'B' }, headers)).status]).toEqual([headers, 403])
    const theirs = await signedIn(address)
    for (const csrf of ['', 'x', theirs.csrf])
      expect((await by.post('/items/new', { ...item, code: 'B', csrf })).status).toBe(403)
    expect((await by.post('/sign-out', { csrf: '' })).status).toBe(403)
    expect((await by.get('/items')).body).toBe(before)
    expect((await ask(address.url, '/items', { method: 'DELETE', headers: { cookie: by.cookie } })).status).toBe(405)
    const large = await by.post('/items/new', { ...item, name: 'x'.repeat(100_000) })
    expect(large.status).toBe(413)
  })

  it('has an administration for its administrator alone, who adds users', async () => {
    const hers = await signedIn(admin)
    expect((await by.get('/users')).status).toBe(404)
    // A cookie of one host is none of the other, and that of a user without the right opens nothing.
    const added = { user: 'clerk', password: 'Clerk-pass-1' }
    expect(outcome(await hers.post('/users', added))).toEqual([303, '/users'])
    expect((await hers.post('/users', added)).status).toBe(409)
    expect((await hers.post('/users', { user: 'x', password: 'short' })).status).toBe(400)
    expect((await signedIn(admin, 'clerk', 'Clerk-pass-1')).answer.status).toBe(403)
    const clerk = await signedIn(address, 'clerk', 'Clerk-pass-1')
    expect((await clerk.get('/items')).status).toBe(200)
    const stolen = await ask(admin.url, '/users', { headers: { cookie: clerk.cookie } })
    expect([stolen.status, stolen.body]).toEqual([403, expect.not.stringContaining('clerk</td>')])
    const [, id = ''] = /clerk<\/td>[^]*?\/users\/(\d+)\/delete/.exec((await hers.get('/users')).body) ?? []
    await hers.post(`/users/${id}/delete`)
    expect((await clerk.get('/items')).status).toBe(303)
    await hers.post('/users/1/delete')
    expect((await hers.get('/users')).body).toContain('admin')
  })

  it('shows the apps that are installed, and what they declare as data', async () => {
    const { body } = await (await signedIn(admin)).get('/apps')
    expect(body).toMatch(/Pay <code>pay<\/code>[^]*1\.0[^]*crm[^]*<code>digits<\/code>: 3[^]*<code>old<\/code>: false/)
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).toMatch(/data\/bad.json[^]*not JSON/)
    expect(body).not.toMatch(/<script|x\.js/)
  })

  it('writes down who asked for what, without what was sent', async () => {
    await by.get('/items?search=secret-search')
    const lines = await Array.fromAsync(the.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    const text = lines.map((line) => line.text).join('\n')
    expect(text).toMatch(/GET \/items 200 \d+ ms/)
    expect(text).toContain('login of admin')
    expect(text).not.toMatch(/secret-search|pass-1|sample_session/)
    expect(new Set(lines.map(({ task }) => task))).toEqual(new Set([0, 1, 2]))
    expect(text).not.toContain('/health')
    expect((await ask(address.url, '/health')).status).toBe(303)
  })
  it('fault 15a counts what strangers repeat, and cuts what they make long', async () => {
    const long = `/${'x'.repeat(5000)}`
    const path = '/repeated-by-strangers'
    for (let time = 0; time < 21; time++) await ask(address.url, path)
    await ask(address.url, long)
    await ask(address.url, long)
    const lines = await until('the lines', async () => {
      const all = await Array.fromAsync(the.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
      const found = all.filter(({ text }) => text.includes(path) || text.includes('xxxxx'))
      return found.length >= 4 && found.some(({ text }) => text.includes('xxxxx')) ? all : null
    })
    // Two tasks, in turn.
    const repeats = [1, 2].map((task) => {
      const own = lines.filter((line) => line.task === task).map(({ text }) => text)
      const places = own.flatMap((text, at) => (text.includes(path) ? [at] : []))
      expect(places).toHaveLength(1)
      return /^last line repeated (\d+) times$/.exec(own[(places[0] ?? 0) + 1] ?? '')?.[1]
    })
    expect(repeats.toSorted()).toEqual(['10', '9'])
    const cut = lines.filter(({ text }) => text.includes('xxxxx')).map(({ text }) => text)
    expect(cut.every((text) => text.includes('… [4801 more characters] 303'))).toBe(true)
  })
})

describe('a sample instance behind a proxy with TLS', () => {
  const secure = openLocalHosting({ tls: true, trustProxy: 1 })
  let secureAddress: InstanceAddress
  beforeAll(async () => {
    const { driver } = secure
    await driver.prepare(ref, { name: 'Shop', config: { memoryMb: 0, tasks: 1 } }, { fence: 1 })
    await driver.setPassword(ref, 'First-pass-1', { fence: 1 })
    await driver.start(ref, { fresh: false }, { fence: 1 })
    secureAddress = (await healthy(driver, ref)).address
  })
  afterAll(() => secure.end())

  it('fault 15d gives cookies that are sent over TLS alone, and taken from this host alone', async () => {
    const by = await signedIn(secureAddress)
    expect(by.set).toMatch(/^__Host-sample_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    expect(by.answer.headers['set-cookie']?.[1]).toMatch(
      /^__Host-sample_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=34560000$/,
    )
    expect((await by.get('/items')).status).toBe(200)
    // A cookie that somebody else could have set is none.
    expect((await by.get('/items', { cookie: by.cookie.replace('__Host-', '') })).status).toBe(303)
    const [gone] = (await by.post('/sign-out')).headers['set-cookie'] ?? []
    expect(gone).toBe('__Host-sample_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
  })

  it('fault 15e lets strangers guess a few times, and lets the owner in meanwhile', async () => {
    const login = (from: string, password: string, cookie = '') =>
      ask(secureAddress.url, '/sign-in', {
        form: { user: 'admin', password },
        headers: { 'x-forwarded-for': from, ...(cookie && { cookie }) },
      })
    const first = await login('198.51.100.1', 'First-pass-1')
    const device = first.headers['set-cookie']?.[1]?.split(';')[0] ?? ''
    const guesses: Exchange[] = []
    for (let at = 0; at < 20; at++) guesses.push(await login(`203.0.113.${at % 4}`, 'wrong'))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const [refused] = guesses.filter(({ status }) => status === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused?.body).toMatch(/Too many attempts. Try again in \d+ min\./)
    expect((await login('203.0.113.99', 'First-pass-1')).status).toBe(429)
    // On the owner's device wherever it is, and from the owner's network on a new one.
    expect((await login('203.0.113.99', 'First-pass-1', device)).status).toBe(303)
    expect((await login('198.51.100.1', 'First-pass-1')).status).toBe(303)
  })
})
