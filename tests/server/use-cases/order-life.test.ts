/**
 * Orders against a model: people order, replace, pay, decline, turn back, delete and extend in any order, days go by, notices
 * come again. What is refused is refused for the reason that the model names, and after each sequence the
 * gateway has taken what the paid orders cost and nothing else. `RUNS` sets how many sequences.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { inTransaction } from '#server/db/transaction.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { order, type Ordered, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'

interface Known {
  id: number
  type: 'create' | 'extend'
  state: 'unpaid' | 'paid' | 'invalid' | 'overwritten' | 'deleted'
  amount: string
  /** The gateway's page for it, as long as it can be paid there. */
  page: string | null
}

const { RUNS = '10' } = process.env

const dayMs = 86_400_000
/** `on`: which of the orders made so far, counted round. */
const on = fc.nat({ max: 7 })
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('create', 'replace', 'extend') }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('card', 'declined', 'open', 'payPage', 'delete'), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('later', 'again') }) },
)
type Command = { do: string; on?: number }

describe('the life of an order (F-07, R-40)', () => {
  const the = setUpShop('embedded')
  let till: Till
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  let runs = 0

  const sum = () =>
    Object.values(till.sandbox.balances())
      .flatMap((one) => Object.values(one))
      .reduce((all, one) => all + one, 0)

  async function live(commands: readonly Command[]): Promise<void> {
    runs += 1
    const code = `life${runs}`
    const before = sum()
    const orders: Known[] = []
    let buyer = await the.server.signIn('order@alpha')
    const unpaid = () => orders.find(({ state }) => state === 'unpaid')
    const inForce = () => orders.find(({ state }) => state === 'paid')
    const isTaken = () => orders.some(({ state }) => state === 'unpaid' || state === 'paid')
    const today = () => new Date(the.server.clock.now + 8 * 3_600_000).toISOString().slice(0, 10)

    function made(answer: Awaited<ReturnType<SignedIn['send']>>, type: Known['type']) {
      expect(answer.statusCode).toBe(200)
      const { id, amount } = answer.json() as Ordered
      orders.push({ id, type, state: 'unpaid', amount, page: null })
    }
    /** Why an order cannot be paid; null: it can. */
    const refusal = { unpaid: null, paid: 'paidAlready', invalid: 'invalid', overwritten: 'replaced', deleted: 'gone' }
    async function paying(one: Known, fields: Record<string, string>) {
      const answer = await payFor(buyer, one.id, fields)
      const why = refusal[one.state]
      if (why === 'gone') expect(answer.statusCode).toBe(404)
      else if (why) expect(answer.json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why } })
      return why === null ? answer : null
    }
    function tookEffect(one: Known) {
      const former = one.type === 'extend' ? inForce() : undefined
      if (former) former.state = 'overwritten'
      one.state = 'paid'
      one.page = null
    }

    const acts: Record<string, (one: Known) => Promise<void>> = {
      async create() {
        const answer = await order(buyer, { code, period_start: today() })
        if (isTaken()) expect(answer.json()).toMatchObject({ errorCode: 'DUP_CODE' })
        else made(answer, 'create')
      },
      async replace() {
        const one = unpaid()
        if (one?.type !== 'create') return
        one.state = 'invalid'
        made(await order(buyer, { code, period_start: today(), replaces: one.id }), 'create')
      },
      async extend() {
        const base = inForce()
        if (!base) return
        const { contract_id } = (await buyer.send({ url: `/api/sorder/${base.id}` })).json() as Ordered
        const payload = { type: 'extend', contract_id, period: 1 }
        const answer = await buyer.send({ method: 'POST', url: '/api/contract', payload })
        if (unpaid()) expect(answer.json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'unpaid' } })
        else made(answer, 'extend')
      },
      async card(one) {
        const answer = await paying(one, { token: 'pm_card_visa' })
        if (!answer) return
        expect(answer.json()).toEqual({ status: 'paid' })
        tookEffect(one)
      },
      async declined(one) {
        const answer = await paying(one, { token: 'pm_card_visa_chargeDeclined' })
        if (!answer) return
        expect(answer.json()).toMatchObject({ errorCode: 'CARD_INVALID' })
        one.page = null
      },
      async open(one) {
        const answer = await paying(one, {})
        if (answer) one.page = (answer.json() as { redirect: string }).redirect
      },
      async payPage(one) {
        if (one.page === null) return
        const page = await visit(one.page)
        const canPay = one.state === 'unpaid'
        expect(page.status).toBe(canPay ? 200 : 404)
        if (!canPay) return
        const seen = await visit(page.url, { card: '4242 4242 4242 4242' })
        const { pathname, search } = new URL(seen.url)
        const back = await the.server.send({ url: pathname + search })
        expect(back.headers.location).toMatch(/payment=paid(#return=[\w-]+)?$/)
        tookEffect(one)
      },
      async delete(one) {
        const answer = await buyer.send({ method: 'DELETE', url: `/api/sorder/${one.id}` })
        const expected = { unpaid: 204, invalid: 204, paid: 409, overwritten: 409, deleted: 404 }
        expect(answer.statusCode).toBe(expected[one.state])
        if (answer.statusCode === 204) one.state = 'deleted'
      },
      async later() {
        the.server.clock.now += 8 * dayMs
        buyer = await the.server.signIn('order@alpha')
        for (const one of orders) if (one.state === 'unpaid') one.state = 'invalid'
      },
      async again() {
        for (const { id } of till.sandbox.calls.list().slice(-3)) await till.sandbox.calls.send(id)
      },
    }

    for (const { do: what, on: at = 0 } of commands) {
      const one = orders[at % Math.max(orders.length, 1)]
      if (!one && !['create', 'later', 'again'].includes(what)) continue
      await acts[what]?.(one as Known)
      // As the clock would soon: what must not be paid any more is ended at the gateway.
      await till.lookAfter()
    }
    await agree(orders, sum() - before)
  }

  async function agree(orders: readonly Known[], taken: number): Promise<void> {
    const rows = await inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
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
    const paid = orders.filter(({ state }) => state === 'paid' || state === 'overwritten')
    expect(rows.map(({ order_id, amount, outcome }) => ({ id: order_id, amount, outcome })).toSorted(byId)).toEqual(
      paid.map(({ id, amount }) => ({ id, amount, outcome: 'applied' })).toSorted(byId),
    )
    expect(taken).toBe(paid.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0))
  }
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id

  test(
    'is what the model says, whatever is done in whatever order',
    async () => {
      the.server.app.payments = { ...the.server.app.payments, perUser: 1_000_000 }
      const sequences = fc.array(command, { minLength: 4, maxLength: 14 })
      await fc.assert(fc.asyncProperty(sequences, live), { numRuns: Number(RUNS), endOnFailure: true })
    },
    20_000 + Number(RUNS) * 2_000,
  )
})
