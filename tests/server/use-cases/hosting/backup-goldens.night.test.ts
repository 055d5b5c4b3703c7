/** Tests the agreed examples of backups and traffic (G31 to G41) through the server's calls, in every currency. */
import { beforeEach, describe, expect, test } from 'vitest'
import { currencies, type Currency } from '#domain/money.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { toInstant } from '#tests/domain/fees/calendar.ts'
import { type GoldenCase, cases } from '#tests/domain/fees/goldens.ts'
import { runOracle } from '#tests/domain/fees/oracle.ts'
import { createBackupOrder, setBackupPrices, recordTraffic, readServiceId } from '#tests/support/hosting/backups.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

const noon = 43_200_000
const toCurrencyKey = (currency: Currency) => currency.toLowerCase()
const listCases = (kind: GoldenCase['kind']) =>
  cases
    .filter((feeCase) => feeCase.kind === kind)
    .flatMap((feeCase) => currencies.map((currency) => [feeCase.id, currency, feeCase] as const))

describe('the fees of backups and traffic', () => {
  const fixture = setUpShop('embedded')
  beforeEach(() => {
    fixture.server.clock.now = toInstant('2026-09-14', noon)
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)

  async function buyService(currency: Currency, end: string) {
    const { server } = fixture
    const buyer = await server.signIn('order@alpha')
    await buyOrder(server, buyer, { currency, period: 5, period_start: '2026-09-14' })
    await runAsSystem((db) =>
      db
        .updateTable('contract')
        .set({ period_end: end } as never)
        .execute(),
    )
    return { buyer, id: await readServiceId(server, 'shop') }
  }

  test.each(listCases('backup'))('match the agreed backup example %s in %s', async (id, currency, feeCase) => {
    const { server } = fixture
    const isCut = id === 'G34'
    const contractEnd = isCut ? '2027-03-01' : '2029-03-01'
    const { buyer, id: service_id } = await buyService(currency, contractEnd)
    const { pdb_type } = feeCase as unknown as { pdb_type: string }
    await setBackupPrices(server, {
      [`${pdb_type}_fee_${toCurrencyKey(currency)}`]: feeCase.annual,
      [`${pdb_type}_discount`]: feeCase.discount.toFixed(2),
    })
    const periodFields = isCut
      ? ({ period: 1, period_type: 'year' } as const)
      : ({ period: feeCase.months, period_type: 'month' } as const)
    const payload = { service_id, pdb_type, ...periodFields }
    expect((await buyer.send({ method: 'POST', url: '/api/pdb/order', payload })).statusCode).toBe(200)
    const [row] = (await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}` })).json().data
    expect(row).toMatchObject({
      currency,
      annual: feeCase.annual,
      amount: feeCase.amount,
      pay_amount: feeCase.pay_amount,
    })
    const [oracleResult] = runOracle({
      kind: 'backup',
      time: server.clock.now,
      currentEnd: null,
      contractEnd,
      period: periodFields.period,
      unit: periodFields.period_type,
      fee: feeCase.annual,
      discount: feeCase.discount,
    }).results
    const expected = oracleResult as Record<string, string>
    expect(row).toMatchObject({ amount: expected.amount, pay_amount: expected.pay_amount })
    // An order with the amount 0.00 takes effect immediately (G36).
    expect(row.status).toBe(feeCase.pay_amount === '0.00' ? 1 : 0)
  })

  test.each(listCases('traffic'))('match the agreed traffic example %s in %s', async (_id, currency, feeCase) => {
    const { server } = fixture
    const { buyer, id } = await buyService(currency, '2029-03-01')
    await setBackupPrices(server, {
      pdb2s3_traffic: feeCase.free.toFixed(2),
      [`pdb2s3_up_${toCurrencyKey(currency)}`]: feeCase.up,
    })
    await createBackupOrder(server, 'shop', { currency, period_start: '2026-09-14', period_end: '2027-09-14' })
    await recordTraffic(server, 'shop', Math.round(Number(feeCase.pdb_traffic) * 1e9), 'backup-1')
    const currentTraffic = (await buyer.send({ url: `/api/pdb/traffic/${id}` })).json()
    expect(currentTraffic).toMatchObject({
      amount: feeCase.amount,
      currency,
      pdb_traffic: Number(feeCase.pdb_traffic).toFixed(2),
    })
    server.clock.now = toInstant('2026-10-01', 0)
    await closeTraffic(server.app)
    const laterBuyer = await server.signIn('order@alpha')
    const [row] = (await laterBuyer.send({ url: `/api/pdb/traffic?serviceId=${id}` })).json().data
    expect(row).toMatchObject({ amount: feeCase.amount, currency, price: feeCase.up, free: feeCase.free.toFixed(2) })
  })
})
