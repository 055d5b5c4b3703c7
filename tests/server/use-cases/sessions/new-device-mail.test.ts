import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { mailKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { grant, startServer, type TestServer, usernameOf } from '#tests/support/server/server.ts'
import { startSmtp } from '#tests/support/server/smtp.ts'
import { password } from '#tests/support/server/world.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
const browser = { 'sec-fetch-site': 'same-origin', 'user-agent': chrome }
const day = 86_400_000

describe('a device that was not used before (K-16)', () => {
  let server: TestServer
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  /** Signs in; answers the device's cookie, as a browser sends it back. */
  async function enter(who: string, headers: Record<string, string> = {}): Promise<string> {
    const form = { grant_type: 'password', username: usernameOf(who), password }
    const answer = await grant(server.fastify, form, { ...browser, ...headers })
    expect(answer.statusCode).toBe(200)
    const set = [answer.headers['set-cookie']].flat().find((one) => one?.startsWith('portal-device='))
    return set?.split(';')[0] ?? ''
  }
  const told = async () => (await box.fetch()).map(({ to, subject }) => `${to.address}: ${subject}`)

  test('is told of by mail, in the language of its user, but not the very first one', async () => {
    const first = await enter('user@alpha')
    expect(first).toMatch(/^portal-device=[\w-]{32}$/)
    expect(await told()).toEqual([])
    expect(await enter('user@alpha', { cookie: first })).toBe(first)
    expect(await told()).toEqual([])

    const other = await enter('user@alpha')
    expect(other).not.toBe(first)
    const [mail] = await box.fetch()
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
    expect(await enter('user@alpha', { cookie: other })).toBe(other)
    expect(await told()).toEqual([])

    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ language: 'zh' }).execute(),
    )
    await enter('user@alpha', { 'user-agent': 'http://buy.example/now' })
    const [chinese] = await box.fetch()
    expect(chinese?.subject).toBe('您的账号在新设备上登录 · 服务门户')
    expect(chinese?.text).toContain('未知设备，时间 2026-03-02 10:00:00 (Asia/Hong_Kong)，来自网络 127.0.0.*')
    expect(chinese?.text).not.toContain('buy.example')
  })

  test('is one for each of its users: whose browser it is says nothing of the others', async () => {
    const shared = await enter('user@alpha')
    await enter('admin@alpha')
    expect(await enter('admin@alpha', { cookie: shared })).toBe(shared)
    expect(await told()).toEqual(['admin@alpha.example: Login from a new device · Service portal'])
    await enter('user@alpha', { cookie: shared })
    expect(await told()).toEqual([])
  })

  test('is kept as a hash, out of reach of script, and taken from our own pages alone', async () => {
    const form = { grant_type: 'password', username: usernameOf('user@alpha'), password }
    const answer = await grant(server.fastify, form, browser)
    const [, , set = ''] = [answer.headers['set-cookie']].flat()
    expect(set).toMatch(/^portal-device=[\w-]{32}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/)
    const value = /=([\w-]{32})/.exec(set)?.[1] ?? '-'
    const rows = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('device').selectAll().execute(),
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(value)
    expect(await enter('user@alpha', { cookie: `portal-device=${value}`, 'sec-fetch-site': 'none' })).not.toContain(
      value,
    )
    expect(await enter('user@alpha', { cookie: 'portal-device=chosen-by-me' })).toMatch(/=[\w-]{32}$/)
  })

  test('of a client without cookies is what it calls itself, in its network', async () => {
    const bodied = { 'x-token-store': 'body' }
    for (const _ of [1, 2, 3]) expect(await enter('user@alpha', bodied)).toBe('')
    expect(await told()).toEqual([])
    await enter('user@alpha', { ...bodied, 'user-agent': 'another/1.0' })
    expect(await told()).toHaveLength(1)
  })

  test('fills no mail box: three mails in an hour, and the sign-ins go on', async () => {
    for (let at = 0; at < 6; at++) await enter('user@alpha')
    expect(await told()).toHaveLength(3)
  })

  test('is told of to nobody who guessed wrong', async () => {
    await enter('user@alpha')
    const form = { grant_type: 'password', username: usernameOf('user@alpha'), password: 'Not-the-one-44' }
    expect((await grant(server.fastify, form, browser)).headers['set-cookie']).toBeUndefined()
    expect(await told()).toEqual([])
  })

  test('is forgotten when its cookie is', async () => {
    await enter('user@alpha')
    server.clock.now += 402 * day
    expect((await sweep(server.app)).devices).toBe(1)
  })

  test('goes by a real mail server, as text and as HTML', async () => {
    const smtp = await startSmtp()
    const { config } = server.app
    server.app.config = { ...config, smtpUrl: smtp.url }
    await enter('user@alpha')
    await enter('user@alpha')
    await workOne(server.app, mailKinds(chooseMail(server.app.config, server.app.clock)))
    server.app.config = config
    await smtp.close()
    expect(smtp.received.map(({ to }) => to)).toEqual([['user@alpha.example']])
    const said = JSON.stringify(smtp.received)
    expect(said).toContain('multipart/alternative')
  })
})
