import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { createMailJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { type SmtpServer, startSmtp } from '#tests/support/server/smtp.ts'

describe('the mail job with a real mail server', () => {
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
    smtp.receivedMails.length = 0
    for (const verb of Object.keys(smtp.behaviour)) delete smtp.behaviour[verb as keyof typeof smtp.behaviour]
  })
  afterAll(() => Promise.all([server.close(), smtp.close()]))

  const runOneMailJob = () => runOneJob(server.app, createMailJobKinds(chooseMail(server.app.config, server.app.clock)))
  const countWaiting = () =>
    runInTransaction(server.app, { role: 'portal_system' }, (db) => db.selectFrom('job').selectAll().execute())
  const readLastLogLine = () => server.readLog().trim().split('\n').at(-1) ?? ''

  it('sends a mail once and deletes its row', async () => {
    expect(await runOneMailJob()).toBe(true)
    expect(await runOneMailJob()).toBe(false)
    expect(smtp.receivedMails.map(({ to }) => to)).toEqual([['bo@alpha.example']])
    expect(await countWaiting()).toEqual([])
  })

  it('retries a temporary refusal after growing waits, and sends the mail once (R-29)', async () => {
    smtp.behaviour.RCPT = '450 later'
    const waitTimes: number[] = []
    for (let index = 0; index < 6; index++) {
      expect(await runOneMailJob()).toBe(true)
      const [job] = await countWaiting()
      waitTimes.push((job?.lease_until ?? 0) - server.clock.now)
      expect(await runOneMailJob()).toBe(false)
      server.clock.now = job?.lease_until ?? 0
    }
    expect(waitTimes).toEqual([10_000, 30_000, 60_000, 120_000, 300_000, 600_000])
    delete smtp.behaviour.RCPT
    await runOneMailJob()
    expect(await runOneMailJob()).toBe(false)
    expect(smtp.receivedMails).toHaveLength(1)
  })

  it('drops a mail after a permanent refusal and logs it without an address', async () => {
    smtp.behaviour.RCPT = '550 no such mail box'
    await runOneMailJob()
    expect(await countWaiting()).toEqual([])
    expect(readLastLogLine()).toContain('"event":"mail_rejected"')
    expect(readLastLogLine()).toContain('550')
    expect(readLastLogLine()).not.toContain('bo@alpha')
  })

  it('drops and logs a mail that the server refuses for most of a day', async () => {
    smtp.behaviour.MAIL = '451 later'
    for (let tryCount = 0; tryCount < 40 && (await runOneMailJob()); tryCount++)
      server.clock.now = (await countWaiting())[0]?.lease_until ?? server.clock.now
    expect(await countWaiting()).toEqual([])
    expect(readLastLogLine()).toContain('"event":"job_failed"')
    expect(server.clock.now - Date.parse('2026-03-02T02:00:00Z')).toBeGreaterThan(16 * 3_600_000)
  })

  it('belongs to no user and cannot be polled', async () => {
    const [job] = await countWaiting()
    expect([job?.user_id, job?.progress_key]).toEqual([0, ''])
    expect((await admin.send({ url: `/api/request/${job?.id}` })).statusCode).toBe(404)
  })

  it('does not delay the request that caused the mail when the mail server stalls (R-29)', async () => {
    let continueSending = () => {}
    const stalling = new Promise<void>((markStalled) => {
      smtp.behaviour.stall = () => (markStalled(), new Promise((resolve) => (continueSending = resolve)))
    })
    const sending = runOneMailJob()
    await stalling
    // The mail server continues only after the response to this request.
    const payload = { title: 0, name: 'Cy', email: 'cy@alpha.example' }
    expect((await admin.send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(200)
    expect(smtp.receivedMails).toEqual([])
    continueSending()
    await sending
    expect(smtp.receivedMails).toHaveLength(1)
  })
})
