/**
 * Compares orders with a model: random sequences of ordering, replacing, paying, declined and cancelled payments, deleting and extending,
 * with passing days and repeated notices. A refusal must have the reason of the model, and after each sequence the gateway
 * must have charged exactly the paid orders. `RUNS` sets the number of sequences.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { runInTransaction } from '#server/db/transaction.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { placeOrder, type OrderRow, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'

interface ModelOrder {
  id: number
  type: 'create' | 'extend'
  state: 'unpaid' | 'paid' | 'invalid' | 'overwritten' | 'deleted'
  amount: string
  /** Address of the payment page at the gateway, or null if the order cannot be paid there. */
  page: string | null
}

const { RUNS = '10' } = process.env

const dayMs = 86_400_000
/** Value of `on`: the index of an order created so far, modulo their number. */
const orderIndex = fc.nat({ max: 7 })
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('create', 'replace', 'extend') }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('card', 'declined', 'open', 'payPage', 'delete'), on: orderIndex }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('later', 'again') }) },
)
type Command = { do: string; on?: number }

describe('the life of an order (F-07, R-40)', () => {
  const fixture = setUpShop('embedded')
  let paymentSandbox: PaymentSandbox
  beforeAll(async () => {
    paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => paymentSandbox.close())
  let runCount = 0

  const sumBalances = () =>
    Object.values(paymentSandbox.sandbox.getBalances())
      .flatMap((balances) => Object.values(balances))
      .reduce((total, balance) => total + balance, 0)

  async function runCommands(commands: readonly Command[]): Promise<void> {
    runCount += 1
    const code = `life${runCount}`
    const sumBefore = sumBalances()
    const orders: ModelOrder[] = []
    let buyer = await fixture.server.signIn('order@alpha')
    const findUnpaid = () => orders.find(({ state }) => state === 'unpaid')
    const findInForce = () => orders.find(({ state }) => state === 'paid')
    const isCodeTaken = () => orders.some(({ state }) => state === 'unpaid' || state === 'paid')
    const getToday = () => new Date(fixture.server.clock.now + 8 * 3_600_000).toISOString().slice(0, 10)

    function addOrder(response: Awaited<ReturnType<SignedIn['send']>>, type: ModelOrder['type']) {
      expect(response.statusCode).toBe(200)
      const { id, amount } = response.json() as OrderRow
      orders.push({ id, type, state: 'unpaid', amount, page: null })
    }
    const refusalReasons = {
      unpaid: null,
      paid: 'paidAlready',
      invalid: 'invalid',
      overwritten: 'replaced',
      deleted: 'gone',
    }
    async function payAndCheck(order: ModelOrder, fields: Record<string, string>) {
      const response = await payFor(buyer, order.id, fields)
      const reason = refusalReasons[order.state]
      if (reason === 'gone') expect(response.statusCode).toBe(404)
      else if (reason) expect(response.json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: reason } })
      return reason === null ? response : null
    }
    function applyPayment(order: ModelOrder) {
      const replacedOrder = order.type === 'extend' ? findInForce() : undefined
      if (replacedOrder) replacedOrder.state = 'overwritten'
      order.state = 'paid'
      order.page = null
    }

    const runners: Record<string, (order: ModelOrder) => Promise<void>> = {
      async create() {
        const response = await placeOrder(buyer, { code, period_start: getToday() })
        if (isCodeTaken()) expect(response.json()).toMatchObject({ errorCode: 'DUP_CODE' })
        else addOrder(response, 'create')
      },
      async replace() {
        const order = findUnpaid()
        if (order?.type !== 'create') return
        order.state = 'invalid'
        addOrder(await placeOrder(buyer, { code, period_start: getToday(), replaces: order.id }), 'create')
      },
      async extend() {
        const orderInForce = findInForce()
        if (!orderInForce) return
        const { contract_id } = (await buyer.send({ url: `/api/sorder/${orderInForce.id}` })).json() as OrderRow
        const payload = { type: 'extend', contract_id, period: 1 }
        const response = await buyer.send({ method: 'POST', url: '/api/contract', payload })
        if (findUnpaid())
          expect(response.json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'unpaid' } })
        else addOrder(response, 'extend')
      },
      async card(order) {
        const response = await payAndCheck(order, { token: 'pm_card_visa' })
        if (!response) return
        expect(response.json()).toEqual({ status: 'paid' })
        applyPayment(order)
      },
      async declined(order) {
        const response = await payAndCheck(order, { token: 'pm_card_visa_chargeDeclined' })
        if (!response) return
        expect(response.json()).toMatchObject({ errorCode: 'CARD_INVALID' })
        order.page = null
      },
      async open(order) {
        const response = await payAndCheck(order, {})
        if (response) order.page = (response.json() as { redirect: string }).redirect
      },
      async payPage(order) {
        if (order.page === null) return
        const page = await openGatewayPage(order.page)
        const canPay = order.state === 'unpaid'
        expect(page.status).toBe(canPay ? 200 : 404)
        if (!canPay) return
        const paidPage = await openGatewayPage(page.url, { card: '4242 4242 4242 4242' })
        const { pathname, search } = new URL(paidPage.url)
        const returnResponse = await fixture.server.send({ url: pathname + search })
        expect(returnResponse.headers.location).toMatch(/payment=paid(#return=[\w-]+)?$/)
        applyPayment(order)
      },
      async delete(order) {
        const response = await buyer.send({ method: 'DELETE', url: `/api/sorder/${order.id}` })
        const expected = { unpaid: 204, invalid: 204, paid: 409, overwritten: 409, deleted: 404 }
        expect(response.statusCode).toBe(expected[order.state])
        if (response.statusCode === 204) order.state = 'deleted'
      },
      async later() {
        fixture.server.clock.now += 8 * dayMs
        buyer = await fixture.server.signIn('order@alpha')
        for (const order of orders) if (order.state === 'unpaid') order.state = 'invalid'
      },
      async again() {
        for (const { id } of paymentSandbox.sandbox.webhooks.list().slice(-3))
          await paymentSandbox.sandbox.webhooks.send(id)
      },
    }

    for (const { do: commandName, on: index = 0 } of commands) {
      const order = orders[index % Math.max(orders.length, 1)]
      if (!order && !['create', 'later', 'again'].includes(commandName)) continue
      await runners[commandName]?.(order as ModelOrder)
      // Ends payments of orders that can no longer be paid, as the scheduled job would soon do.
      await paymentSandbox.runPaymentJobs()
    }
    await expectAgreement(orders, sumBalances() - sumBefore)
  }

  async function expectAgreement(orders: readonly ModelOrder[], takenAmount: number): Promise<void> {
    const rows = await runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      const ids = orders.map(({ id }) => id)
      if (ids.length === 0) return []
      return await db
        .selectFrom('payment')
        .innerJoin('invoice', 'invoice.order_id', 'payment.order_id')
        .select(['payment.order_id', 'payment.amount', 'payment.outcome'])
        .where('payment.order_id', 'in', ids)
        .$narrowType<{ order_id: number }>()
        .execute()
    })
    const paidOrders = orders.filter(({ state }) => state === 'paid' || state === 'overwritten')
    expect(
      rows.map(({ order_id, amount, outcome }) => ({ id: order_id, amount, outcome })).toSorted(compareById),
    ).toEqual(paidOrders.map(({ id, amount }) => ({ id, amount, outcome: 'applied' })).toSorted(compareById))
    expect(takenAmount).toBe(paidOrders.reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0))
  }
  const compareById = (a: { id: number }, b: { id: number }) => a.id - b.id

  test(
    'matches the model for any sequence of actions',
    async () => {
      fixture.server.app.payments = { ...fixture.server.app.payments, maxPaymentsPerUser: 1_000_000 }
      const sequences = fc.array(command, { minLength: 4, maxLength: 14 })
      await fc.assert(fc.asyncProperty(sequences, runCommands), { numRuns: Number(RUNS), endOnFailure: true })
    },
    20_000 + Number(RUNS) * 2_000,
  )
})
