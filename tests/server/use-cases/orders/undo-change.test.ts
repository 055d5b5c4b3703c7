/**
 * Tests that a change which discards money must be confirmed with the amount, and can be undone until the end of the day (contracts 9,
 * D14).
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { buyOrder, type OrderRow, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('a change that discards money', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  let originalOrder: OrderRow
  const setClock = async (moment: string) => {
    fixture.server.clock.now = Date.parse(`${moment}+08:00`)
    buyer = await fixture.server.signIn('order@alpha')
  }
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    originalOrder = await buyOrder(fixture.server, buyer, { users: 25, uat: 1 })
    await setClock('2026-09-14T12:00:00')
  })

  const post = (url: string, payload: object = {}, caller = buyer, headers: Record<string, string> = {}) =>
    caller.send({ method: 'POST', url, payload, headers })
  const buildReduction = (overrides: object = {}) => ({
    type: 'change',
    contract_id: originalOrder.contract_id,
    users: 10,
    uat: 0,
    ...overrides,
  })
  const requestQuote = async (overrides: object = {}) =>
    (await post('/api/calculate', buildReduction(overrides))).json()
  const readHistory = async ({ contract_id: id }: OrderRow) =>
    (await buyer.send({ url: `/api/contract/${id}/history` })).json() as (OrderRow & { segments: object[] })[]
  const undo = (contract: number, caller = buyer, headers: Record<string, string> = {}) =>
    post(`/api/contract/${contract}/undo`, {}, caller, headers)
  const readReason = (response: Awaited<ReturnType<typeof undo>>) => [response.statusCode, response.json().data?.why]

  async function reduceContract(overrides: object = {}): Promise<OrderRow> {
    const { discarded_amount: confirm_discard } = await requestQuote(overrides)
    const response = await post('/api/contract', buildReduction({ confirm_discard, ...overrides }))
    expect(response.statusCode).toBe(200)
    return response.json()
  }

  test('A quote returns the sum that is not refunded, or 0.00 (fault 4a)', async () => {
    // 25 users with UAT cost 68,400.00 a year, and 10 users without UAT 42,000.00. 169 days are left.
    const { amount, residual_amount, contract_amount, discarded_amount } = await requestQuote()
    expect({ amount, residual_amount, contract_amount, discarded_amount }).toEqual({
      amount: '0.00',
      residual_amount: '31670.14',
      contract_amount: '19446.58',
      discarded_amount: '12223.56',
    })
    for (const overrides of [{ users: 60 }, { users: 25, uat: 1 }, { type: 'extend', users: 25, uat: 1, period: 1 }])
      expect(await requestQuote(overrides)).toMatchObject({ discarded_amount: '0.00' })
  })

  test.each([
    ['fewer users', { users: 10, uat: 1 }],
    ['one module less', { users: 25, uat: 1, modules: ['core'] }],
    ['no UAT system', { users: 25, uat: 0 }],
  ])('The order is refused with the discarded sum until that sum is confirmed: %s (fault 4a)', async (_, overrides) => {
    const { discarded_amount: sum, quote_id } = await requestQuote(overrides)
    expect(Number(sum)).toBeGreaterThan(0)
    for (const wrongFields of [{}, { confirm_discard: '0.00' }, { confirm_discard: '1.00' }]) {
      const refusal = await post('/api/contract', buildReduction({ ...overrides, quote_id, ...wrongFields }))
      expect(readStatusAndCode(refusal)).toEqual([409, 'DISCARD_CONFIRM'])
      expect(refusal.json().data).toEqual({ discarded_amount: sum, currency: 'HKD' })
    }
    expect(await readOrder(buyer, originalOrder.id)).toMatchObject({ state: 'effective', pending: null })
    const response = await post('/api/contract', buildReduction({ ...overrides, quote_id, confirm_discard: sum }))
    expect(response.json()).toMatchObject({ state: 'effective', amount: '0.00' })
  })

  test('A change that discards no money needs no confirmation (fault 4a)', async () => {
    expect((await requestQuote({ users: 60, uat: 1 })).discarded_amount).toBe('0.00')
    const response = await post('/api/contract', buildReduction({ users: 60, uat: 1 }))
    expect([response.statusCode, response.json().state]).toEqual([200, 'unpaid'])
  })

  test('An undo is an order with the amount 0.00 that restores the contract exactly (fault 4b)', async () => {
    const [formerContract] = await readHistory(originalOrder)
    const reducedOrder = await reduceContract({ modules: ['core'] })
    expect(reducedOrder.undo_until).toBe('2026-09-14 23:59:59')
    const restoredOrder = (await undo(reducedOrder.contract_id)).json() as OrderRow
    expect(restoredOrder).toMatchObject({ type: 'change', state: 'effective', amount: '0.00', pay_amount: '0.00' })
    expect(await readOrder(buyer, reducedOrder.id)).toMatchObject({ state: 'overwritten', undo_until: null })
    const [currentContract, undoneContract] = await readHistory(restoredOrder)
    const sameFields = [
      'segments',
      'users',
      'user_mode',
      'modules',
      'uat',
      'price_id',
      'currency',
      'client_type',
    ] as const
    for (const field of [...sameFields, 'period', 'period_start', 'period_end', 'expired_date'])
      expect([field, currentContract?.[field]]).toEqual([field, formerContract?.[field]])
    expect(currentContract).toMatchObject({ amount: '0.00', state: 'effective', restores: formerContract?.['code'] })
    expect(undoneContract).toMatchObject({ id: reducedOrder.contract_id, state: 'overwritten', restores: null })
    // A year costs the same as before, for an extension and for a change without differences.
    const restoredContract = { contract_id: restoredOrder.contract_id }
    const extensionQuote = await post('/api/calculate', { ...restoredContract, type: 'extend', period: 1 })
    expect(extensionQuote.json().amount).toBe('68400.00')
    const unchangedQuote = await post('/api/calculate', { ...restoredContract, type: 'change' })
    expect(unchangedQuote.json()).toMatchObject({
      amount: '0.00',
      discarded_amount: '0.00',
      residual_amount: '31670.14',
    })
  })

  test('An undo appears in the trail and in print, without an invoice (fault 4b)', async () => {
    const reducedOrder = await reduceContract()
    const restoredOrder = (await undo(reducedOrder.contract_id)).json() as OrderRow & { contract: string }
    const admin = await fixture.server.signIn('admin@alpha')
    const [entry] = (await admin.send({ url: '/api/systrail?code=order&results=10' })).json().data
    expect(entry).toMatchObject({
      operation: 'update',
      status: 0,
      info: {
        ContractCode: restoredOrder.contract,
        Undoes: reducedOrder['contract'],
        Restores: originalOrder['contract'],
      },
    })
    const printResponse = await post('/api/print', { kind: 'contract', id: restoredOrder.contract_id })
    const { body } = await buyer.send({ url: new URL(printResponse.json().url, 'http://x').pathname })
    expect(body).toContain(restoredOrder.contract)
    expect(body).toContain('31,670.14')
    const invoices = await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('invoice').select('order_id').execute(),
    )
    expect(invoices).toEqual([{ order_id: originalOrder.id }])
  })

  test('An undo is possible until the last second of the day in the business time zone (fault 4b)', async () => {
    // In UTC it is still the day before.
    await setClock('2026-09-14T00:30:00')
    const reducedOrder = await reduceContract()
    await setClock('2026-09-15T00:00:00')
    expect(readReason(await undo(reducedOrder.contract_id))).toEqual([409, 'tooLate'])
    expect(await readOrder(buyer, reducedOrder.id)).toMatchObject({ undo_until: null })
    await setClock('2026-09-14T23:59:59')
    expect(await readOrder(buyer, reducedOrder.id)).toMatchObject({ undo_until: '2026-09-14 23:59:59' })
    expect((await undo(reducedOrder.contract_id)).statusCode).toBe(200)
  })

  test('An undo is refused after another order, whether unpaid, paid or a change (fault 4b)', async () => {
    const reducedOrder = await reduceContract()
    const response = await post('/api/contract', { type: 'extend', contract_id: reducedOrder.contract_id, period: 1 })
    expect(readReason(await undo(reducedOrder.contract_id))).toEqual([409, 'anotherOrderFollowed'])
    expect(await readOrder(buyer, reducedOrder.id)).toMatchObject({ undo_until: null })
    // The following order is deleted, so the change can be undone again.
    await buyer.send({ method: 'DELETE', url: `/api/contract/${response.json().id}` })
    expect(await readOrder(buyer, reducedOrder.id)).toMatchObject({ undo_until: '2026-09-14 23:59:59' })
    const changeResponse = await post('/api/contract', {
      type: 'change',
      contract_id: reducedOrder.contract_id,
      users: 30,
    })
    await payOrder(fixture.server, changeResponse.json())
    expect(readReason(await undo(reducedOrder.contract_id))).toEqual([409, 'anotherOrderFollowed'])
  })

  test('A change is undone once, and an undo cannot be undone (fault 4b)', async () => {
    const reducedOrder = await reduceContract()
    const responses = await Promise.all([undo(reducedOrder.contract_id), undo(reducedOrder.contract_id)])
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    const restoredOrder = responses.find(({ statusCode }) => statusCode === 200)?.json() as OrderRow
    expect(restoredOrder['undo_until']).toBeNull()
    expect(readReason(await undo(restoredOrder.contract_id))).toEqual([409, 'notUndoable'])
  })

  test('A repeated undo returns the same response (fault 4b)', async () => {
    const reducedOrder = await reduceContract()
    const key = { 'idempotency-key': '01920000-0000-7000-8000-0000000000aa' }
    const first = await undo(reducedOrder.contract_id, buyer, key)
    const second = await undo(reducedOrder.contract_id, buyer, key)
    expect([second.statusCode, second.json()]).toEqual([200, first.json()])
    expect(await readHistory(first.json())).toHaveLength(3)
  })

  test('Purchases, paid changes and changes without a discarded sum cannot be undone (fault 4b)', async () => {
    expect(readReason(await undo(originalOrder.contract_id))).toEqual([409, 'notUndoable'])
    const increasedOrder = (await post('/api/contract', buildReduction({ users: 60, uat: 1 }))).json() as OrderRow
    await payOrder(fixture.server, increasedOrder)
    const currentOrder = await readOrder(buyer, increasedOrder.id)
    expect([currentOrder['undo_until'], ...readReason(await undo(currentOrder.contract_id))]).toEqual([
      null,
      409,
      'notUndoable',
    ])
    const unchangedOrder = (
      await post('/api/contract', { type: 'change', contract_id: currentOrder.contract_id })
    ).json() as OrderRow
    expect([unchangedOrder.amount, unchangedOrder['undo_until']]).toEqual(['0.00', null])
    expect(readReason(await undo(unchangedOrder.contract_id))).toEqual([409, 'notUndoable'])
  })

  test('An undo requires the order right for the company (fault 4b)', async () => {
    const reducedOrder = await reduceContract()
    expect(readStatusAndCode(await undo(reducedOrder.contract_id, await fixture.server.signIn('order@beta')))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(readStatusAndCode(await undo(reducedOrder.contract_id, await fixture.server.signIn('user@alpha')))).toEqual([
      403,
      'FORBIDDEN',
    ])
    const response = await undo(reducedOrder.contract_id, await fixture.server.signIn('second@m18'))
    expect(response.json()).toMatchObject({ company_id: fixture.server.world.companies['alpha'], users: 25 })
  })

  test('An undo restores the sold modules although the current price list lacks them (fault 4b)', async () => {
    const reducedOrder = await reduceContract({ modules: ['core'] })
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      await db.updateTable('price_list').set({ deleted: true }).execute()
      await db.updateTable('module').set({ deleted: true }).where('code', '=', 'fin').execute()
    })
    expect(
      readStatusAndCode(await post('/api/calculate', { type: 'change', contract_id: reducedOrder.contract_id }))[1],
    ).toBe('STATE_CONFLICT')
    expect((await undo(reducedOrder.contract_id)).json()).toMatchObject({ users: 25, modules: ['core', 'fin'] })
  })

  describe('a running service', () => {
    beforeEach(() =>
      runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('service').set({ system_status: 2 }).where('code', '=', 'shop').execute(),
      ),
    )

    test('requires a confirmation of the apps that the undo restores (fault 4b)', async () => {
      const overrides = { modules: ['doc'] }
      const { discarded_amount: confirm_discard } = await requestQuote(overrides)
      const refusal = await post('/api/contract', buildReduction({ ...overrides, confirm_discard }))
      const { confirm_key: confirmKey } = refusal.json().data
      const reducedOrder = (
        await post('/api/contract', buildReduction({ ...overrides, confirm_discard, confirmKey }))
      ).json() as OrderRow
      const undoRefusal = await undo(reducedOrder.contract_id)
      expect(readStatusAndCode(undoRefusal)).toEqual([409, 'APP_CONFIRM'])
      expect(undoRefusal.json().data.confirm_info).toEqual([{ code: 'framework', change: 'enter' }])
      const confirmation = { confirmKey: undoRefusal.json().data.confirm_key }
      const response = await post(`/api/contract/${reducedOrder.contract_id}/undo`, confirmation)
      expect(response.json()).toMatchObject({ state: 'effective', modules: ['core', 'fin'] })
    })
  })
})
