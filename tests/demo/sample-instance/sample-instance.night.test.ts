/** Runs the sample instance as a real task behind the real gateway. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { InstanceAddress } from '#server/drivers/hosting/hosting-driver.ts'
import {
  sendRequest,
  type InstanceResponse,
  waitUntilHealthy,
  openLocalHosting,
  waitUntil,
} from '#tests/support/hosting/hosting.ts'
import { packApp } from '#tests/support/uploads/packages.ts'

vi.setConfig({ testTimeout: 60_000 })

const ref = { serviceId: 3, code: 'acmeshop' }
const fixture = openLocalHosting()
let address: InstanceAddress
let admin: InstanceAddress

beforeAll(async () => {
  const { driver, folder } = fixture
  const fence = { fence: 1 }
  await driver.prepare(ref, { name: 'Shop', config: { memoryMb: 0, tasks: 2 } }, fence)
  const bytes = await packApp({
    files: { 'data/menus.json': '{"menus": ["<script>alert(1)</script>"]}', 'data/bad.json': 'not json', 'x.js': 'x' },
  })
  const path = join(folder, 'pay.mapp')
  writeFileSync(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: { digits: 3, old: false } }
  await driver.install(ref, [{ ...app, package: { path, sha256 } }], fence)
  await driver.setPassword(ref, 'First-pass-1', fence)
  await driver.start(ref, { fresh: false }, fence)
  address = (await waitUntilHealthy(driver, ref, 2)).address
  admin = { ...address, url: address.adminUrl }
})
afterAll(() => fixture.end())

/** Logs a user in on one of the two hosts, and returns the session. */
async function logIn(instanceAddress: InstanceAddress, user = 'admin', password = 'First-pass-1') {
  const response = await sendRequest(instanceAddress.url, '/sign-in', { form: { user, password } })
  const [setCookie = ''] = response.headers['set-cookie'] ?? []
  const cookie = setCookie.split(';')[0] ?? ''
  const get = (path: string, headers: Record<string, string> = {}) =>
    sendRequest(instanceAddress.url, path, { headers: { cookie, ...headers } })
  const csrf =
    /name="csrf" value="([^"]+)"/.exec((await get(instanceAddress === admin ? '/' : '/items')).body)?.[1] ?? ''
  const post = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    sendRequest(instanceAddress.url, path, { form: { csrf, ...form }, headers: { cookie, ...headers } })
  return { response, setCookie, cookie, csrf, get, post }
}
const item = { code: 'A-1', name: 'Screws', quantity: '1.5', unit: 'box' }
const toStatusAndLocation = ({ status, headers }: InstanceResponse) => [status, headers.location]

describe('the sample instance', () => {
  let session: Awaited<ReturnType<typeof logIn>>
  beforeEach(async () => void (session = await logIn(address)))

  it('is marked as a sample on every page, and shows nothing without a login', async () => {
    const { body, headers } = await sendRequest(address.url, '/sign-in')
    expect(body).toContain('<strong>Sample instance</strong>')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    for (const path of ['/', '/items', '/items/new', '/items/1'])
      expect(toStatusAndLocation(await sendRequest(address.url, path))).toEqual([303, '/sign-in'])
    for (const path of ['/users', '/apps'])
      expect(toStatusAndLocation(await sendRequest(admin.url, path))).toEqual([303, '/sign-in'])
    expect((await sendRequest(address.url, '/items/new', { form: item })).status).toBe(403)
    for (const path of ['/items', '/items/new', '/nothing'])
      expect((await session.get(path)).body).toContain('<strong>Sample instance</strong>')
    const chinesePage = await sendRequest(address.url, '/sign-in', {
      headers: { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' },
    })
    expect(chinesePage.body).toMatch(/<html lang="zh-Hans">[^]*示例实例[^]*登录/)
  })

  it('accepts the right password, and sets a cookie for its own host only', async () => {
    expect(toStatusAndLocation(session.response)).toEqual([303, '/'])
    expect(session.setCookie).toMatch(/^sample_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await session.get('/items')).status).toBe(200)
    for (const [user, password] of [
      ['admin', 'first-pass-1'],
      ['nobody', 'First-pass-1'],
      ["' or 1=1 --", 'x'],
      ['admin', ''],
    ] as const)
      expect((await sendRequest(address.url, '/sign-in', { form: { user, password } })).status).toBe(401)
    expect(toStatusAndLocation(await session.post('/sign-out'))).toEqual([303, '/sign-in'])
    expect((await session.get('/items')).status).toBe(303)
  })

  it('limits password attempts in total over all tasks, and accepts a new password immediately', async () => {
    const adminSession = await logIn(admin)
    await adminSession.post('/users', { user: 'guessed', password: 'Guess-me-12' })
    const attempts = Array.from({ length: 12 }, () =>
      sendRequest(address.url, '/sign-in', { form: { user: 'guessed', password: 'wrong' } }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
    expect(
      (await sendRequest(address.url, '/sign-in', { form: { user: 'guessed', password: 'Guess-me-12' } })).status,
    ).toBe(429)
    for (let attempt = 0; attempt < 5; attempt++)
      await sendRequest(address.url, '/sign-in', { form: { user: 'admin', password: 'wrong' } })
    expect(
      (await sendRequest(address.url, '/sign-in', { form: { user: 'admin', password: 'First-pass-1' } })).status,
    ).toBe(429)
    await fixture.driver.setPassword(ref, 'First-pass-1', { fence: 1 })
    expect((await logIn(address)).response.status).toBe(303)
  })

  it('creates, finds, changes and deletes items, with the same result on both tasks', async () => {
    expect(toStatusAndLocation(await session.post('/items/new', item))).toEqual([303, '/items'])
    expect((await session.post('/items/new', { ...item, code: 'a-1' })).status).toBe(409)
    const hostileItem = { code: 'X', name: '<img src=x onerror=alert(1)>"\'', quantity: '-3', unit: '件' }
    await session.post('/items/new', hostileItem)
    for (let round = 0; round < 2; round++) {
      const { body } = await session.get('/items')
      expect(body).toMatch(/A-1<\/a><\/td><td>Screws<\/td><td class="number">1.5<\/td><td>box/)
      expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;')
      expect(body).not.toContain('<img')
    }
    expect((await session.get('/items?search=scr')).body).toMatch(/Screws/)
    expect((await session.get('/items?search=%25')).body).toContain('Nothing found')
    const [, id = ''] = /href="\/items\/(\d+)">A-1/.exec((await session.get('/items')).body) ?? []
    const readVersion = () =>
      session.get(`/items/${id}`).then(({ body }) => /name="version" value="(\d+)"/.exec(body)?.[1] ?? '')
    const seenVersion = await readVersion()
    expect(
      toStatusAndLocation(await session.post(`/items/${id}`, { ...item, quantity: '7.125', version: seenVersion })),
    ).toEqual([303, '/items'])
    expect((await session.get('/items')).body).toContain('>7.125<')
    // Another user has saved the item since this version was displayed.
    expect((await session.post(`/items/${id}`, { ...item, name: 'Late', version: seenVersion })).status).toBe(409)
    expect((await session.post(`/items/${id}`, { ...item, code: 'X', version: await readVersion() })).status).toBe(409)
    expect(toStatusAndLocation(await session.post(`/items/${id}/delete`))).toEqual([303, '/items'])
    expect((await session.get(`/items/${id}`)).status).toBe(404)
    for (const wrongFields of [
      { code: '' },
      { code: '<x>' },
      { name: '' },
      { quantity: '1e3' },
      { quantity: '1.2345' },
      { unit: '' },
    ])
      expect([wrongFields, (await session.post('/items/new', { ...item, ...wrongFields })).status]).toEqual([
        wrongFields,
        400,
      ])
  })

  it("rejects forms from another site or without the session's token", async () => {
    const bodyBefore = (await session.get('/items')).body
    const foreignHeaders: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: admin.url.slice(0, -1) },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreignHeaders)
      expect([headers, (await session.post('/items/new', { ...item, code: 'B' }, headers)).status]).toEqual([
        headers,
        403,
      ])
    const otherSession = await logIn(address)
    for (const csrf of ['', 'x', otherSession.csrf])
      expect((await session.post('/items/new', { ...item, code: 'B', csrf })).status).toBe(403)
    expect((await session.post('/sign-out', { csrf: '' })).status).toBe(403)
    expect((await session.get('/items')).body).toBe(bodyBefore)
    expect(
      (await sendRequest(address.url, '/items', { method: 'DELETE', headers: { cookie: session.cookie } })).status,
    ).toBe(405)
    const largeResponse = await session.post('/items/new', { ...item, name: 'x'.repeat(100_000) })
    expect(largeResponse.status).toBe(413)
  })

  it('lets only the administrator open the administration and add users', async () => {
    const adminSession = await logIn(admin)
    expect((await session.get('/users')).status).toBe(404)
    // A cookie of one host is not valid on the other, and the cookie of a user without the right opens nothing.
    const newUser = { user: 'clerk', password: 'Clerk-pass-1' }
    expect(toStatusAndLocation(await adminSession.post('/users', newUser))).toEqual([303, '/users'])
    expect((await adminSession.post('/users', newUser)).status).toBe(409)
    expect((await adminSession.post('/users', { user: 'x', password: 'short' })).status).toBe(400)
    expect((await logIn(admin, 'clerk', 'Clerk-pass-1')).response.status).toBe(403)
    const clerkSession = await logIn(address, 'clerk', 'Clerk-pass-1')
    expect((await clerkSession.get('/items')).status).toBe(200)
    const stolenResponse = await sendRequest(admin.url, '/users', { headers: { cookie: clerkSession.cookie } })
    expect([stolenResponse.status, stolenResponse.body]).toEqual([403, expect.not.stringContaining('clerk</td>')])
    const [, id = ''] = /clerk<\/td>[^]*?\/users\/(\d+)\/delete/.exec((await adminSession.get('/users')).body) ?? []
    await adminSession.post(`/users/${id}/delete`)
    expect((await clerkSession.get('/items')).status).toBe(303)
    await adminSession.post('/users/1/delete')
    expect((await adminSession.get('/users')).body).toContain('admin')
  })

  it('shows the installed apps and their declared data', async () => {
    const { body } = await (await logIn(admin)).get('/apps')
    expect(body).toMatch(/Pay <code>pay<\/code>[^]*1\.0[^]*crm[^]*<code>digits<\/code>: 3[^]*<code>old<\/code>: false/)
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).toMatch(/data\/bad.json[^]*not JSON/)
    expect(body).not.toMatch(/<script|x\.js/)
  })

  it('logs who requested which page, but no submitted data', async () => {
    await session.get('/items?search=secret-search')
    const lines = await Array.fromAsync(fixture.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    const text = lines.map((line) => line.text).join('\n')
    expect(text).toMatch(/GET \/items 200 \d+ ms/)
    expect(text).toContain('login of admin')
    expect(text).not.toMatch(/secret-search|pass-1|sample_session/)
    expect(new Set(lines.map(({ task }) => task))).toEqual(new Set([0, 1, 2]))
    expect(text).not.toContain('/health')
    expect((await sendRequest(address.url, '/health')).status).toBe(303)
  })
  it('combines repeated anonymous requests into one log line, and truncates long lines (fault 15a)', async () => {
    const longPath = `/${'x'.repeat(5000)}`
    const path = '/repeated-by-strangers'
    for (let round = 0; round < 21; round++) await sendRequest(address.url, path)
    await sendRequest(address.url, longPath)
    await sendRequest(address.url, longPath)
    const lines = await waitUntil('the lines', async () => {
      const allLines = await Array.fromAsync(fixture.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
      const matches = allLines.filter(({ text }) => text.includes(path) || text.includes('xxxxx'))
      return matches.length >= 4 && matches.some(({ text }) => text.includes('xxxxx')) ? allLines : null
    })
    // The requests alternate between the two tasks.
    const repeatCounts = [1, 2].map((task) => {
      const taskLines = lines.filter((line) => line.task === task).map(({ text }) => text)
      const positions = taskLines.flatMap((text, index) => (text.includes(path) ? [index] : []))
      expect(positions).toHaveLength(1)
      return /^last line repeated (\d+) times$/.exec(taskLines[(positions[0] ?? 0) + 1] ?? '')?.[1]
    })
    expect(repeatCounts.toSorted()).toEqual(['10', '9'])
    const cutLines = lines.filter(({ text }) => text.includes('xxxxx')).map(({ text }) => text)
    expect(cutLines.every((text) => text.includes('… [4801 more characters] 303'))).toBe(true)
  })
})

describe('the sample instance behind a TLS proxy', () => {
  const secureFixture = openLocalHosting({ tls: true, trustProxy: 1 })
  let secureAddress: InstanceAddress
  beforeAll(async () => {
    const { driver } = secureFixture
    await driver.prepare(ref, { name: 'Shop', config: { memoryMb: 0, tasks: 1 } }, { fence: 1 })
    await driver.setPassword(ref, 'First-pass-1', { fence: 1 })
    await driver.start(ref, { fresh: false }, { fence: 1 })
    secureAddress = (await waitUntilHealthy(driver, ref)).address
  })
  afterAll(() => secureFixture.end())

  it('sets cookies that are sent only over TLS, and accepts only its own cookies (fault 15d)', async () => {
    const session = await logIn(secureAddress)
    expect(session.setCookie).toMatch(/^__Host-sample_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    expect(session.response.headers['set-cookie']?.[1]).toMatch(
      /^__Host-sample_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=34560000$/,
    )
    expect((await session.get('/items')).status).toBe(200)
    // A cookie without the __Host- prefix is not accepted, because another host could have set it.
    expect((await session.get('/items', { cookie: session.cookie.replace('__Host-', '') })).status).toBe(303)
    const [clearedCookie] = (await session.post('/sign-out')).headers['set-cookie'] ?? []
    expect(clearedCookie).toBe('__Host-sample_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
  })

  it('limits the guesses of strangers, while the owner can still log in (fault 15e)', async () => {
    const sendLogin = (clientAddress: string, password: string, cookie = '') =>
      sendRequest(secureAddress.url, '/sign-in', {
        form: { user: 'admin', password },
        headers: { 'x-forwarded-for': clientAddress, ...(cookie && { cookie }) },
      })
    const firstResponse = await sendLogin('198.51.100.1', 'First-pass-1')
    const deviceCookie = firstResponse.headers['set-cookie']?.[1]?.split(';')[0] ?? ''
    const guesses: InstanceResponse[] = []
    for (let index = 0; index < 20; index++) guesses.push(await sendLogin(`203.0.113.${index % 4}`, 'wrong'))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const [refusedResponse] = guesses.filter(({ status }) => status === 429)
    expect(Number(refusedResponse?.headers['retry-after'])).toBeGreaterThan(0)
    expect(refusedResponse?.body).toMatch(/Too many attempts. Try again in \d+ min\./)
    expect((await sendLogin('203.0.113.99', 'First-pass-1')).status).toBe(429)
    // The owner can log in on a known device from any network, and on a new device from a known network.
    expect((await sendLogin('203.0.113.99', 'First-pass-1', deviceCookie)).status).toBe(303)
    expect((await sendLogin('198.51.100.1', 'First-pass-1')).status).toBe(303)
  })
})
