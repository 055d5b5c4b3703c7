/** Contracts through the server's own calls: priced to the cent as agreed, changed, extended, replaced (contracts 4, 9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addYears } from '#domain/period.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { type Case, cases } from '#tests/domain/fees/goldens.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import { bought, openShop, order, type Ordered, paid, readOrder, wish } from '#tests/support/orders/shop-data.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

describe('contracts', () => {
  let server: TestServer
  let buyer: SignedIn
  let lists: number[]
  beforeAll(async () => {
    server = await startServer()
  }, 90_000)
  afterAll(() => server.close())

  async function at(day: string): Promise<void> {
    server.clock.now = Date.parse(`${day}T12:00:00+08:00`)
    buyer = await server.signIn('order@alpha')
  }
  async function afresh(day: string): Promise<void> {
    await server.reset()
    lists = await openShop(server)
    await at(day)
  }
  const ask = (payload: object, by = buyer) => by.send({ method: 'POST', url: '/api/calculate', payload })
  const change = (payload: object, by = buyer) => by.send({ method: 'POST', url: '/api/contract', payload })
  const history = async (id: number) => (await buyer.send({ url: `/api/contract/${id}/history` })).json()

  const choiceOf = ({ mode, users, modules, uat }: Case) => ({ user_mode: mode, users, modules, uat })

  /** A contract with the paid segment of a case, by an order of that day at whatever price. */
  async function withSegments(one: Case): Promise<Ordered> {
    const [segment] = 'segments' in one ? one.segments : []
    const start = segment?.start ?? addYears(one.current_period_end, -1)
    const end = segment?.end ?? one.current_period_end
    await at('2026-01-01')
    const fields = { currency: one.currency, period_start: '2026-01-01', modules: ['core', 'fin'], users: 10 }
    const made = await bought(server, buyer, fields)
    const segments = [{ start, end, annual: segment?.annual ?? '42000.00' }]
    const days = { period_start: start, period_end: end }
    await inTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const asExtended = one.kind === 'extend' ? { ...choiceOf(one), modules: JSON.stringify(one.modules) } : {}
      const row = { ...days, ...asExtended, segments: JSON.stringify(segments) }
      await db
        .updateTable('contract')
        .set(row as never)
        .where('id', '=', made.contract_id)
        .execute()
      await db
        .updateTable('service_order')
        .set(days as never)
        .where('id', '=', made.id)
        .execute()
    })
    return made
  }

  describe('cost what was agreed, to the cent', () => {
    beforeEach(() => afresh('2026-03-01'))

    test.each(cases.filter(({ kind }) => kind === 'create').map((one) => [one.id, one] as const))(
      '%s',
      async (_, one) => {
        await at(one.period_start ?? '2027-02-01')
        const fields = { ...choiceOf(one), currency: one.currency, period: one.years, period_start: one.period_start }
        const payload = { ...wish, ...fields, period_start: one.period_start ?? '2027-02-01' }
        const quote = await ask(payload)
        if (one.error) return expect(told(quote)).toEqual([409, one.error])
        const { annual, contract_amount, residual_amount, amount, period_end } = one
        expect(quote.json()).toMatchObject({ annual, contract_amount, residual_amount, amount, period_end })
        expect(quote.json().price_id).toBe(lists[one.price === 'A' ? 0 : 1])
        const { quote_id } = quote.json()
        expect((await order(buyer, { ...fields, quote_id })).json()).toMatchObject({
          amount,
          pay_amount: amount,
          status: 0,
          expired_date: one.shown_expiry,
        })
      },
    )

    const builds = cases.filter(({ kind }) => kind === 'change' || kind === 'extend')
    test.each(builds.map((one) => [one.id, one] as const))('%s', async (_, one) => {
      const { contract_id } = await withSegments(one)
      await at(one.today)
      const years = one.kind === 'extend' ? { period: one.years } : {}
      const payload = { type: one.kind, contract_id, ...choiceOf(one), ...years }
      const quote = await ask(payload)
      const { contract_amount, residual_amount, amount, period_end } = one
      expect(quote.json()).toMatchObject({ contract_amount, residual_amount, amount, period_end })
      expect(quote.json().annual).toBe(one.annual ?? one.annualFee)
      const made = (await change({ ...payload, quote_id: quote.json().quote_id })).json()
      expect(made).toMatchObject({ amount, status: amount === '0.00' ? 1 : 0, expired_date: one.shown_expiry })
    })
  })

  describe('a quote', () => {
    beforeEach(() => afresh('2026-03-02'))

    test('says how it came about, by which list, and until when it stands', async () => {
      const quote = (await ask(wish)).json()
      expect(quote).toMatchObject({
        amount: '42000.00',
        price_id: lists[0],
        effective_date: '2026-01-01',
        valid_until: '2026-03-02 23:59:59',
        modules: [
          { code: 'core', name: 'Core', price: '12000.00', auto: 0 },
          { code: 'fin', name: 'Finance', price: '18000.00', auto: 0 },
          { code: 'base', name: 'Platform', price: '0.00', auto: 1 },
        ],
      })
      expect(quote.steps.at(-1)).toMatchObject({ code: 'due', rule: 'D14', amount: '42000.00' })
      expect((await ask(wish)).json()).toEqual(quote)
      // A price is asked for before the service has a name.
      const { code: _code, name: _name, ...unnamed } = wish
      expect((await ask(unnamed)).json().amount).toBe('42000.00')
    })

    test('that no longer holds is told with both figures, and nothing is ordered (D17)', async () => {
      const { quote_id } = (await ask(wish)).json()
      await at('2027-01-05')
      const later = { period_start: '2027-01-05' }
      const refused = await order(buyer, { ...later, quote_id })
      expect(told(refused)).toEqual([409, 'QUOTE_CHANGED'])
      expect(refused.json().data).toMatchObject({
        shown: { amount: '42000.00', price_id: lists[0] },
        now: { amount: '44100.00', price_id: lists[1] },
      })
      const again = await order(buyer, { ...later, quote_id: refused.json().data.now.quote_id })
      expect(again.json().amount).toBe('44100.00')
    })

    test('is of that wish and that company alone, and a figure of the client’s counts for nothing (S-17)', async () => {
      const { quote_id } = (await ask(wish)).json()
      expect(told(await order(buyer, { users: 11, quote_id }))).toEqual([409, 'QUOTE_CHANGED'])
      expect(told(await order(await server.signIn('order@beta'), { quote_id }))).toEqual([409, 'QUOTE_CHANGED'])
      const tampered = await order(buyer, { amount: '1.00' })
      expect([told(tampered), tampered.json().data.shown]).toEqual([
        [409, 'QUOTE_CHANGED'],
        { amount: '1.00', price_id: null },
      ])
      expect((await order(buyer, { amount: '1.00', quote_id })).json().amount).toBe('42000.00')
    })

    test('of an offline device is compared by list and amount', async () => {
      expect(told(await order(buyer, { price_id: lists[1] }))).toEqual([409, 'QUOTE_CHANGED'])
      expect((await order(buyer, { price_id: lists[0], amount: '42000.00' })).statusCode).toBe(200)
    })

    test('needs a list in force, and names the fields that are wrong', async () => {
      expect(wrong(await ask({ ...wish, users: 'many' }))).toEqual(['users INVALID_FORMAT'])
      await server.reset()
      buyer = await server.signIn('order@alpha')
      expect((await ask(wish)).json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'noPriceList' } })
    })
  })

  describe('in effect', () => {
    let live: Ordered
    beforeEach(async () => {
      await afresh('2026-03-02')
      live = await bought(server, buyer)
    })
    const more = () => ({ type: 'change', contract_id: live.contract_id, users: 11 })

    test('have a number of their own and one history (D90)', async () => {
      expect(live).toMatchObject({ status: 1, contract: 'C202603000001', due: null, pending: null })
      const other = await bought(server, buyer, { code: 'other' })
      expect(other.contract).toBe('C202603000002')
      expect(await history(live.contract_id)).toMatchObject([{ code: 'C202603000001', status: 1, order_id: live.id }])
    })

    test('are replaced by a paid change: the old one reads as 2 there and 3 here (T4, D27, D28)', async () => {
      await at('2026-09-14')
      const waiting = (await change(more())).json()
      expect(waiting).toMatchObject({ type: 'change', status: 0, contract_id: 0, name: 'Shop', code: 'shop' })
      expect(await readOrder(buyer, live.id)).toMatchObject({
        status: 1,
        pending: { id: waiting.id, type: 'change', amount: waiting.amount, due: '2026-09-21 23:59:59' },
      })
      await paid(server, waiting)
      const now = await readOrder(buyer, waiting.id)
      expect(now).toMatchObject({ status: 1, contract: 'C202609000002' })
      expect(await readOrder(buyer, live.id)).toMatchObject({ status: 3, state: 'overwritten', pending: null })
      expect((await history(now.contract_id)).map((one: Ordered) => [one.code, one.status])).toEqual([
        ['C202609000002', 1],
        ['C202603000001', 2],
      ])
      const url = `/api/company/${server.world.companies.alpha}/sorder`
      expect((await buyer.send({ url })).json().data).toMatchObject([{ id: now.id, pending: null }])
      expect((await change(more())).json().data).toEqual({ why: 'replaced' })
    })

    test('have one order that waits; another takes its place by naming it (D32)', async () => {
      const first = (await change(more())).json()
      const refused = await change({ ...more(), users: 12 })
      expect(told(refused)).toEqual([409, 'STATE_CONFLICT'])
      expect(refused.json().data).toMatchObject({ why: 'unpaid', unpaid: { id: first.id, type: 'change' } })
      const second = (await change({ ...more(), users: 12, replaces: first.id })).json()
      expect(await readOrder(buyer, first.id)).toMatchObject({ status: -1 })
      expect((await readOrder(buyer, live.id)).pending).toMatchObject({ id: second.id })
      const remove = (id: number) => buyer.send({ method: 'DELETE', url: `/api/contract/${id}` })
      expect((await remove(second.id)).statusCode).toBe(204)
      expect(await readOrder(buyer, live.id)).toMatchObject({ status: 1, pending: null })
      expect(told(await remove(live.id))).toEqual([404, 'NOT_FOUND'])
    })

    test('are unpaid to the filter while their change can be paid, and effective to it all the time (D35)', async () => {
      const found = async (status: number) => {
        const url = `/api/company/${server.world.companies.alpha}/sorder?status=${status}`
        const { count, data } = (await buyer.send({ url })).json()
        expect(data).toHaveLength(count)
        return data.map((one: Ordered) => one.id)
      }
      expect([await found(0), await found(1)]).toEqual([[], [live.id]])
      await change(more())
      expect([await found(0), await found(1)]).toEqual([[live.id], [live.id]])
      await at('2026-03-10')
      expect([await found(0), await found(1)]).toEqual([[], [live.id]])
    })

    test('an order that waited too long disappears, and the contract stays as it is (D30)', async () => {
      const { id } = (await change(more())).json()
      await at('2026-03-10')
      expect(await readOrder(buyer, live.id)).toMatchObject({ status: 1, pending: null })
      expect(await readOrder(buyer, id)).toMatchObject({ status: -1 })
      expect((await change(more())).statusCode).toBe(200)
    })

    test('get smaller without anything being returned, at once (D14, D15)', async () => {
      const smaller = { ...more(), users: 5, modules: ['core'] }
      const { discarded_amount: confirm_discard } = (await ask(smaller)).json()
      const made = (await change({ ...smaller, confirm_discard })).json()
      expect(made).toMatchObject({ amount: '0.00', status: 1, contract: 'C202603000002', expired_date: '2027-03-01' })
      expect(await readOrder(buyer, live.id)).toMatchObject({ status: 3 })
    })

    test('unchanged under a newer list is refused (D12)', async () => {
      const same = { type: 'change', contract_id: live.contract_id }
      expect((await ask(same)).json().amount).toBe('0.00')
      await at('2027-01-05')
      expect(told(await change(same))).toEqual([409, 'NOTHING_CHANGED'])
    })

    test('are extended as they are; what else is wanted is a change (D16)', async () => {
      const extend = { type: 'extend', contract_id: live.contract_id, period: 2 }
      expect(wrong(await change({ ...extend, users: 20 }))).toEqual(['users LOCKED'])
      expect(wrong(await change({ ...extend, period: undefined }))).toEqual(['period REQUIRED'])
      const made = (await change(extend)).json()
      expect(made).toMatchObject({ amount: '84000.00', period_start: '2027-03-02', period_end: '2029-03-02' })
      await paid(server, made)
      const now = await readOrder(buyer, made.id)
      const [row] = await history(now.contract_id)
      expect(row).toMatchObject({ period_start: '2026-03-02', period_end: '2029-03-02', status: 1 })
      // Each stretch at what it was sold at: from these a device works out what a change costs (D12, D89).
      expect(row.segments).toEqual([
        { start: '2026-03-02', end: '2027-03-02', annual: '42000.00' },
        { start: '2027-03-02', end: '2029-03-02', annual: '42000.00' },
      ])
      // Nothing changed costs nothing over both stretches (D12).
      expect((await ask({ type: 'change', contract_id: now.contract_id })).json().amount).toBe('0.00')
    })

    test('expired are extended from today with what is on the list by now, and not changed (D29)', async () => {
      await at('2027-06-01')
      const base = { contract_id: live.contract_id }
      expect((await change({ ...base, type: 'change', users: 11 })).json().data).toEqual({ why: 'extendFirst' })
      const made = (await change({ ...base, type: 'extend', period: 1, users: 20, modules: ['core'] })).json()
      expect(made).toMatchObject({ period_start: '2027-06-01', users: 20, modules: ['core'] })
      await paid(server, made)
      const now = await readOrder(buyer, made.id)
      expect((await history(now.contract_id))[0]).toMatchObject({
        period_start: '2027-06-01',
        period_end: '2028-06-01',
      })
    })

    test('extended on the day they ended begin anew; paid for on it, they go on (D12, T3)', async () => {
      const extend = { type: 'extend', contract_id: live.contract_id, period: 1 }
      const startOf = async ({ id }: Ordered) => {
        const [row] = await history((await readOrder(buyer, id)).contract_id)
        return row.period_start
      }
      await at('2027-03-01')
      const before = (await change(extend)).json()
      await at('2027-03-02')
      await paid(server, before)
      expect(await startOf(before)).toBe('2026-03-02')
      const { contract_id } = await readOrder(buyer, before.id)
      await at('2028-03-02')
      const after = (await change({ ...extend, contract_id })).json()
      await paid(server, after)
      expect(await startOf(after)).toBe('2028-03-02')
    })

    test('of another company are not there, nor for staff without the flag (N-03)', async () => {
      const foreign = await server.signIn('order@beta')
      expect(told(await ask(more(), foreign))).toEqual([404, 'NOT_FOUND'])
      expect(told(await change(more(), foreign))).toEqual([404, 'NOT_FOUND'])
      expect(told(await foreign.send({ url: `/api/contract/${live.contract_id}/history` }))).toEqual([404, 'NOT_FOUND'])
      expect(told(await change(more(), await server.signIn('admin@m18')))).toEqual([403, 'FORBIDDEN'])
      const staff = await server.signIn('second@m18')
      expect((await ask(more(), staff)).statusCode).toBe(200)
      expect((await change(more(), staff)).json()).toMatchObject({ company_id: server.world.companies.alpha })
    })
  })
})
