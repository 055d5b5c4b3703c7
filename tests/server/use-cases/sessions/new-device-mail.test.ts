import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { createMailJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { requestToken, startServer, type TestServer, buildUsername } from '#tests/support/server/server.ts'
import { startSmtp } from '#tests/support/server/smtp.ts'
import { password } from '#tests/support/server/world.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
const browserHeaders = { 'sec-fetch-site': 'same-origin', 'user-agent': chrome }
const dayMs = 86_400_000

describe('a login from a new device (K-16)', () => {
  let server: TestServer
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  /** Signs in and returns the device cookie as a browser would send it. */
  async function signInFromBrowser(userName: string, headers: Record<string, string> = {}): Promise<string> {
    const form = { grant_type: 'password', username: buildUsername(userName), password }
    const response = await requestToken(server.fastify, form, { ...browserHeaders, ...headers })
    expect(response.statusCode).toBe(200)
    const deviceCookie = [response.headers['set-cookie']].flat().find((cookie) => cookie?.startsWith('portal-device='))
    return deviceCookie?.split(';')[0] ?? ''
  }
  const readMails = async () => (await mailBox.fetch()).map(({ to, subject }) => `${to.address}: ${subject}`)

  test('causes a mail in the language of the user, except for the first device', async () => {
    const firstCookie = await signInFromBrowser('user@alpha')
    expect(firstCookie).toMatch(/^portal-device=[\w-]{32}$/)
    expect(await readMails()).toEqual([])
    expect(await signInFromBrowser('user@alpha', { cookie: firstCookie })).toBe(firstCookie)
    expect(await readMails()).toEqual([])

    const otherCookie = await signInFromBrowser('user@alpha')
    expect(otherCookie).not.toBe(firstCookie)
    const [mail] = await mailBox.fetch()
    expect([mail?.to.address, mail?.subject]).toEqual([
      'user@alpha.example',
      'Login from a new device · Service portal',
    ])
    for (const body of [mail?.text, mail?.html]) {
      expect(body).toContain('Chrome on Windows, at 2026-03-02 10:00:00 (Asia/Hong_Kong), from the network 127.0.0.*')
      expect(body).toContain('/saas/app/profile/sessions?lang=en')
      expect(body).toContain('change your password at once')
      expect(body).not.toContain('127.0.0.1')
    }
    expect(await signInFromBrowser('user@alpha', { cookie: otherCookie })).toBe(otherCookie)
    expect(await readMails()).toEqual([])

    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ language: 'zh' }).execute(),
    )
    await signInFromBrowser('user@alpha', { 'user-agent': 'http://buy.example/now' })
    const [chineseMail] = await mailBox.fetch()
    expect(chineseMail?.subject).toBe('您的账号在新设备上登录 · 服务门户')
    expect(chineseMail?.text).toContain('未知设备，时间 2026-03-02 10:00:00 (Asia/Hong_Kong)，来自网络 127.0.0.*')
    expect(chineseMail?.text).not.toContain('buy.example')
  })

  test('is recognised separately for each user, although users share a browser', async () => {
    const sharedCookie = await signInFromBrowser('user@alpha')
    await signInFromBrowser('admin@alpha')
    expect(await signInFromBrowser('admin@alpha', { cookie: sharedCookie })).toBe(sharedCookie)
    expect(await readMails()).toEqual(['admin@alpha.example: Login from a new device · Service portal'])
    await signInFromBrowser('user@alpha', { cookie: sharedCookie })
    expect(await readMails()).toEqual([])
  })

  test('sets a cookie that scripts cannot read, stores its hash, and accepts it only from pages of the portal', async () => {
    const form = { grant_type: 'password', username: buildUsername('user@alpha'), password }
    const response = await requestToken(server.fastify, form, browserHeaders)
    const [, , deviceCookie = ''] = [response.headers['set-cookie']].flat()
    expect(deviceCookie).toMatch(/^portal-device=[\w-]{32}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/)
    const value = /=([\w-]{32})/.exec(deviceCookie)?.[1] ?? '-'
    const rows = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('device').selectAll().execute(),
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(value)
    expect(
      await signInFromBrowser('user@alpha', { cookie: `portal-device=${value}`, 'sec-fetch-site': 'none' }),
    ).not.toContain(value)
    expect(await signInFromBrowser('user@alpha', { cookie: 'portal-device=chosen-by-me' })).toMatch(/=[\w-]{32}$/)
  })

  test('is recognised by user agent and network if the client has no cookies', async () => {
    const bodyStoreHeaders = { 'x-token-store': 'body' }
    for (const _ of [1, 2, 3]) expect(await signInFromBrowser('user@alpha', bodyStoreHeaders)).toBe('')
    expect(await readMails()).toEqual([])
    await signInFromBrowser('user@alpha', { ...bodyStoreHeaders, 'user-agent': 'another/1.0' })
    expect(await readMails()).toHaveLength(1)
  })

  test('causes at most three mails an hour, while logins continue', async () => {
    for (let index = 0; index < 6; index++) await signInFromBrowser('user@alpha')
    expect(await readMails()).toHaveLength(3)
  })

  test('causes no mail after a wrong password', async () => {
    await signInFromBrowser('user@alpha')
    const form = { grant_type: 'password', username: buildUsername('user@alpha'), password: 'Not-the-one-44' }
    expect((await requestToken(server.fastify, form, browserHeaders)).headers['set-cookie']).toBeUndefined()
    expect(await readMails()).toEqual([])
  })

  test('is forgotten when its cookie expires', async () => {
    await signInFromBrowser('user@alpha')
    server.clock.now += 402 * dayMs
    expect((await deleteExpiredData(server.app)).devices).toBe(1)
  })

  test('sends its mail through a real mail server as text and HTML', async () => {
    const smtp = await startSmtp()
    const { config } = server.app
    server.app.config = { ...config, smtpUrl: smtp.url }
    await signInFromBrowser('user@alpha')
    await signInFromBrowser('user@alpha')
    await runOneJob(server.app, createMailJobKinds(chooseMail(server.app.config, server.app.clock)))
    server.app.config = config
    await smtp.close()
    expect(smtp.receivedMails.map(({ to }) => to)).toEqual([['user@alpha.example']])
    const mailsText = JSON.stringify(smtp.receivedMails)
    expect(mailsText).toContain('multipart/alternative')
  })
})
