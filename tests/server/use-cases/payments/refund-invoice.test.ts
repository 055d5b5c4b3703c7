/** Tests refunds of invoices: never more than was paid, never twice, with one credit note each (decision 123). */
import { beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { type InvoiceDocument, setUpRefunds } from '#tests/support/orders/refunds.ts'

eachEngineByNight('refunds of invoices', (engine) => {
  const setup = setUpRefunds(engine)
  const { actors, fixture, inbox, balance, refund, runJobs, listDocuments, listRefunds, findFaults, transferFields } =
    setup
  let invoice: InvoiceDocument
  beforeEach(async () => {
    invoice = await setup.payInvoice()
    await inbox.fetch()
  })
  const readStates = async () => (await listRefunds()).map(({ state, amount }) => `${state} ${amount}`)
  const readWhy = (response: { json(): unknown }) => (response.json() as { data: unknown }).data

  test('sends a part back by the gateway once, with credit note, mails and audit entries', async () => {
    const balanceBefore = balance()
    const response = await refund(invoice, { amount: '1000.50', reason: ' Two days of downtime ' })
    expect(response.json()).toMatchObject({ state: 'requested', amount: '1000.50', invoice_code: invoice.code })
    expect([await readStates(), balance()]).toEqual([['requested 1000.50'], balanceBefore])
    expect(await listDocuments()).toMatchObject([{ refunded: '0.00', refunding: '1000.50' }])
    expect(await findFaults()).toEqual([])
    await runJobs()
    await runJobs()
    expect([await readStates(), balance()]).toEqual([['done 1000.50'], balanceBefore - 100_050])
    const [after] = await listDocuments()
    expect(after).toMatchObject({ refunded: '1000.50', refunding: '0.00', disputed: false, amount: invoice.amount })
    const [creditNote] = await listDocuments('creditNote')
    expect(creditNote).toMatchObject({
      code: 'CN202603000001',
      amount: '1000.50',
      method: 'stripe',
      service_code: 'shop',
    })
    const [row] = await setup.runAsSystem((db) => db.selectFrom('credit_note').selectAll().execute())
    expect(row?.content).toMatchObject({
      credit_note_no: 'CN202603000001',
      invoice_no: invoice.code,
      cause: 'staff',
      reason: 'Two days of downtime',
      time_zone: 'Asia/Hong_Kong',
      order: { type: 'create', period_start: '2026-03-02' },
      amount: '1000.50',
      currency: 'HKD',
      seller: { code: 'm18' },
      buyer: { code: 'alpha' },
      refund: { route: 'gateway', method: 'stripe', reference: expect.stringMatching(/^re_/) },
    })
    const mails = (await inbox.fetch()).filter(({ subject }) => subject.startsWith('An invoice was refunded'))
    expect(mails.map(({ to }) => to.address)).toContain('order@alpha.example')
    expect(mails[0]?.text).toContain('HKD 1,000.50')
    const entries = (await readAuditEntries(fixture.server, 'order')).filter(({ operation }) => operation === 'refund')
    expect(entries.map(({ info }) => (info as { Outcome: string }).Outcome)).toEqual(['refunding', 'refunded'])
    expect(new Set(entries.map(({ company_id }) => company_id))).toEqual(
      new Set([fixture.server.world.companies.alpha]),
    )
    expect(await findFaults()).toEqual([])
  })

  test('records a bank transfer as done at once, with its reference', async () => {
    const balanceBefore = balance()
    const response = await refund(invoice, { ...transferFields, amount: '5.00' })
    expect(response.json()).toMatchObject({ state: 'done', route: 'transfer', reference: 'FT-2026-77' })
    await runJobs()
    expect(balance()).toBe(balanceBefore)
    expect(await listDocuments('creditNote')).toMatchObject([{ method: 'transfer', reference: 'FT-2026-77' }])
    const [row] = await setup.runAsSystem((db) => db.selectFrom('credit_note').selectAll().execute())
    expect(row?.content).toMatchObject({ refund: { time: '2026-03-02' } })
    const mail = (await inbox.fetch()).find(({ subject }) => subject.startsWith('An invoice was refunded'))
    expect(mail?.text).toContain('was refunded on 2026-03-02.')
    expect(await findFaults()).toEqual([])
  })

  test('never sends back more than was paid, if two members of the staff refund at the same time', async () => {
    const balanceBefore = balance()
    const responses = await Promise.all(
      [1, 2, 3].map(() => refund(invoice, { amount: '21000.01', refunded_before: '0.00' })),
    )
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409])
    const refused = responses.find(({ statusCode }) => statusCode === 409)
    expect(refused && readWhy(refused)).toEqual({ why: 'changed', left: '20999.99', refunded_before: '21000.01' })
    await runJobs()
    expect((await refund(invoice, { ...transferFields, amount: '20999.99' })).statusCode).toBe(200)
    expect(readWhy(await refund(invoice, { amount: '0.01' }))).toMatchObject({ why: 'tooMuch', left: '0.00' })
    await runJobs()
    expect(balance()).toBe(balanceBefore - 2_100_001)
    expect(await listDocuments()).toMatchObject([{ refunded: invoice.amount }])
    expect((await listDocuments('creditNote')).map(({ code }) => code)).toEqual(['CN202603000001', 'CN202603000002'])
    expect(await findFaults()).toEqual([])
  })

  test('has no second effect if the call is repeated with its key', async () => {
    const key = randomUUID()
    const send = () =>
      actors.staff.send({
        method: 'POST',
        url: `/api/invoice/${invoice.id}/refund`,
        headers: { 'idempotency-key': key },
        payload: {
          amount: '7.00',
          refunded_before: '0.00',
          reason: 'x',
          confirmation: invoice.code,
          ...transferFields,
        },
      })
    const responses = [await send(), await send()]
    expect(responses[1]?.json()).toEqual(responses[0]?.json())
    expect(await readStates()).toEqual(['done 7.00'])
  })

  test('refuses a second refund of staff who have not seen the first, and a bank reference that was recorded', async () => {
    const send = (key: string, before = '0.00') =>
      refund(invoice, { ...transferFields, amount: '7.00', reference: key, refunded_before: before })
    expect((await send('FT1')).statusCode).toBe(200)
    expect(readWhy(await send('FT1'))).toMatchObject({ why: 'changed', refunded_before: '7.00' })
    const repeated = await send(' ft1 ', '7.00')
    expect(repeated.statusCode).toBe(400)
    expect(readWhy(repeated)).toMatchObject([{ field: 'reference', code: 'DUPLICATE' }])
    expect((await send('FT2', '7.00')).statusCode).toBe(200)
    expect(await readStates()).toEqual(['done 7.00', 'done 7.00'])
  })

  test('counts a refund with the reason "Dispute lost" once at a gateway that only reports the sum', async () => {
    const paid = await setup.payInvoiceByAlipay('globalAlipay')
    await refund(paid, { amount: '10.00', reason: 'Dispute lost' })
    await runJobs()
    await setup.sendCalls(await setup.collectCalls(() => setup.getStaffAtGateway().refund(paid.reference, 500)))
    expect((await listRefunds()).map(({ cause, amount }) => `${cause} ${amount}`)).toEqual([
      'staff 10.00',
      'gateway 5.00',
    ])
    expect((await listDocuments()).at(-1)).toMatchObject({ refunded: '15.00' })
  })

  test('sends the money once if the server is killed between gateway and commit', async () => {
    const balanceBefore = balance()
    await refund(invoice)
    const [row] = await listRefunds()
    const {
      key,
      gateway_id: gatewayId,
      started_at: startedAt,
    } = await setup.runAsSystem((db) => db.selectFrom('payment_attempt').selectAll().executeTakeFirstOrThrow())
    const driver = await fixture.server.app.payments.findDriver('stripe')
    const payment = { key, gatewayId, startedAt }
    await driver?.refund({ refundKey: row?.refund_key ?? '', payment, amount: 10_000n, currency: 'HKD', reason: '' })
    await setup.runAsSystem((db) => db.updateTable('refund').set({ looks: 1 }).execute())
    await runJobs()
    expect([await readStates(), balance()]).toEqual([['done 100.00'], balanceBefore - 10_000])
  })

  test('is sent again after lost responses and errors of the gateway, without a second effect', async () => {
    const balanceBefore = balance()
    await refund(invoice)
    actors.paymentSandbox.sandbox.faults.fail = 50
    await runJobs()
    actors.paymentSandbox.sandbox.faults.fail = 0
    actors.paymentSandbox.sandbox.faults.loseAnswers = 5
    for (let minute = 0; minute < 4; minute++) {
      await setup.advanceClock(60_000)
      await runJobs()
    }
    expect([await readStates(), balance()]).toEqual([['done 100.00'], balanceBefore - 10_000])
  })

  test('frees the amount if the gateway refuses, and records the refund at the gateway that was the reason', async () => {
    await refund(invoice, { amount: invoice.amount })
    const calls = await setup.collectCalls(() => setup.getStaffAtGateway().refund(invoice.reference, 4_000_000))
    // While the refund holds the amount, the gateway is asked to repeat its notice.
    expect(await setup.sendCalls(calls)).toEqual([503, 503])
    await runJobs()
    await runJobs()
    expect(await readStates()).toEqual([`failed ${invoice.amount}`, 'done 40000.00'])
    expect(await listDocuments()).toMatchObject([{ refunded: '40000.00', refunding: '0.00' }])
    const mail = (await inbox.fetch()).find(({ subject }) => subject.startsWith('A refund was refused'))
    expect([mail?.to.address, mail?.text.includes(invoice.code)]).toEqual(['admin@m18.example', true])
    const listFailed = async () =>
      (await actors.staff.send({ url: '/api/payment/refunds' }))
        .json()
        .refunds.filter(({ state }: { state: string }) => state === 'failed')
    const [failed] = await listFailed()
    expect(failed).toMatchObject({ invoice_code: invoice.code, document_id: invoice.id, seen: null })
    const settle = () =>
      actors.staff.send({ method: 'POST', url: `/api/payment/refunds/${failed.id}/settle`, payload: {} })
    expect([(await settle()).statusCode, (await settle()).statusCode]).toEqual([200, 409])
    expect(await listFailed()).toEqual([])
    expect((await refund(invoice, { amount: '2000.00' })).statusCode).toBe(200)
    await runJobs()
    expect(await listDocuments()).toMatchObject([{ refunded: invoice.amount }])
    expect(await findFaults()).toEqual([])
  })

  describe('checks of the input', () => {
    test('requires the number of the invoice, a positive amount, and the details of a transfer', async () => {
      const readFields = async (fields: Record<string, unknown>) => {
        const response = await refund(invoice, fields)
        return [response.statusCode, (response.json() as { data: { field: string }[] }).data[0]?.field]
      }
      expect(await readFields({ confirmation: 'I202603999999' })).toEqual([400, 'confirmation'])
      expect(await readFields({ amount: '0.00' })).toEqual([400, 'amount'])
      expect(await readFields({ amount: '-1.00' })).toEqual([400, 'amount'])
      expect(await readFields({ reason: '   ' })).toEqual([400, 'reason'])
      expect(await readFields({ ...transferFields, reference: ' ' })).toEqual([400, 'reference'])
      expect(await readFields({ ...transferFields, date: undefined })).toEqual([400, 'date'])
      expect(await readFields({ ...transferFields, date: '2026-02-30' })).toEqual([400, 'date'])
      expect(await readFields({ ...transferFields, date: '2026-03-03' })).toEqual([400, 'date'])
      expect(await readFields({ ...transferFields, date: '2026-03-01' })).toEqual([400, 'date'])
      expect(await listRefunds()).toEqual([])
      expect((await refund({ ...invoice, id: 999_999 })).statusCode).toBe(404)
    })

    test('is limited to the admins of the provider with the order flag, with a password if configured', async () => {
      for (const userName of ['admin@alpha', 'order@alpha', 'user@m18', 'order@m18', 'delete@m18'])
        expect((await refund(invoice, {}, await fixture.server.signIn(userName))).statusCode).toBe(403)
      fixture.server.app.config.stepUp = true
      const response = await refund(invoice)
      fixture.server.app.config.stepUp = false
      expect(response.json()).toMatchObject({ errorCode: 'STEP_UP_REQUIRED' })
      expect(await listRefunds()).toEqual([])
    })
  })

  test('refunds each invoice of one payment up to its own amount', async () => {
    const [first, second] = (await setup.payTwoInvoices()) as [InvoiceDocument, InvoiceDocument]
    expect(readWhy(await refund(first, { amount: '42000.01' }))).toMatchObject({
      why: 'tooMuch',
      left: '42000.00',
    })
    expect((await refund(first, { amount: '42000.00' })).statusCode).toBe(200)
    expect((await refund(second, { amount: '1.00' })).statusCode).toBe(200)
    await runJobs()
    expect((await listDocuments()).map(({ refunded }) => refunded)).toEqual(['0.00', '42000.00', '1.00'])
    expect(await findFaults()).toEqual([])
  })

  test.each(['alipay', 'globalAlipay'] as const)('sends several parts back by %s', async (type) => {
    const paid = await setup.payInvoiceByAlipay(type)
    for (const amount of ['10.00', '20.00']) expect((await refund(paid, { amount })).statusCode).toBe(200)
    await runJobs()
    // The gateway's notices about the portal's own refunds change nothing.
    await setup.sendGatewayCalls()
    expect(await readStates()).toEqual(['done 10.00', 'done 20.00'])
    expect((await listDocuments()).at(-1)).toMatchObject({ refunded: '30.00' })
    expect(await findFaults()).toEqual([])
  })
})
