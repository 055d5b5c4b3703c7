/** Tests payments of backups and traffic, with the same process and outcomes as contracts (D15, D25, D31, D66, D90; R-27, S-95). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { runInTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import type { ReceivedPayment } from '#server/use-cases/payments/payable.ts'
import { createBackupOrder, readServiceId, createTraffic } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'
import { shopOpenedAt, buyOrder, type OrderRow, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'

const dayMs = 86_400_000
const card = { token: 'pm_card_visa' }

onConnections('paying for backups', (engine) => {
  const fixture = setUpShop(engine)
  const inbox = createMailBox(() => fixture.server.app)
  let paymentSandbox: PaymentSandbox
  let buyer: SignedIn
  let contract: OrderRow
  let serviceId = 0
  let balanceBefore = 0
  beforeAll(async () => {
    paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => paymentSandbox.close())
  beforeEach(async () => {
    paymentSandbox.sandbox.webhooks.release()
    Object.assign(paymentSandbox.sandbox.faults, { loseAnswers: 0, fail: 0 })
    buyer = await fixture.server.signIn('order@alpha')
    contract = await buyOrder(fixture.server, buyer)
    serviceId = await readServiceId(fixture.server, 'shop')
    await inbox.fetch()
    balanceBefore = sumBalances()
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const sumBalances = () =>
    Object.values(paymentSandbox.sandbox.getBalances())
      .flatMap((balances) => Object.values(balances))
      .reduce((a, b) => a + b, 0)
  /** Amount in cents that the gateways received since the test began. */
  const balance = () => sumBalances() - balanceBefore
  const listOutcomes = async () =>
    (
      await runAsSystem((db) =>
        db.selectFrom('payment').select(['outcome', 'order_id']).where('order_id', 'is', null).orderBy('id').execute(),
      )
    ).map(({ outcome }) => outcome)
  const readService = () =>
    runAsSystem((db) => db.selectFrom('service_row').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow())
  const listInvoices = () =>
    runAsSystem((db) => db.selectFrom('invoice').selectAll().where('order_id', 'is', null).orderBy('id').execute())
  const setDay = async (days: number) => {
    fixture.server.clock.now = shopOpenedAt + days * dayMs
    buyer = await fixture.server.signIn('order@alpha')
  }
  const orderBackup = async (fields: object = {}): Promise<number> => {
    const payload = { service_id: serviceId, pdb_type: 'pdb2s3', period: 1, period_type: 'year', ...fields }
    return (await buyer.send({ method: 'POST', url: '/api/pdb/order', payload })).json().id
  }
  const readRow = (path: 'order' | 'traffic', id: number) =>
    buyer
      .send({ url: `/api/pdb/${path}?serviceId=${serviceId}&results=50` })
      .then((response) => response.json().data.find((row: { id: number }) => row.id === id))
  const followReturn = async (address: string) => {
    const url = new URL(address)
    const { location } = (await fixture.server.send({ url: url.pathname + url.search })).headers
    return location?.replace(/#return=[\w-]+$/, '')
  }
  const reportPayment = (kind: 'backup' | 'traffic', id: number, fields: Partial<ReceivedPayment> = {}) => {
    const { app, clock } = fixture.server
    const payment = {
      gateway: 'test',
      reference: randomUUID(),
      amount: kind === 'backup' ? '5400.00' : '162.50',
      currency: 'HKD' as const,
      paidAt: clock.now,
      ...fields,
    }
    return runAsSystem((db) => applyPayment({ db, app, now: clock.now }, { kind, id }, payment))
  }

  const kinds = {
    PDBORDER: {
      kind: 'backup',
      make: () => orderBackup(),
      path: 'order',
      dueAmount: 540_000,
      paidFields: { status: 1 },
    },
    TRAFFIC: {
      kind: 'traffic',
      make: () => createTraffic(fixture.server, 'shop', { isPaid: false }),
      path: 'traffic',
      dueAmount: 16_250,
      paidFields: { pay_date: '2026-03-02', pay_amount: '162.50' },
    },
  } as const

  describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (contractType) => {
    const { kind, make, path, dueAmount, paidFields } = kinds[contractType]
    const unpaidFields = kind === 'backup' ? { status: 0 } : { pay_date: null, pay_amount: null }
    const pay = (id: number, fields: Record<string, string> = {}, caller = buyer) =>
      payFor(caller, id, { contractType, ...fields })
    const check = async (id: number) =>
      (await buyer.send({ method: 'POST', url: `/api/payment/${id}/check`, payload: { contractType } })).json()
    async function expectPaidOnce(id: number) {
      expect(await readRow(path, id)).toMatchObject({ ...paidFields, invoice_no: 'I202603000002' })
      expect([await listOutcomes(), (await listInvoices()).length, balance()]).toEqual([['applied'], 1, dueAmount])
    }

    test('cannot be paid after the period of the backup has ended (fault 6c)', async () => {
      await setDay(362)
      const id = await orderBackup()
      expect(await readRow('order', id)).toMatchObject({ due: '2027-03-01 23:59:59', status: 0 })
      await setDay(366)
      expect((await payFor(buyer, id, { ...card, contractType: 'PDBORDER' })).json()).toMatchObject({
        data: { why: 'invalid' },
      })
      expect(await readRow('order', id)).toMatchObject({ status: -1 })
    })

    test('is charged once by card, gets one invoice, and the payment check reports it', async () => {
      const id = await make()
      expect(await check(id)).toEqual({ status: 'none' })
      const responses = await Promise.all(Array.from({ length: 5 }, () => pay(id, card)))
      for (const { statusCode } of responses) expect([200, 409]).toContain(statusCode)
      await paymentSandbox.runPaymentJobs()
      await expectPaidOnce(id)
      expect(await check(id)).toEqual({ status: 'paid' })
      expect((await pay(id, card)).json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'paidAlready' } })
      expect((await payFor(buyer, 999_999, { contractType, ...card })).statusCode).toBe(404)
    }, 30_000)

    test('leads to the gateway and back to the tab of its contract', async () => {
      const id = await make()
      paymentSandbox.sandbox.webhooks.hold()
      const response = await pay(id, { token: 'pm_card_threeDSecureRequired' })
      const page = await openGatewayPage((response.json() as { redirect: string }).redirect)
      const returnPage = await openGatewayPage(page.url, { answer: 'yes' })
      const tab = `/saas/app/contract/${contract.id}?tab=subscribe&paid=${contractType}-${id}`
      expect(await followReturn(returnPage.url)).toBe(`${fixture.server.app.config.publicUrl}${tab}&payment=paid`)
      await expectPaidOnce(id)
    })

    test('is found paid by the job, and late or repeated notices change nothing', async () => {
      const id = await make()
      paymentSandbox.sandbox.webhooks.hold()
      const page = await openGatewayPage((await pay(id)).json().redirect)
      expect(page.text).toContain('shop')
      await openGatewayPage(page.url, { card: '4242 4242 4242 4242' })
      fixture.server.clock.now = shopOpenedAt + 10_000
      await paymentSandbox.runPaymentJobs()
      await expectPaidOnce(id)
      for (const call of paymentSandbox.sandbox.webhooks.list().filter(({ nextAt }) => nextAt !== null))
        for (let times = 0; times < 5; times++) await paymentSandbox.sandbox.webhooks.send(call.id)
      await expectPaidOnce(id)
    }, 30_000)

    test('is checked again if the response of the gateway is lost', async () => {
      const id = await make()
      // The driver tries a request three times, so three responses must be lost.
      paymentSandbox.sandbox.webhooks.hold()
      paymentSandbox.sandbox.faults.loseAnswers = 3
      expect((await pay(id, card)).json()).toEqual({ status: 'processing' })
      paymentSandbox.sandbox.faults.loseAnswers = 0
      expect(await readRow(path, id)).toMatchObject(unpaidFields)
      fixture.server.clock.now = shopOpenedAt + 10_000
      await paymentSandbox.runPaymentJobs()
      await expectPaidOnce(id)
    }, 30_000)

    test('ignores a repeated report, and records a second payment', async () => {
      const id = await make()
      const results = await Promise.all(Array.from({ length: 10 }, () => reportPayment(kind, id, { reference: 'one' })))
      expect(results.filter((result) => result?.isRepeated === false)).toHaveLength(1)
      expect(await reportPayment(kind, id, { gateway: 'other' })).toMatchObject({ outcome: 'paid already' })
      expect([await listOutcomes(), (await listInvoices()).length]).toEqual([['applied', 'paid already'], 1])
    }, 30_000)

    test.each([
      [{ amount: '1.00' }, 'another amount'],
      [{ currency: 'USD' as const }, 'another currency'],
    ])('records a payment that does not match, without effect: %j', async (fields, outcome) => {
      const id = await make()
      expect(await reportPayment(kind, id, fields)).toMatchObject({ outcome })
      expect(await readRow(path, id)).toMatchObject(unpaidFields)
      expect(await listInvoices()).toEqual([])
      expect(await reportPayment(kind, id)).toMatchObject({ outcome: 'applied' })
    })

    test('leaves no rows and no gap in the numbers if the payment fails halfway', async () => {
      const id = await make()
      const { app, clock } = fixture.server
      const payment = { gateway: 'test', reference: 'cut', amount: '5400.00', currency: 'HKD', paidAt: clock.now }
      const amount = kind === 'backup' ? '5400.00' : '162.50'
      const failedPayment = runAsSystem(async (db) => {
        await applyPayment({ db, app, now: clock.now }, { kind, id }, { ...payment, amount })
        throw new Error('cut off')
      })
      await expect(failedPayment).rejects.toThrow('cut off')
      expect(await readRow(path, id)).toMatchObject(unpaidFields)
      expect([await listOutcomes(), await listInvoices()]).toEqual([[], []])
      await reportPayment(kind, id, { reference: 'cut' })
      expect((await listInvoices()).map(({ code }) => code)).toEqual(['I202603000002'])
    })

    test('can be paid by the company and by staff with the order right only', async () => {
      const id = await make()
      expect((await pay(id, card, await fixture.server.signIn('order@beta'))).statusCode).toBe(404)
      expect((await pay(id, card, await fixture.server.signIn('user@alpha'))).statusCode).toBe(403)
      expect((await pay(id, card, await fixture.server.signIn('order@m18'))).json()).toEqual({ status: 'paid' })
      await expectPaidOnce(id)
    })

    test('is recorded in the trail and receipted by mail, once (D86)', async () => {
      const id = await make()
      await pay(id, card)
      await paymentSandbox.runPaymentJobs()
      const expectedInfo = kind === 'backup' ? { OrderId: id } : { Month: '2026-03' }
      expect(
        (await readAuditEntries(fixture.server, 'backup')).filter(({ operation }) => operation === 'pay'),
      ).toMatchObject([
        {
          info: {
            ServiceCode: 'shop',
            ...expectedInfo,
            InvoiceNo: 'I202603000002',
            Outcome: 'applied',
            Gateway: 'stripe',
          },
        },
      ])
      const mails = await inbox.fetch()
      expect(mails.map(({ to }) => to.address).toSorted()).toEqual(['order@alpha.example', 'second@alpha.example'])
      for (const { subject, text } of mails) {
        expect(subject).toContain('Payment received')
        expect(text).toContain('I202603000002')
        expect(text).toContain(kind === 'backup' ? 'HKD 5,400.00' : 'HKD 162.50')
        expect(text).toContain(`/saas/app/contract/${contract.id}?tab=subscribe`)
      }
    })
  })

  describe('a backup order', () => {
    test('takes effect once it is paid: the service is backed up soon, then as scheduled', async () => {
      await reportPayment('backup', await orderBackup())
      expect(await readService()).toMatchObject({
        pdb2s3_date: '2027-03-02',
        next_pdb2s3: shopOpenedAt,
        next_pdb2rds: null,
        os_pdb2s3: null,
      })
      await runAsSystem((db) => db.updateTable('service').set({ next_pdb2s3: 77 }).execute())
      await buyOrder(fixture.server, buyer, { code: 'other', period: 2 })
      serviceId = await readServiceId(fixture.server, 'other')
      await reportPayment('backup', await orderBackup())
      await reportPayment('backup', await orderBackup(), { reference: 'next' })
      expect(await readService()).toMatchObject({ next_pdb2s3: shopOpenedAt, pdb2s3_date: '2028-03-02' })
      await setDay(1)
      await runAsSystem((db) =>
        db.updateTable('service').set({ next_pdb2s3: 77 }).where('id', '=', serviceId).execute(),
      )
      await createBackupOrder(fixture.server, 'other', {
        period_start: '2028-03-02',
        period_end: '2029-03-02',
        status: 0,
        pdb_type: 'pdb2s3',
      })
      const [openOrder] = await runAsSystem((db) =>
        db
          .selectFrom('backup_order')
          .select('id')
          .where('service_id', '=', serviceId)
          .where('status', '=', 0)
          .execute(),
      )
      await reportPayment('backup', openOrder?.id ?? 0)
      expect(await readService()).toMatchObject({ next_pdb2s3: 77, pdb2s3_date: '2029-03-02' })
    })

    test('causes a backup soon after payment if it starts after a break', async () => {
      await createBackupOrder(fixture.server, 'shop', { period_start: '2026-02-01', period_end: '2026-03-02' })
      await runAsSystem((db) => db.updateTable('service').set({ next_pdb2s3: 77 }).execute())
      await reportPayment('backup', await orderBackup())
      expect(await readService()).toMatchObject({ next_pdb2s3: shopOpenedAt })
    })

    test('cannot be paid after its due time, but a payment made in time is applied', async () => {
      const id = await orderBackup()
      await setDay(8)
      expect((await payFor(buyer, id, { contractType: 'PDBORDER', ...card })).json()).toMatchObject({
        data: { why: 'invalid' },
      })
      expect(await reportPayment('backup', id)).toMatchObject({ outcome: 'too late' })
      const lastSecond = Date.parse('2026-03-09T15:59:59Z')
      expect(await reportPayment('backup', id, { paidAt: lastSecond + 1000 })).toMatchObject({ outcome: 'too late' })
      expect(await reportPayment('backup', id, { paidAt: lastSecond })).toMatchObject({ outcome: 'applied' })
      expect(await readRow('order', id)).toMatchObject({ status: 1 })
    })

    test('cannot be paid once it was replaced, and received money is recorded', async () => {
      const id = await orderBackup()
      const paymentResponse = await payFor(buyer, id, { contractType: 'PDBORDER' })
      const nextId = await orderBackup({ period: 6, period_type: 'month' })
      await paymentSandbox.runPaymentJobs()
      expect((await openGatewayPage((paymentResponse.json() as { redirect: string }).redirect)).status).toBe(404)
      expect((await payFor(buyer, id, { contractType: 'PDBORDER' })).json()).toMatchObject({ data: { why: 'invalid' } })
      expect(await reportPayment('backup', id)).toMatchObject({ outcome: 'replaced' })
      expect(await readRow('order', id)).toMatchObject({ status: -1 })
      expect(await reportPayment('backup', nextId, { amount: '2700.00' })).toMatchObject({ outcome: 'applied' })
    })

    test('has no effect if it is paid after the service was moved to another company', async () => {
      const id = await orderBackup()
      await runAsSystem((db) =>
        db
          .updateTable('service')
          .set({ company_id: fixture.server.world.companies.beta } as never)
          .execute(),
      )
      expect(await reportPayment('backup', id)).toMatchObject({ outcome: 'replaced' })
    })
  })

  describe('a traffic month', () => {
    test('needs no payment if no GB is charged', async () => {
      const id = await createTraffic(fixture.server, 'shop', { isPaid: false, pdb_traffic: '50.00' })
      expect((await payFor(buyer, id, { contractType: 'TRAFFIC', ...card })).json()).toMatchObject({
        data: { why: 'paidAlready' },
      })
    })

    test('can be paid although it is overdue, and the payment ends its suspension', async () => {
      const firstId = await createTraffic(fixture.server, 'shop', { isPaid: false })
      const secondId = await createTraffic(fixture.server, 'shop', { isPaid: false, period_end: '2026-05-01' })
      await setDay(60)
      await runAsSystem((db) => db.updateTable('service').set({ traffic_disabled: true }).execute())
      await reportPayment('traffic', firstId)
      expect(await readService()).toMatchObject({ traffic_disabled: true, os_traffic: secondId })
      await reportPayment('traffic', secondId)
      expect(await readService()).toMatchObject({ traffic_disabled: false, os_traffic: null })
      expect(await readRow('traffic', secondId)).toMatchObject({ pay_date: '2026-05-01', pay_amount: '162.50' })
    })

    test('does not end a suspension by staff when it is paid', async () => {
      const id = await createTraffic(fixture.server, 'shop', { isPaid: false })
      await runAsSystem((db) =>
        db.updateTable('service').set({ traffic_disabled: true, traffic_blocked: true }).execute(),
      )
      await reportPayment('traffic', id)
      expect(await readService()).toMatchObject({ traffic_disabled: true })
    })
  })

  test('a payment for an unknown number returns null', async () => {
    expect(await reportPayment('backup', 999_999)).toBeNull()
    expect(await reportPayment('traffic', 999_999)).toBeNull()
  })
})
