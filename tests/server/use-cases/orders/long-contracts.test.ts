/** Tests the longest possible contracts, longer contracts of an earlier version, and the largest possible amounts. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { setBackupPrices, readServiceId } from '#tests/support/hosting/backups.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import {
  buyOrder,
  placeOrder,
  type OrderRow,
  payOrder,
  readOrder,
  setUpShop,
  orderInput,
} from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('long contracts', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
  })
  const post = (url: string, payload: object) => buyer.send({ method: 'POST', url, payload })
  const extendBy = (contract_id: number, period: number) => ({ type: 'extend', contract_id, period })
  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)

  /** Reads the contract from each call that returns it, and returns its periods. */
  async function readAll({ id, contract_id, company_id }: OrderRow) {
    const list = await buyer.send({ url: `/api/company/${String(company_id)}/sorder` })
    const detail = await buyer.send({ url: `/api/sorder/${id}` })
    const history = await buyer.send({ url: `/api/contract/${contract_id}/history` })
    expect([list.statusCode, detail.statusCode, history.statusCode]).toEqual([200, 200, 200])
    return [list.json().data[0].period, detail.json().period, history.json()[0].period]
  }

  test('An extension beyond 99 years is refused with the number of possible years (fault 3a)', async () => {
    const contract = await buyOrder(fixture.server, buyer, { period: 50 })
    for (const url of ['/api/calculate', '/api/contract']) {
      const refusal = await post(url, extendBy(contract.contract_id, 50))
      expect(readStatusAndCode(refusal)).toEqual([400, 'VALIDATION_ERROR'])
      expect(refusal.json().data).toMatchObject([
        { field: 'period', code: 'TOO_MANY_YEARS', limit: 49, message: expect.stringContaining('49') },
      ])
    }
    expect(await readAll(contract)).toEqual([50, 50, 50])

    const order: OrderRow = (await post('/api/contract', extendBy(contract.contract_id, 49))).json()
    await payOrder(fixture.server, order)
    const extendedOrder = await readOrder(buyer, order.id)
    expect(extendedOrder).toMatchObject({ period: 99, period_start: '2026-03-02', period_end: '2125-03-02' })
    expect(await readAll(extendedOrder)).toEqual([99, 99, 99])
    const lastRefusal = await post('/api/calculate', extendBy(extendedOrder.contract_id, 1))
    expect(lastRefusal.json().data).toMatchObject([{ field: 'period', code: 'NO_YEARS_LEFT', limit: 0 }])
  })

  test('An expired contract starts again and can have 99 years', async () => {
    const contract = await buyOrder(fixture.server, buyer, { period: 50 })
    fixture.server.clock.now = Date.parse('2076-03-02T02:00:00Z')
    buyer = await fixture.server.signIn('order@alpha')
    const quote = await post('/api/calculate', extendBy(contract.contract_id, 99))
    expect(quote.json()).toMatchObject({ period_start: '2076-03-02', period_end: '2175-03-02' })
  })

  test('An older contract of more than 99 years can be read and changed, but not extended (fault 3a)', async () => {
    const contract = await buyOrder(fixture.server, buyer, { period: 50 })
    await runAsSystem(async (db) => {
      await sql`update contract set period_end = '2126-03-02', anchor_months = 1200,
        segments = jsonb_build_array(jsonb_build_object('start', '2026-03-02', 'end', '2126-03-02', 'annual', annual::text))
        where id = ${contract.contract_id}`.execute(db)
      await sql`update service_order set period_end = '2126-03-02' where id = ${contract.id}`.execute(db)
    })
    expect(await readAll(contract)).toEqual([100, 100, 100])
    const { url } = (await post('/api/print', { kind: 'contract', id: contract.contract_id })).json()
    expect((await fixture.server.send({ url })).body).toContain('100 years')
    const changeQuote = await post('/api/calculate', { type: 'change', contract_id: contract.contract_id, users: 11 })
    expect(changeQuote.json()).toMatchObject({ amount: '100000.00', period_end: '2126-03-02' })
    const refusal = await post('/api/contract', extendBy(contract.contract_id, 1))
    expect(refusal.json().data).toMatchObject([{ field: 'period', code: 'NO_YEARS_LEFT' }])
  })

  test('A sum that is too large for an amount is refused, and all lists stay readable (fault 3a)', async () => {
    const contract = await buyOrder(fixture.server, buyer)
    await runAsSystem((db) =>
      sql`update price_list set content = jsonb_set(content, '{min_fee_hkd}', '"9999999999999.99"')`.execute(db),
    )
    const largestQuote = await post('/api/calculate', { ...orderInput, code: 'large', period: 1 })
    expect(largestQuote.json()).toMatchObject({ amount: '9999999999999.99' })
    for (const refusal of [
      await post('/api/calculate', { ...orderInput, code: 'large', period: 2 }),
      await placeOrder(buyer, { code: 'large', period: 2 }),
      await post('/api/contract', extendBy(contract.contract_id, 2)),
    ])
      expect([...readStatusAndCode(refusal), refusal.json().data]).toEqual([
        409,
        'STATE_CONFLICT',
        { why: 'amountTooLarge' },
      ])
    expect(await readAll(contract)).toEqual([1, 1, 1])
  })

  test('A backup whose sum is too large for an amount is refused (fault 3a)', async () => {
    await buyOrder(fixture.server, buyer, { period: 9 })
    await setBackupPrices(fixture.server, { pdb2s3_fee_hkd: '9999999999999.99', pdb2s3_discount: '0.00' })
    const orderBackup = async (period: number) => {
      const service_id = await readServiceId(fixture.server, 'shop')
      return await post('/api/pdb/order', { service_id, pdb_type: 'pdb2s3', period, period_type: 'year' })
    }
    const refusal = await orderBackup(2)
    expect([...readStatusAndCode(refusal), refusal.json().data]).toEqual([
      409,
      'STATE_CONFLICT',
      { why: 'amountTooLarge' },
    ])
    expect((await orderBackup(1)).statusCode).toBe(200)
  })
})
