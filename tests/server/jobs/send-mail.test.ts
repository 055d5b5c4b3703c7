import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { mailKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { type SmtpServer, startSmtp } from '#tests/support/server/smtp.ts'

describe('mail through a real mail server', () => {
  let server: TestServer
  let smtp: SmtpServer
  let admin: SignedIn
  beforeAll(async () => {
    smtp = await startSmtp()
    server = await startServer({ env: { SMTP_URL: smtp.url } })
  })
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
    const payload = { title: 0, name: 'Bo', email: 'bo@alpha.example' }
    expect((await admin.send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(200)
  })
  afterEach(() => {
    smtp.received.length = 0
    for (const verb of Object.keys(smtp.mood)) delete smtp.mood[verb as keyof typeof smtp.mood]
  })
  afterAll(() => Promise.all([server.close(), smtp.close()]))

  const work = () => workOne(server.app, mailKinds(chooseMail(server.app.config, server.app.clock)))
  const waiting = () =>
    inTransaction(server.app, { role: 'portal_system' }, (db) => db.selectFrom('job').selectAll().execute())
  const last = () => server.logged().trim().split('\n').at(-1) ?? ''

  it('is sent once, and its row goes', async () => {
    expect(await work()).toBe(true)
    expect(await work()).toBe(false)
    expect(smtp.received.map(({ to }) => to)).toEqual([['bo@alpha.example']])
    expect(await waiting()).toEqual([])
  })

  it('refused for now is tried again after waits that grow, and sent once when it is taken (R-29)', async () => {
    smtp.mood.RCPT = '450 later'
    const waits: number[] = []
    for (let at = 0; at < 6; at++) {
      expect(await work()).toBe(true)
      const [job] = await waiting()
      waits.push((job?.lease_until ?? 0) - server.clock.now)
      expect(await work()).toBe(false)
      server.clock.now = job?.lease_until ?? 0
    }
    expect(waits).toEqual([10_000, 30_000, 60_000, 120_000, 300_000, 600_000])
    delete smtp.mood.RCPT
    await work()
    expect(await work()).toBe(false)
    expect(smtp.received).toHaveLength(1)
  })

  it('refused for good is given up at once, and the log says so without naming anybody', async () => {
    smtp.mood.RCPT = '550 no such mail box'
    await work()
    expect(await waiting()).toEqual([])
    expect(last()).toContain('a mail was refused and is given up')
    expect(last()).toContain('550')
    expect(last()).not.toContain('bo@alpha')
  })

  it('that nobody takes for most of a day is given up, and the log says so', async () => {
    smtp.mood.MAIL = '451 later'
    for (let tries = 0; tries < 40 && (await work()); tries++)
      server.clock.now = (await waiting())[0]?.lease_until ?? server.clock.now
    expect(await waiting()).toEqual([])
    expect(last()).toContain('a job was given up')
    expect(server.clock.now - Date.parse('2026-03-02T02:00:00Z')).toBeGreaterThan(16 * 3_600_000)
  })

  it('is among nobody’s long requests, and no poll finds it', async () => {
    const [job] = await waiting()
    expect([job?.user_id, job?.progress_key]).toEqual([0, ''])
    expect((await admin.send({ url: `/api/request/${job?.id}` })).statusCode).toBe(404)
  })

  it('whose server stalls does not hold up the request that asked for it (R-29)', async () => {
    let goOn = () => {}
    const stalled = new Promise<void>((reached) => {
      smtp.mood.stall = () => (reached(), new Promise((go) => (goOn = go)))
    })
    const sending = work()
    await stalled
    // The mail goes on only when this one has its answer.
    const payload = { title: 0, name: 'Cy', email: 'cy@alpha.example' }
    expect((await admin.send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(200)
    expect(smtp.received).toEqual([])
    goOn()
    await sending
    expect(smtp.received).toHaveLength(1)
  })
})
