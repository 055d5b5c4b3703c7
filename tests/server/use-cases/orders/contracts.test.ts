/** Tests contracts through the server's calls: exact prices, changes, extensions and replacements (contracts 4, 9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addYears } from '#domain/plain-dates.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { type GoldenCase, cases } from '#tests/domain/fees/goldens.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import {
  buyOrder,
  openShop,
  placeOrder,
  type OrderRow,
  payOrder,
  readOrder,
  orderInput,
} from '#tests/support/orders/shop-data.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

describe('contracts', () => {
  let server: TestServer
  let buyer: SignedIn
  let priceListIds: number[]
  beforeAll(async () => {
    server = await startServer()
  }, 90_000)
  afterAll(() => server.close())

  async function setDay(day: string): Promise<void> {
    server.clock.now = Date.parse(`${day}T12:00:00+08:00`)
    buyer = await server.signIn('order@alpha')
  }
  async function resetShopOn(day: string): Promise<void> {
    await server.reset()
    priceListIds = await openShop(server)
    await setDay(day)
  }
  const calculate = (payload: object, caller = buyer) => caller.send({ method: 'POST', url: '/api/calculate', payload })
  const change = (payload: object, caller = buyer) => caller.send({ method: 'POST', url: '/api/contract', payload })
  const readHistory = async (id: number) => (await buyer.send({ url: `/api/contract/${id}/history` })).json()

  const toContractChoice = ({ mode, users, modules, uat }: GoldenCase) => ({ user_mode: mode, users, modules, uat })

  /**
   * Creates a contract with the paid segment of the example: it is ordered on 2026-01-01 at any price, and then changed in the database.
   */
  async function createWithSegments(feeCase: GoldenCase): Promise<OrderRow> {
    const [segment] = 'segments' in feeCase ? feeCase.segments : []
    const start = segment?.start ?? addYears(feeCase.current_period_end, -1)
    const end = segment?.end ?? feeCase.current_period_end
    await setDay('2026-01-01')
    const fields = { currency: feeCase.currency, period_start: '2026-01-01', modules: ['core', 'fin'], users: 10 }
    const order = await buyOrder(server, buyer, fields)
    const segments = [{ start, end, annual: segment?.annual ?? '42000.00' }]
    const days = { period_start: start, period_end: end }
    await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const asExtended =
        feeCase.kind === 'extend' ? { ...toContractChoice(feeCase), modules: JSON.stringify(feeCase.modules) } : {}
      const row = { ...days, ...asExtended, segments: JSON.stringify(segments) }
      await db
        .updateTable('contract')
        .set(row as never)
        .where('id', '=', order.contract_id)
        .execute()
      await db
        .updateTable('service_order')
        .set(days as never)
        .where('id', '=', order.id)
        .execute()
    })
    return order
  }

  describe('the fees of the agreed examples', () => {
    beforeEach(() => resetShopOn('2026-03-01'))

    test.each(cases.filter(({ kind }) => kind === 'create').map((feeCase) => [feeCase.id, feeCase] as const))(
      'match to the cent for the new contract %s',
      async (_, feeCase) => {
        await setDay(feeCase.period_start ?? '2027-02-01')
        const fields = {
          ...toContractChoice(feeCase),
          currency: feeCase.currency,
          period: feeCase.years,
          period_start: feeCase.period_start,
        }
        const payload = { ...orderInput, ...fields, period_start: feeCase.period_start ?? '2027-02-01' }
        const quoteResponse = await calculate(payload)
        if (feeCase.error) return expect(readStatusAndCode(quoteResponse)).toEqual([409, feeCase.error])
        const { annual, contract_amount, residual_amount, amount, period_end } = feeCase
        expect(quoteResponse.json()).toMatchObject({ annual, contract_amount, residual_amount, amount, period_end })
        expect(quoteResponse.json().price_id).toBe(priceListIds[feeCase.price === 'A' ? 0 : 1])
        const { quote_id } = quoteResponse.json()
        expect((await placeOrder(buyer, { ...fields, quote_id })).json()).toMatchObject({
          amount,
          pay_amount: amount,
          status: 0,
          expired_date: feeCase.shown_expiry,
        })
      },
    )

    const changeCases = cases.filter(({ kind }) => kind === 'change' || kind === 'extend')
    test.each(changeCases.map((feeCase) => [feeCase.id, feeCase] as const))(
      'match to the cent for the change or extension %s',
      async (_, feeCase) => {
        const { contract_id } = await createWithSegments(feeCase)
        await setDay(feeCase.today)
        const years = feeCase.kind === 'extend' ? { period: feeCase.years } : {}
        const payload = { type: feeCase.kind, contract_id, ...toContractChoice(feeCase), ...years }
        const quoteResponse = await calculate(payload)
        const { contract_amount, residual_amount, amount, period_end } = feeCase
        expect(quoteResponse.json()).toMatchObject({ contract_amount, residual_amount, amount, period_end })
        expect(quoteResponse.json().annual).toBe(feeCase.annual ?? feeCase.annualFee)
        const order = (await change({ ...payload, quote_id: quoteResponse.json().quote_id })).json()
        expect(order).toMatchObject({ amount, status: amount === '0.00' ? 1 : 0, expired_date: feeCase.shown_expiry })
      },
    )
  })

  describe('a quote', () => {
    beforeEach(() => resetShopOn('2026-03-02'))

    test('returns its steps, its price list and its validity', async () => {
      const quote = (await calculate(orderInput)).json()
      expect(quote).toMatchObject({
        amount: '42000.00',
        price_id: priceListIds[0],
        effective_date: '2026-01-01',
        valid_until: '2026-03-02 23:59:59',
        modules: [
          { code: 'core', name: 'Core', price: '12000.00', auto: 0 },
          { code: 'fin', name: 'Finance', price: '18000.00', auto: 0 },
          { code: 'base', name: 'Platform', price: '0.00', auto: 1 },
        ],
      })
      expect(quote.steps.at(-1)).toMatchObject({ code: 'due', rule: 'D14', amount: '42000.00' })
      expect((await calculate(orderInput)).json()).toEqual(quote)
      // A quote does not need the name of the service.
      const { code: _code, name: _name, ...unnamed } = orderInput
      expect((await calculate(unnamed)).json().amount).toBe('42000.00')
    })

    test('is refused with both amounts if it is outdated, and nothing is ordered (D17)', async () => {
      const { quote_id } = (await calculate(orderInput)).json()
      await setDay('2027-01-05')
      const laterStart = { period_start: '2027-01-05' }
      const refusal = await placeOrder(buyer, { ...laterStart, quote_id })
      expect(readStatusAndCode(refusal)).toEqual([409, 'QUOTE_CHANGED'])
      expect(refusal.json().data).toMatchObject({
        shown: { amount: '42000.00', price_id: priceListIds[0] },
        now: { amount: '44100.00', price_id: priceListIds[1] },
      })
      const response = await placeOrder(buyer, { ...laterStart, quote_id: refusal.json().data.now.quote_id })
      expect(response.json().amount).toBe('44100.00')
    })

    test('is valid for its input and company only, and ignores amounts of the client (S-17)', async () => {
      const { quote_id } = (await calculate(orderInput)).json()
      expect(readStatusAndCode(await placeOrder(buyer, { users: 11, quote_id }))).toEqual([409, 'QUOTE_CHANGED'])
      expect(readStatusAndCode(await placeOrder(await server.signIn('order@beta'), { quote_id }))).toEqual([
        409,
        'QUOTE_CHANGED',
      ])
      const tamperedResponse = await placeOrder(buyer, { amount: '1.00' })
      expect([readStatusAndCode(tamperedResponse), tamperedResponse.json().data.shown]).toEqual([
        [409, 'QUOTE_CHANGED'],
        { amount: '1.00', price_id: null },
      ])
      expect((await placeOrder(buyer, { amount: '1.00', quote_id })).json().amount).toBe('42000.00')
    })

    test('is compared by list and amount if an offline device calculated it', async () => {
      expect(readStatusAndCode(await placeOrder(buyer, { price_id: priceListIds[1] }))).toEqual([409, 'QUOTE_CHANGED'])
      expect((await placeOrder(buyer, { price_id: priceListIds[0], amount: '42000.00' })).statusCode).toBe(200)
    })

    test('requires a list in force, and names invalid fields', async () => {
      expect(readFieldErrors(await calculate({ ...orderInput, users: 'many' }))).toEqual(['users INVALID_FORMAT'])
      await server.reset()
      buyer = await server.signIn('order@alpha')
      expect((await calculate(orderInput)).json()).toMatchObject({
        errorCode: 'STATE_CONFLICT',
        data: { why: 'noPriceList' },
      })
    })
  })

  describe('active contracts', () => {
    let liveOrder: OrderRow
    beforeEach(async () => {
      await resetShopOn('2026-03-02')
      liveOrder = await buyOrder(server, buyer)
    })
    const buildUserChange = () => ({ type: 'change', contract_id: liveOrder.contract_id, users: 11 })

    test('have numbers and histories of their own (D90)', async () => {
      expect(liveOrder).toMatchObject({ status: 1, contract: 'C202603000001', due: null, pending: null })
      const otherOrder = await buyOrder(server, buyer, { code: 'other' })
      expect(otherOrder.contract).toBe('C202603000002')
      expect(await readHistory(liveOrder.contract_id)).toMatchObject([
        { code: 'C202603000001', status: 1, order_id: liveOrder.id },
      ])
    })

    test('are replaced by a paid change, with status 2 in the history and 3 in the order (T4, D27, D28)', async () => {
      await setDay('2026-09-14')
      const pendingOrder = (await change(buildUserChange())).json()
      expect(pendingOrder).toMatchObject({ type: 'change', status: 0, contract_id: 0, name: 'Shop', code: 'shop' })
      expect(await readOrder(buyer, liveOrder.id)).toMatchObject({
        status: 1,
        pending: { id: pendingOrder.id, type: 'change', amount: pendingOrder.amount, due: '2026-09-21 23:59:59' },
      })
      await payOrder(server, pendingOrder)
      const currentOrder = await readOrder(buyer, pendingOrder.id)
      expect(currentOrder).toMatchObject({ status: 1, contract: 'C202609000002' })
      expect(await readOrder(buyer, liveOrder.id)).toMatchObject({ status: 3, state: 'overwritten', pending: null })
      expect((await readHistory(currentOrder.contract_id)).map((row: OrderRow) => [row.code, row.status])).toEqual([
        ['C202609000002', 1],
        ['C202603000001', 2],
      ])
      const url = `/api/company/${server.world.companies.alpha}/sorder`
      expect((await buyer.send({ url })).json().data).toMatchObject([{ id: currentOrder.id, pending: null }])
      expect((await change(buildUserChange())).json().data).toEqual({ why: 'replaced' })
    })

    test('have at most one unpaid order, which another order can replace by its id (D32)', async () => {
      const first = (await change(buildUserChange())).json()
      const refusal = await change({ ...buildUserChange(), users: 12 })
      expect(readStatusAndCode(refusal)).toEqual([409, 'STATE_CONFLICT'])
      expect(refusal.json().data).toMatchObject({ why: 'unpaid', unpaid: { id: first.id, type: 'change' } })
      const second = (await change({ ...buildUserChange(), users: 12, replaces: first.id })).json()
      expect(await readOrder(buyer, first.id)).toMatchObject({ status: -1 })
      expect((await readOrder(buyer, liveOrder.id)).pending).toMatchObject({ id: second.id })
      const remove = (id: number) => buyer.send({ method: 'DELETE', url: `/api/contract/${id}` })
      expect((await remove(second.id)).statusCode).toBe(204)
      expect(await readOrder(buyer, liveOrder.id)).toMatchObject({ status: 1, pending: null })
      expect(readStatusAndCode(await remove(liveOrder.id))).toEqual([404, 'NOT_FOUND'])
    })

    test('match the filters for unpaid and active while a change can be paid (D35)', async () => {
      const listOrderIds = async (status: number) => {
        const url = `/api/company/${server.world.companies.alpha}/sorder?status=${status}`
        const { count, data } = (await buyer.send({ url })).json()
        expect(data).toHaveLength(count)
        return data.map((row: OrderRow) => row.id)
      }
      expect([await listOrderIds(0), await listOrderIds(1)]).toEqual([[], [liveOrder.id]])
      await change(buildUserChange())
      expect([await listOrderIds(0), await listOrderIds(1)]).toEqual([[liveOrder.id], [liveOrder.id]])
      await setDay('2026-03-10')
      expect([await listOrderIds(0), await listOrderIds(1)]).toEqual([[], [liveOrder.id]])
    })

    test('do not change when an unpaid order expires (D30)', async () => {
      const { id } = (await change(buildUserChange())).json()
      await setDay('2026-03-10')
      expect(await readOrder(buyer, liveOrder.id)).toMatchObject({ status: 1, pending: null })
      expect(await readOrder(buyer, id)).toMatchObject({ status: -1 })
      expect((await change(buildUserChange())).statusCode).toBe(200)
    })

    test('are reduced immediately without a refund (D14, D15)', async () => {
      const smallerChange = { ...buildUserChange(), users: 5, modules: ['core'] }
      const { discarded_amount: confirm_discard } = (await calculate(smallerChange)).json()
      const order = (await change({ ...smallerChange, confirm_discard })).json()
      expect(order).toMatchObject({ amount: '0.00', status: 1, contract: 'C202603000002', expired_date: '2027-03-01' })
      expect(await readOrder(buyer, liveOrder.id)).toMatchObject({ status: 3 })
    })

    test('reject a change that changes nothing under a newer list (D12)', async () => {
      const emptyChange = { type: 'change', contract_id: liveOrder.contract_id }
      expect((await calculate(emptyChange)).json().amount).toBe('0.00')
      await setDay('2027-01-05')
      expect(readStatusAndCode(await change(emptyChange))).toEqual([409, 'NOTHING_CHANGED'])
    })

    test('are extended without other changes, which need a change of the contract (D16)', async () => {
      const extension = { type: 'extend', contract_id: liveOrder.contract_id, period: 2 }
      expect(readFieldErrors(await change({ ...extension, users: 20 }))).toEqual(['users LOCKED'])
      expect(readFieldErrors(await change({ ...extension, period: undefined }))).toEqual(['period REQUIRED'])
      const order = (await change(extension)).json()
      expect(order).toMatchObject({ amount: '84000.00', period_start: '2027-03-02', period_end: '2029-03-02' })
      await payOrder(server, order)
      const currentOrder = await readOrder(buyer, order.id)
      const [row] = await readHistory(currentOrder.contract_id)
      expect(row).toMatchObject({ period_start: '2026-03-02', period_end: '2029-03-02', status: 1 })
      // Each segment has the price at which it was sold. A device calculates the cost of a change from them (D12, D89).
      expect(row.segments).toEqual([
        { start: '2026-03-02', end: '2027-03-02', annual: '42000.00' },
        { start: '2027-03-02', end: '2029-03-02', annual: '42000.00' },
      ])
      expect((await calculate({ type: 'change', contract_id: currentOrder.contract_id })).json().amount).toBe('0.00')
    })

    test('are extended from today under the current list after their end, and then cannot be changed (D29)', async () => {
      await setDay('2027-06-01')
      const base = { contract_id: liveOrder.contract_id }
      expect((await change({ ...base, type: 'change', users: 11 })).json().data).toEqual({ why: 'extendFirst' })
      const order = (await change({ ...base, type: 'extend', period: 1, users: 20, modules: ['core'] })).json()
      expect(order).toMatchObject({ period_start: '2027-06-01', users: 20, modules: ['core'] })
      await payOrder(server, order)
      const currentOrder = await readOrder(buyer, order.id)
      expect((await readHistory(currentOrder.contract_id))[0]).toMatchObject({
        period_start: '2027-06-01',
        period_end: '2028-06-01',
      })
    })

    test('restart if extended after their last day, and continue if the extension was ordered by then (D12, T3)', async () => {
      const extension = { type: 'extend', contract_id: liveOrder.contract_id, period: 1 }
      const readPeriodStart = async ({ id }: OrderRow) => {
        const [row] = await readHistory((await readOrder(buyer, id)).contract_id)
        return row.period_start
      }
      await setDay('2027-03-01')
      const orderBeforeEnd = (await change(extension)).json()
      await setDay('2027-03-02')
      await payOrder(server, orderBeforeEnd)
      expect(await readPeriodStart(orderBeforeEnd)).toBe('2026-03-02')
      const { contract_id } = await readOrder(buyer, orderBeforeEnd.id)
      await setDay('2028-03-02')
      const orderOnEndDay = (await change({ ...extension, contract_id })).json()
      await payOrder(server, orderOnEndDay)
      expect(await readPeriodStart(orderOnEndDay)).toBe('2028-03-02')
    })

    test('return 404 to other companies, and 403 to staff without the order right (N-03)', async () => {
      const foreignBuyer = await server.signIn('order@beta')
      expect(readStatusAndCode(await calculate(buildUserChange(), foreignBuyer))).toEqual([404, 'NOT_FOUND'])
      expect(readStatusAndCode(await change(buildUserChange(), foreignBuyer))).toEqual([404, 'NOT_FOUND'])
      expect(
        readStatusAndCode(await foreignBuyer.send({ url: `/api/contract/${liveOrder.contract_id}/history` })),
      ).toEqual([404, 'NOT_FOUND'])
      expect(readStatusAndCode(await change(buildUserChange(), await server.signIn('admin@m18')))).toEqual([
        403,
        'FORBIDDEN',
      ])
      const staff = await server.signIn('second@m18')
      expect((await calculate(buildUserChange(), staff)).statusCode).toBe(200)
      expect((await change(buildUserChange(), staff)).json()).toMatchObject({
        company_id: server.world.companies.alpha,
      })
    })
  })
})
