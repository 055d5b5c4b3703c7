/** The agreed examples of backups and traffic (G31 to G41), through the server's calls, and the same in the other currencies. */
import { beforeEach, describe, expect, test } from 'vitest'
import { currencies, type Currency } from '#domain/money.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { instantIn } from '#tests/domain/fees/calendar.ts'
import { type Case, cases } from '#tests/domain/fees/goldens.ts'
import { oracleOf } from '#tests/domain/fees/oracle.ts'
import { backupOf, listPrices, move, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'

const noon = 43_200_000
const own = (currency: Currency) => currency.toLowerCase()
const of = (kind: Case['kind']) =>
  cases
    .filter((one) => one.kind === kind)
    .flatMap((one) => currencies.map((currency) => [one.id, currency, one] as const))

describe('the examples', () => {
  const the = setUpShop('embedded')
  beforeEach(() => {
    the.server.clock.now = instantIn('2026-09-14', noon)
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)

  async function service(currency: Currency, end: string) {
    const { server } = the
    const buyer = await server.signIn('order@alpha')
    await bought(server, buyer, { currency, period: 5, period_start: '2026-09-14' })
    await asSystem((db) =>
      db
        .updateTable('contract')
        .set({ period_end: end } as never)
        .execute(),
    )
    return { buyer, id: await serviceIdOf(server, 'shop') }
  }

  test.each(of('backup'))('%s in %s', async (id, currency, one) => {
    const { server } = the
    const isCut = id === 'G34'
    const contractEnd = isCut ? '2027-03-01' : '2029-03-01'
    const { buyer, id: service_id } = await service(currency, contractEnd)
    const { pdb_type } = one as unknown as { pdb_type: string }
    await listPrices(server, {
      [`${pdb_type}_fee_${own(currency)}`]: one.annual,
      [`${pdb_type}_discount`]: one.discount.toFixed(2),
    })
    const wish = isCut
      ? ({ period: 1, period_type: 'year' } as const)
      : ({ period: one.months, period_type: 'month' } as const)
    const payload = { service_id, pdb_type, ...wish }
    expect((await buyer.send({ method: 'POST', url: '/api/pdb/order', payload })).statusCode).toBe(200)
    const [row] = (await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}` })).json().data
    expect(row).toMatchObject({ currency, annual: one.annual, amount: one.amount, pay_amount: one.pay_amount })
    const [answer] = oracleOf({
      kind: 'backup',
      at: server.clock.now,
      present: null,
      contractEnd,
      period: wish.period,
      unit: wish.period_type,
      fee: one.annual,
      discount: one.discount,
    }).answers
    const told = answer as Record<string, string>
    expect(row).toMatchObject({ amount: told.amount, pay_amount: told.pay_amount })
    // Nothing to pay takes effect at once (G36).
    expect(row.status).toBe(one.pay_amount === '0.00' ? 1 : 0)
  })

  test.each(of('traffic'))('%s in %s', async (_id, currency, one) => {
    const { server } = the
    const { buyer, id } = await service(currency, '2029-03-01')
    await listPrices(server, { pdb2s3_traffic: one.free.toFixed(2), [`pdb2s3_up_${own(currency)}`]: one.up })
    await backupOf(server, 'shop', { currency, period_start: '2026-09-14', period_end: '2027-09-14' })
    await move(server, 'shop', Math.round(Number(one.pdb_traffic) * 1e9), 'backup-1')
    const present = (await buyer.send({ url: `/api/pdb/traffic/${id}` })).json()
    expect(present).toMatchObject({ amount: one.amount, currency, pdb_traffic: Number(one.pdb_traffic).toFixed(2) })
    server.clock.now = instantIn('2026-10-01', 0)
    await closeTraffic(server.app)
    const again = await server.signIn('order@alpha')
    const [row] = (await again.send({ url: `/api/pdb/traffic?serviceId=${id}` })).json().data
    expect(row).toMatchObject({ amount: one.amount, currency, price: one.up, free: one.free.toFixed(2) })
  })
})
