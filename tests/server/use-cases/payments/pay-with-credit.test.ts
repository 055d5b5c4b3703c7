/** Tests payments with credit balances, completely and in part, refunds to the balance, and withdrawals (decision 124). */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { readAmount, writeAmount } from '#domain/money.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { addTransferCredit } from '#tests/support/orders/credit.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { payTogether, toContractItems } from '#tests/support/orders/pay-together.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { type OrderRow, placeOrder, readOrder } from '#tests/support/orders/shop-data.ts'

const card = { token: 'pm_card_visa' }

eachEngineByNight('credit balances', (engine) => {
  const setup = setUpRefunds(engine)
  const { actors, fixture, balance, runAsSystem, listDocuments, refund, findFaults, runJobs } = setup
  const getCompanyId = () => fixture.server.world.companies.alpha
  const addCredit = (amount: string) =>
    runAsSystem((db) => addTransferCredit(db, { companyId: getCompanyId(), amount, now: fixture.server.clock.now }))
  const readCredit = async () =>
    (await actors.buyer.send({ method: 'GET', url: '/api/credit' })).json() as {
      balances: { currency: string; balance: string; held: string }[]
      entries: { cause: string; amount: string; balance: string; reference: string; reason: string | null }[]
    }
  const readBalance = async () => (await readCredit()).balances.map((row) => `${row.balance} ${row.held}`)
  const order = async (code = 'shop') => (await placeOrder(actors.buyer, { code })).json() as OrderRow
  const readWhy = (response: { json(): unknown }) => (response.json() as { data: { why: string } }).data
  const listContents = () =>
    runAsSystem(async (db) =>
      (await db.selectFrom('invoice').select('content').orderBy('id').execute()).map(
        ({ content }) => (content as { payment: Record<string, string> }).payment,
      ),
    )
  let amount = ''
  /** Credit that is a part of the order's amount. */
  const part = '1000.00'
  let first: OrderRow
  beforeEach(async () => {
    first = await order('first')
    amount = first.amount
  })
  const getRest = () => writeAmount(readAmount(amount) - readAmount(part))

  describe('a payment with credit only', () => {
    test('takes effect at once without a gateway, and a repeated call has the same result', async () => {
      await addCredit(amount)
      const before = balance()
      const headers = { 'idempotency-key': randomUUID() }
      for (let call = 0; call < 2; call++) {
        const response = await payFor(actors.buyer, first.id, { type: 'credit', credit: amount }, headers)
        expect(response.json()).toEqual({ status: 'paid' })
      }
      expect([balance(), await readBalance()]).toEqual([before, ['0.00 0.00']])
      expect(await readOrder(actors.buyer, first.id)).toMatchObject({ status: 1 })
      const [invoice] = await listDocuments()
      expect(invoice).toMatchObject({ method: 'credit', amount, reference: expect.stringMatching(/^CR\d{8}$/) })
      expect(await listContents()).toEqual([expect.objectContaining({ gateway: 'credit', credit: amount })])
      expect((await readCredit()).entries.map(({ cause, reference }) => [cause, reference])).toEqual([
        ['payment', invoice?.code],
        ['transfer', 'FT-1'],
      ])
      expect(await findFaults()).toEqual([])
    })

    test('is refused with the figures if the balance is too low', async () => {
      await addCredit(part)
      const response = await payFor(actors.buyer, first.id, { type: 'credit' })
      expect(response.statusCode).toBe(409)
      expect(readWhy(response)).toMatchObject({ why: 'creditTooLow', available: part, rest: getRest() })
      expect(await readBalance()).toEqual([`${part} 0.00`])
    })

    test('pays one of two orders if both are paid at the same time', async () => {
      const second = await order('second')
      await addCredit(amount)
      const responses = await Promise.all(
        [first, second].map(({ id }) => payFor(actors.buyer, id, { type: 'credit', credit: amount })),
      )
      expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
      expect([await readBalance(), (await listDocuments()).length]).toEqual([['0.00 0.00'], 1])
      expect(await findFaults()).toEqual([])
    })

    test('covers several items, and each invoice has its part', async () => {
      const second = await order('second')
      await addCredit(writeAmount(readAmount(amount) + readAmount(part)))
      const response = await payTogether(actors.buyer, toContractItems([first, second]), { ...card })
      expect(response.json()).toEqual({ status: 'paid' })
      expect((await listContents()).map(({ credit }) => credit)).toEqual([amount, part])
      expect(await readBalance()).toEqual(['0.00 0.00'])
      expect(await findFaults()).toEqual([])
    })
  })

  describe('a payment in part', () => {
    test('takes the rest by card, and the refund by card never exceeds it', async () => {
      await addCredit(part)
      const before = balance()
      const response = await payFor(actors.buyer, first.id, { ...card, credit: part })
      expect(response.json()).toEqual({ status: 'paid' })
      expect(balance()).toBe(before + Number(readAmount(getRest())))
      const [invoice] = await listDocuments()
      if (!invoice) throw new Error('the payment has no invoice')
      const tooMuch = await refund(invoice, { amount })
      expect(readWhy(tooMuch)).toMatchObject({ why: 'tooMuch', left: getRest() })
      expect((await refund(invoice, { amount: getRest() })).statusCode).toBe(200)
      await runJobs()
      expect(balance()).toBe(before)
      const toBalance = await refund(invoice, { amount: part, route: 'credit' })
      expect(toBalance.json()).toMatchObject({ state: 'done', route: 'credit', reference: `${invoice.code}-2` })
      expect(readWhy(await refund(invoice, { amount: '0.01', route: 'credit' }))).toMatchObject({ left: '0.00' })
      expect(await readBalance()).toEqual([`${part} 0.00`])
      expect((await listDocuments())[0]).toMatchObject({ refunded: amount })
      expect(await findFaults()).toEqual([])
    })

    test('is refused if the payer saw another part', async () => {
      await addCredit(part)
      const response = await payFor(actors.buyer, first.id, { ...card, credit: '0.00' })
      expect(readWhy(response)).toMatchObject({ why: 'creditChanged', available: part, credit: part, rest: getRest() })
      expect((await payFor(actors.buyer, first.id, { ...card, credit: part })).json()).toEqual({ status: 'paid' })
    })

    test('keeps its part until it ends, and another payment cannot use it', async () => {
      await addCredit(part)
      await payFor(actors.buyer, first.id, { credit: part })
      expect(await readBalance()).toEqual([`${part} ${part}`])
      const second = await order('second')
      expect(readWhy(await payFor(actors.buyer, second.id, { credit: part }))).toMatchObject({
        why: 'creditChanged',
        credit: '0.00',
      })
      expect(readWhy(await withdraw({}))).toMatchObject({ why: 'creditTooLow', available: '0.00' })
      // A declined card frees it.
      await payFor(actors.buyer, first.id, { token: 'pm_card_visa_chargeDeclined' })
      expect(await readBalance()).toEqual([`${part} 0.00`])
      expect(await findFaults()).toEqual([])
    })

    test('becomes a task if it was closed, is paid later, and its credit was used; with credit it is applied', async () => {
      await addCredit(part)
      const page = setup.readRedirect(await payFor(actors.buyer, first.id, { credit: part }))
      await runAsSystem((db) => db.updateTable('payment_attempt').set({ state: 'closed', next_look: null }).execute())
      expect((await withdraw({})).statusCode).toBe(200)
      await openGatewayPage(page, { answer: 'pay', card: '4242 4242 4242 4242' })
      await setup.sendGatewayCalls()
      expect((await setup.listTasks()).map(({ reason, state }) => [reason, state])).toEqual([['anotherAmount', 'open']])
      const [task] = await setup.listTasks()
      expect(setup.readReason(await setup.performAction(task?.id ?? 0, 'apply'))).toEqual([409, 'anotherAmount'])
      expect(await findFaults()).toEqual([])
      await addCredit(part)
      expect((await setup.performAction(task?.id ?? 0, 'apply')).statusCode).toBe(200)
      expect([await readBalance(), (await listDocuments()).length]).toEqual([['0.00 0.00'], 1])
      expect(await findFaults()).toEqual([])
    })
  })

  describe('a newer payment of the same items that holds the credit', () => {
    const closeAttempts = () =>
      runAsSystem((db) => db.updateTable('payment_attempt').set({ state: 'closed', next_look: null }).execute())
    const startPayment = async () => setup.readRedirect(await payFor(actors.buyer, first.id, { credit: part }))
    const payLate = async (page: string) => {
      await openGatewayPage(page, { answer: 'pay', card: '4242 4242 4242 4242' })
      await setup.sendGatewayCalls()
    }

    test('gives it to money that arrives for a closed one', async () => {
      await addCredit(part)
      const page = await startPayment()
      await closeAttempts()
      await startPayment()
      expect(await readBalance()).toEqual([`${part} ${part}`])
      await payLate(page)
      expect(await setup.listTasks()).toEqual([])
      expect([await readBalance(), (await listDocuments()).length]).toEqual([['0.00 0.00'], 1])
      expect(await readOrder(actors.buyer, first.id)).toMatchObject({ status: 1 })
      expect(await findFaults()).toEqual([])
    })

    test('gives it to a task that is applied', async () => {
      await addCredit(part)
      const page = await startPayment()
      await closeAttempts()
      expect((await withdraw({})).statusCode).toBe(200)
      await payLate(page)
      const [task] = await setup.listTasks()
      await addCredit(part)
      await startPayment()
      expect(await readBalance()).toEqual([`${part} ${part}`])
      expect((await setup.performAction(task?.id ?? 0, 'apply')).statusCode).toBe(200)
      expect([await readBalance(), (await listDocuments()).length]).toEqual([['0.00 0.00'], 1])
      expect(await findFaults()).toEqual([])
    })

    test('keeps it if it pays other items', async () => {
      await addCredit(part)
      const page = await startPayment()
      await closeAttempts()
      const second = await order('second')
      await payFor(actors.buyer, second.id, { credit: part })
      await payLate(page)
      expect((await setup.listTasks()).map(({ reason }) => reason)).toEqual(['anotherAmount'])
      expect(await readBalance()).toEqual([`${part} ${part}`])
      expect(await findFaults()).toEqual([])
    })
  })

  describe('a payment at a gateway that is not set up any more', () => {
    const dayMs = 86_400_000

    /** Starts a payment on a page of Stripe, which is then no longer set up. Returns the page and what sets Stripe up again. */
    async function startAndLoseGateway() {
      await addCredit(part)
      const page = setup.readRedirect(await payFor(actors.buyer, first.id, { credit: part }))
      const { app } = fixture.server
      const { payments } = app
      const restoreGateway = () => void (app.payments = payments)
      app.payments = { ...payments, findDriver: async () => null }
      onTestFinished(restoreGateway)
      return { page, restoreGateway }
    }
    const checkAfter = async (ms: number) => {
      await setup.advanceClock(ms)
      await runJobs()
    }

    test('holds its credit for a week, and then its money becomes a task', async () => {
      const { page, restoreGateway } = await startAndLoseGateway()
      await checkAfter(6 * dayMs)
      expect(await readBalance()).toEqual([`${part} ${part}`])
      await checkAfter(2 * dayMs)
      expect(await readBalance()).toEqual([`${part} 0.00`])
      restoreGateway()
      await openGatewayPage(page, { answer: 'pay', card: '4242 4242 4242 4242' })
      await setup.sendGatewayCalls()
      expect((await setup.listTasks()).map(({ amount }) => amount)).toEqual([getRest()])
      expect([await readBalance(), await findFaults()]).toEqual([[`${part} 0.00`], []])
    })

    test('is applied with its credit if the gateway is set up again in time', async () => {
      const { page, restoreGateway } = await startAndLoseGateway()
      await openGatewayPage(page, { answer: 'pay', card: '4242 4242 4242 4242' })
      await checkAfter(6 * dayMs)
      restoreGateway()
      await checkAfter(3_600_000)
      expect(await readOrder(actors.buyer, first.id)).toMatchObject({ status: 1 })
      expect([await readBalance(), await findFaults()]).toEqual([['0.00 0.00'], []])
    })

    test('frees its credit at once if the item can no longer take effect', async () => {
      await startAndLoseGateway()
      await runAsSystem((db) => db.updateTable('service_order').set({ deleted: true }).execute())
      await checkAfter(60_000)
      expect(await readBalance()).toEqual([`${part} 0.00`])
    })
  })

  const withdraw = (fields: Record<string, unknown>) =>
    actors.staff.send({
      method: 'POST',
      url: '/api/credit/withdraw',
      payload: {
        company_id: getCompanyId(),
        currency: 'HKD',
        amount: part,
        balance_before: part,
        reference: 'FT-9',
        date: '2026-03-02',
        reason: 'Account closed',
        confirmation: 'ALPHA',
        ...fields,
      },
    })

  describe('a withdrawal', () => {
    test('is recorded once, with reason and reference', async () => {
      await addCredit('1500.00')
      const response = await withdraw({ balance_before: '1500.00' })
      expect(response.json()).toMatchObject({ balance: '500.00', held: '0.00', company_code: 'alpha' })
      expect(readWhy(await withdraw({ balance_before: '1500.00' }))).toMatchObject({ why: 'changed' })
      const again = await withdraw({ balance_before: '500.00', amount: '1.00' })
      expect(JSON.stringify(again.json())).toContain('DUPLICATE')
      expect((await readCredit()).entries[0]).toMatchObject({
        cause: 'withdrawal',
        amount: '-1000.00',
        reference: 'FT-9',
        reason: 'Account closed',
      })
      expect(await findFaults()).toEqual([])
    })

    test('and a payment at the same time use the same credit once', async () => {
      await addCredit(amount)
      const responses = await Promise.all([
        payFor(actors.buyer, first.id, { type: 'credit' }),
        withdraw({ amount, balance_before: amount }),
      ])
      expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
      expect([await readBalance(), await findFaults()]).toEqual([['0.00 0.00'], []])
    })

    test.each([
      [{ confirmation: 'beta' }, 'NOT_CONFIRMED'],
      [{ amount: '0.00' }, 'OUT_OF_RANGE'],
      [{ date: '2026-03-03' }, 'OUT_OF_RANGE'],
    ])('is refused with a wrong field: %o', async (fields, code) => {
      await addCredit(part)
      const response = await withdraw(fields)
      expect([response.statusCode, JSON.stringify(response.json())]).toEqual([400, expect.stringContaining(code)])
    })
  })
})
