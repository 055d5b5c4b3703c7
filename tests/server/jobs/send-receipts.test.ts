/** Tests the invoice that is attached to a receipt (decision 122), with a real mail server. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { createMailJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { requestReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import type { LockedPayable } from '#server/use-cases/payments/payable.ts'
import { readPdf } from '#tests/support/documents/read-pdf.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies, onConnections, testConfig } from '#tests/support/server/database.ts'
import { type SmtpServer, startSmtp } from '#tests/support/server/smtp.ts'

onConnections('receipts', (engine) => {
  const fixture = setUpShop(engine)
  let smtp: SmtpServer
  beforeEach(async () => {
    smtp = await startSmtp()
  })
  afterEach(() => smtp.close())

  const system = { role: 'portal_system' } as const
  const runMailJob = () => {
    const driver = chooseMail(testConfig({ SMTP_URL: smtp.url }), fixture.server.app.clock)
    return runOneJob(fixture.server.app, createMailJobKinds(driver))
  }
  const readJobs = () =>
    runInTransaction(fixture.server.app, system, (db) => db.selectFrom('job').selectAll().execute())
  const setLanguage = async (language: 'en' | 'zh') => {
    await runInTransaction(fixture.server.app, system, (db) =>
      db.updateTable('portal_user').set({ language }).execute(),
    )
  }
  /** Buys a contract and requests its receipts, as the notice of a gateway does. */
  async function buy(): Promise<void> {
    const { server } = fixture
    const buyer = await server.signIn('order@alpha')
    const { id } = await buyOrder(server, buyer)
    const items = [{ itemRef: { kind: 'order', id } }] as unknown as LockedPayable['items']
    const payable = { companyId: server.world.companies.alpha, items }
    await runInTransaction(server.app, system, (db) =>
      requestReceipts(db, { payable, payer: buyer.userId, now: server.clock.now }),
    )
  }
  // An invoice cannot be changed through the policies, so they are bypassed. The thread cannot make a date of this time.
  const setIssueTime = (time: string) => {
    const change = sql`update invoice set content = jsonb_set(content, '{issued}', to_jsonb(${time}::text))`
    return bypassPolicies(fixture.server.app.database, (db) => change.execute(db))
  }
  const damageInvoices = () => setIssueTime('never')
  const repairInvoices = () => setIssueTime('2026-03-02 10:00:00')
  const runMailJobs = async (count: number) => {
    for (let index = 0; index < count; index++) expect(await runMailJob()).toBe(true)
    expect(await runMailJob()).toBe(false)
  }
  const waitForRetries = async () => {
    fixture.server.clock.now = Math.max(...(await readJobs()).map(({ lease_until: until }) => until ?? 0))
  }
  const readAttachment = (data: string) =>
    /filename=(I\d+\.pdf)\n(?:[^\n]+\n)*\n([A-Za-z0-9+/=\n]+)/.exec(data)?.slice(1) ?? []

  test('have the invoice as a PDF in the language of the recipient', async () => {
    await setLanguage('zh')
    await buy()
    while (await runMailJob());
    expect(smtp.receivedMails.length).toBeGreaterThan(0)
    for (const { data } of smtp.receivedMails) {
      const [name, encodedFile = ''] = readAttachment(data)
      expect(name).toMatch(/^I202603\d{6}\.pdf$/)
      const { pages } = await readPdf(Buffer.from(encodedFile, 'base64'))
      expect(pages[0]?.lines.join('\n')).toContain(`发票（Invoice） ${name?.slice(0, -4)}`)
    }
  })

  test('wait for a PDF that cannot be made, and are then sent without it, and without a word about it', async () => {
    await buy()
    await damageInvoices()
    const mailCount = (await readJobs()).length
    expect(mailCount).toBeGreaterThan(0)
    for (let round = 0; round < 3; round++) {
      await runMailJobs(mailCount)
      expect(smtp.receivedMails).toEqual([])
      await waitForRetries()
    }
    await runMailJobs(mailCount)
    expect(smtp.receivedMails).toHaveLength(mailCount)
    expect(smtp.receivedMails[0]?.data).toContain('multipart/alternative')
    expect(smtp.receivedMails[0]?.data).not.toContain('application/pdf')
    expect(smtp.receivedMails[0]?.data).not.toContain('is attached')
    expect(fixture.server.readLog()).toContain('"event":"mail_without_invoice"')
    expect(await readJobs()).toEqual([])
  })

  test('keep their PDF if it could not be made once after many failed deliveries', async () => {
    await buy()
    const mailCount = (await readJobs()).length
    smtp.behaviour.RCPT = '450 later'
    for (let round = 0; round < 6; round++) {
      await runMailJobs(mailCount)
      await waitForRetries()
    }
    delete smtp.behaviour.RCPT
    await damageInvoices()
    await runMailJobs(mailCount)
    expect(smtp.receivedMails).toEqual([])
    await repairInvoices()
    await waitForRetries()
    await runMailJobs(mailCount)
    expect(smtp.receivedMails).toHaveLength(mailCount)
    for (const { data } of smtp.receivedMails) {
      expect(readAttachment(data)[0]).toMatch(/^I202603/)
      expect(data).toContain('The invoice is attached as a PDF.')
    }
  })
})
