/** Contracts as long as they may be and longer ones of an earlier version; amounts as large as they may be. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { listPrices, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { told } from '#tests/support/server/forms.ts'
import { bought, order, type Ordered, paid, readOrder, setUpShop, wish } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('long contracts', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
  })
  const post = (url: string, payload: object) => buyer.send({ method: 'POST', url, payload })
  const extendBy = (contract_id: number, period: number) => ({ type: 'extend', contract_id, period })
  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)

  /** All that shows a contract. */
  async function readAll({ id, contract_id, company_id }: Ordered) {
    const list = await buyer.send({ url: `/api/company/${String(company_id)}/sorder` })
    const detail = await buyer.send({ url: `/api/sorder/${id}` })
    const history = await buyer.send({ url: `/api/contract/${contract_id}/history` })
    expect([list.statusCode, detail.statusCode, history.statusCode]).toEqual([200, 200, 200])
    return [list.json().data[0].period, detail.json().period, history.json()[0].period]
  }

  test('fault 3a an extension beyond 99 years is refused with the years still possible, quoted and ordered', async () => {
    const contract = await bought(the.server, buyer, { period: 50 })
    for (const url of ['/api/calculate', '/api/contract']) {
      const refused = await post(url, extendBy(contract.contract_id, 50))
      expect(told(refused)).toEqual([400, 'VALIDATION_ERROR'])
      expect(refused.json().data).toMatchObject([
        { field: 'period', code: 'TOO_MANY_YEARS', limit: 49, message: expect.stringContaining('49') },
      ])
    }
    expect(await readAll(contract)).toEqual([50, 50, 50])

    const ordered: Ordered = (await post('/api/contract', extendBy(contract.contract_id, 49))).json()
    await paid(the.server, ordered)
    const extended = await readOrder(buyer, ordered.id)
    expect(extended).toMatchObject({ period: 99, period_start: '2026-03-02', period_end: '2125-03-02' })
    expect(await readAll(extended)).toEqual([99, 99, 99])
    const full = await post('/api/calculate', extendBy(extended.contract_id, 1))
    expect(full.json().data).toMatchObject([{ field: 'period', code: 'NO_YEARS_LEFT', limit: 0 }])
  })

  test('an expired contract begins anew, and can have 99 years again', async () => {
    const contract = await bought(the.server, buyer, { period: 50 })
    the.server.clock.now = Date.parse('2076-03-02T02:00:00Z')
    buyer = await the.server.signIn('order@alpha')
    const quote = await post('/api/calculate', extendBy(contract.contract_id, 99))
    expect(quote.json()).toMatchObject({ period_start: '2076-03-02', period_end: '2175-03-02' })
  })

  test('fault 3a a contract of an earlier version that runs longer is read, changed and not extended', async () => {
    const contract = await bought(the.server, buyer, { period: 50 })
    await asSystem(async (db) => {
      await sql`update contract set period_end = '2126-03-02', anchor_months = 1200,
        segments = jsonb_build_array(jsonb_build_object('start', '2026-03-02', 'end', '2126-03-02', 'annual', annual::text))
        where id = ${contract.contract_id}`.execute(db)
      await sql`update service_order set period_end = '2126-03-02' where id = ${contract.id}`.execute(db)
    })
    expect(await readAll(contract)).toEqual([100, 100, 100])
    const { url } = (await post('/api/print', { kind: 'contract', id: contract.contract_id })).json()
    expect((await the.server.send({ url })).body).toContain('100 years')
    const change = await post('/api/calculate', { type: 'change', contract_id: contract.contract_id, users: 11 })
    expect(change.json()).toMatchObject({ amount: '100000.00', period_end: '2126-03-02' })
    const longer = await post('/api/contract', extendBy(contract.contract_id, 1))
    expect(longer.json().data).toMatchObject([{ field: 'period', code: 'NO_YEARS_LEFT' }])
  })

  test('fault 3a a sum that no amount can say is refused, and every list is read as before', async () => {
    const contract = await bought(the.server, buyer)
    await asSystem((db) =>
      sql`update price_list set content = jsonb_set(content, '{min_fee_hkd}', '"9999999999999.99"')`.execute(db),
    )
    const largest = await post('/api/calculate', { ...wish, code: 'large', period: 1 })
    expect(largest.json()).toMatchObject({ amount: '9999999999999.99' })
    for (const refused of [
      await post('/api/calculate', { ...wish, code: 'large', period: 2 }),
      await order(buyer, { code: 'large', period: 2 }),
      await post('/api/contract', extendBy(contract.contract_id, 2)),
    ])
      expect([...told(refused), refused.json().data]).toEqual([409, 'STATE_CONFLICT', { why: 'amountTooLarge' }])
    expect(await readAll(contract)).toEqual([1, 1, 1])
  })

  test('fault 3a a backup whose sum no amount can say is refused', async () => {
    await bought(the.server, buyer, { period: 9 })
    await listPrices(the.server, { pdb2s3_fee_hkd: '9999999999999.99', pdb2s3_discount: '0.00' })
    const ask = async (period: number) => {
      const service_id = await serviceIdOf(the.server, 'shop')
      return await post('/api/pdb/order', { service_id, pdb_type: 'pdb2s3', period, period_type: 'year' })
    }
    const refused = await ask(2)
    expect([...told(refused), refused.json().data]).toEqual([409, 'STATE_CONFLICT', { why: 'amountTooLarge' }])
    expect((await ask(1)).statusCode).toBe(200)
  })
})
