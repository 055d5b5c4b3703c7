/** Tests orders of backup subscriptions (D13, D15, D16, D17, D20, D21, D31, D91; Z-23). */
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { scheduledJobKinds } from '#server/jobs/job-registry.ts'
import { requestOrderUpkeep } from '#server/jobs/expire-orders.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { createBackupOrder, setBackupPrices, readServiceId } from '#tests/support/hosting/backups.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { shopOpenedAt, buyOrder, type OrderRow, payOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

const dayMs = 86_400_000

describe('a backup order', () => {
  const fixture = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  let contract: OrderRow
  let serviceId = 0
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
    contract = await buyOrder(server, buyer)
    serviceId = await readServiceId(server, 'shop')
  })

  const orderBackup = (fields: object = {}, caller = buyer) =>
    caller.send({
      method: 'POST',
      url: '/api/pdb/order',
      payload: { service_id: serviceId, pdb_type: 'pdb2s3', period: 1, period_type: 'year', ...fields },
    })
  const listBackups = async (query = '') =>
    (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}${query}` })).json().data
  const readService = async () => (await buyer.send({ url: '/api/aws/service' })).json().data[0]
  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(server.app, { role: 'portal_system' }, work)
  const setDay = async (day: string) => {
    server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await server.signIn('order@alpha')
  }
  const readReason = (response: { json(): { data?: { why?: string } } }) => response.json().data?.why

  test('has the price of today with period and steps, and is unpaid', async () => {
    const response = await orderBackup()
    expect([response.statusCode, Object.keys(response.json())]).toEqual([200, ['id']])
    expect(await listBackups()).toMatchObject([
      {
        id: response.json().id,
        service_id: serviceId,
        price_id: fixture.priceListIds[0],
        currency: 'HKD',
        pdb_type: 'pdb2s3',
        period: 1,
        period_type: 'year',
        period_start: '2026-03-02',
        period_end: '2027-03-02',
        annual: '6000.00',
        discount: '10.00',
        amount: '6000.00',
        pay_amount: '5400.00',
        status: 0,
        due: '2026-03-09 23:59:59',
        invoice_no: null,
        row_version: 1,
      },
    ])
    expect(await readService()).toMatchObject({ os_pdb2s3: response.json().id, os_pdb2rds: 0, pdb2s3_date: null })
    const [row] = await runAsSystem((db) => db.selectFrom('backup_order').select('steps').execute())
    expect(row?.steps.map(({ code, amount }) => `${code} ${amount}`)).toEqual([
      'months 6000.00',
      'discount -600.00',
      'due 5400.00',
    ])
  })

  test('writes an audit entry in the same transaction (D86)', async () => {
    const { id } = (await orderBackup()).json()
    expect(await readAuditEntries(server, 'backup')).toMatchObject([
      { operation: 'create', info: { ServiceCode: 'shop', OrderId: id, Amount: 'HKD 5400.00' } },
    ])
  })

  test('is shortened to the end of the contract, with started months charged in full', async () => {
    await setDay('2026-09-14')
    await orderBackup({ period: 3 })
    expect(await listBackups()).toMatchObject([
      { period: 3, period_start: '2026-09-14', period_end: '2027-03-02', amount: '3000.00', pay_amount: '2700.00' },
    ])
  })

  test('starts when the current subscription ends, and is refused beyond the end of the contract', async () => {
    await createBackupOrder(server, 'shop', { period_end: '2026-12-02', months: 9 })
    expect((await orderBackup({ period: 2, period_type: 'month' })).statusCode).toBe(200)
    expect((await listBackups())[0]).toMatchObject({
      period_start: '2026-12-02',
      period_end: '2027-02-02',
      amount: '1000.00',
    })
    await createBackupOrder(server, 'shop', { period_start: '2026-12-02', period_end: '2027-03-02' })
    const refusal = await orderBackup()
    expect([refusal.statusCode, readReason(refusal)]).toEqual([409, 'coveredToEnd'])
    expect((await orderBackup({ pdb_type: 'pdb2rds' })).statusCode).toBe(200)
  })

  test.each([
    ['a period of 0', { period: 0 }],
    ['a period of 100', { period: 100 }],
    ['a period of half a year', { period: 0.5 }],
    ['an unknown unit', { period_type: 'day' }],
    ['an unknown kind', { pdb_type: 'pdb2tape' }],
  ])('is rejected with %s', async (_, fields) => {
    expect((await orderBackup(fields)).json().errorCode).toBe('VALIDATION_ERROR')
    expect(await listBackups()).toEqual([])
  })

  test('is refused with a reason if it cannot be sold', async () => {
    await setBackupPrices(server, null)
    expect(readReason(await orderBackup())).toBe('noPrice')
    await runAsSystem((db) => db.updateTable('price_list').set({ confirmed: false }).execute())
    expect(readReason(await orderBackup())).toBe('noPriceList')
    await setDay('2027-03-02')
    expect(readReason(await orderBackup())).toBe('extendFirst')
    await runAsSystem((db) =>
      sql`insert into service (company_id, code, name, system_status, create_time, update_time)
        values (${server.world.companies.alpha}, 'bare', 'Bare', 1, 1, 1)`.execute(db),
    )
    expect(readReason(await orderBackup({ service_id: await readServiceId(server, 'bare') }))).toBe('noContract')
    expect(await listBackups()).toEqual([])
  })

  test('requires a caller with the order right, from the company or from staff (N-06, Z-23)', async () => {
    const beta = await server.signIn('order@beta')
    expect((await orderBackup({}, beta)).statusCode).toBe(404)
    expect((await orderBackup({ service_id: 999_999 })).statusCode).toBe(404)
    expect((await orderBackup({}, await server.signIn('user@alpha'))).statusCode).toBe(403)
    const staff = await server.signIn('order@m18')
    const { id } = (await orderBackup({}, staff)).json()
    expect(await listBackups()).toMatchObject([{ id }])
  })

  describe('with an outdated quote', () => {
    test('is refused with both amounts, and succeeds with the current one (D17)', async () => {
      const displayedPrice = { price_id: fixture.priceListIds[0], pay_amount: '5400.00' }
      await setBackupPrices(server, { pdb2s3_fee_hkd: '7200.00' })
      const response = await orderBackup(displayedPrice)
      expect([response.statusCode, response.json()]).toMatchObject([
        409,
        {
          errorCode: 'QUOTE_CHANGED',
          data: { shown: displayedPrice, now: { price_id: fixture.priceListIds[0], pay_amount: '6480.00' } },
        },
      ])
      expect(await listBackups()).toEqual([])
      expect((await orderBackup({ price_id: fixture.priceListIds[0], pay_amount: '6480.00' })).statusCode).toBe(200)
    })

    test.each([
      ['another price list', { price_id: 999_999 }],
      ['another amount', { pay_amount: '5400.01' }],
      ['an unknown quote id', { quote_id: 'q'.repeat(32) }],
    ])('is refused if the quote has %s', async (_, displayedPrice) => {
      expect((await orderBackup(displayedPrice)).json().errorCode).toBe('QUOTE_CHANGED')
    })
  })

  test('replaces an unpaid order of the same kind only', async () => {
    const firstId = (await orderBackup()).json().id
    const otherId = (await orderBackup({ pdb_type: 'pdb2rds' })).json().id
    const secondId = (await orderBackup({ period: 3, period_type: 'month' })).json().id
    expect((await listBackups()).map(({ id, status }: { id: number; status: number }) => [id, status])).toEqual(
      expect.arrayContaining([
        [firstId, -1],
        [otherId, 0],
        [secondId, 0],
      ]),
    )
    expect(await readService()).toMatchObject({ os_pdb2s3: secondId, os_pdb2rds: otherId })
  })

  test('leaves one unpaid order after ten concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => orderBackup()))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 10 }, () => 200))
    const statuses = (await listBackups('&results=50')).map(({ status }: { status: number }) => status)
    expect(statuses.toSorted((a: number, b: number) => b - a)).toEqual([0, ...Array.from({ length: 9 }, () => -1)])
  }, 30_000)

  test('takes effect immediately if it costs nothing, and schedules the first backup (D15)', async () => {
    await setBackupPrices(server, { pdb2s3_discount: '100.00' })
    const { id } = (await orderBackup()).json()
    expect(await listBackups()).toMatchObject([
      { id, amount: '6000.00', pay_amount: '0.00', status: 1, invoice_no: null },
    ])
    expect(await readService()).toMatchObject({ os_pdb2s3: 0, pdb2s3_date: '2027-03-02' })
    const [row] = await runAsSystem((db) => db.selectFrom('service').select(['next_pdb2s3', 'next_pdb2rds']).execute())
    expect(row).toEqual({ next_pdb2s3: shopOpenedAt, next_pdb2rds: null })
  })

  describe('without payment in time (D31)', () => {
    const passDays = async (days: number) => {
      server.clock.now = shopOpenedAt + days * dayMs
      buyer = await server.signIn('order@alpha')
    }

    test('is shown as invalid immediately, and stored as invalid by the job', async () => {
      const { id } = (await orderBackup()).json()
      const changeNumber = Number(
        (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}` })).headers['x-change'],
      )
      await passDays(7)
      expect(await listBackups()).toMatchObject([{ id, status: 0 }])
      expect(await readService()).toMatchObject({ os_pdb2s3: id })
      await passDays(8)
      expect(await listBackups('&sortField=status&sortOrder=asc')).toMatchObject([{ id, status: -1 }])
      expect(await readService()).toMatchObject({ os_pdb2s3: 0 })
      const listChanges = async () =>
        (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}&since=${changeNumber}` })).json().changed
      expect(await listChanges()).toMatchObject([{ id, status: -1, row_version: 1 }])
      await requestOrderUpkeep(server.app)
      while (await runOneJob(server.app, scheduledJobKinds));
      const [row] = await runAsSystem((db) => db.selectFrom('backup_order').select(['status', 'row_version']).execute())
      expect(row).toEqual({ status: -1, row_version: 2 })
      expect(await listChanges()).toMatchObject([{ id, status: -1, row_version: 2 }])
    })

    test('is invalid after the end of its own period, in list, changes and job (fault 6d)', async () => {
      await passDays(362)
      const { id } = (await orderBackup()).json()
      const changeNumber = Number(
        (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}` })).headers['x-change'],
      )
      await passDays(364)
      expect(await listBackups()).toMatchObject([{ id, period_end: '2027-03-02', status: 0 }])
      await passDays(365)
      const paidId = await createBackupOrder(server, 'shop', { pdb_type: 'pdb2rds' })
      const sorted = await listBackups('&sortField=status&sortOrder=asc')
      expect(sorted.map((row: { id: number }) => row.id)).toEqual([id, paidId])
      const changes = (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}&since=${changeNumber}` })).json()
        .changed
      expect(changes).toContainEqual(expect.objectContaining({ id, status: -1 }))
      await requestOrderUpkeep(server.app)
      while (await runOneJob(server.app, scheduledJobKinds));
      const [row] = await runAsSystem((db) =>
        db.selectFrom('backup_order').select('status').where('id', '=', id).execute(),
      )
      expect(row).toEqual({ status: -1 })
      expect(await readService()).toMatchObject({ os_pdb2s3: 0 })
    })

    test('is sorted by its displayed status', async () => {
      const overdueId = (await orderBackup()).json().id
      const replacedId = await createBackupOrder(server, 'shop', { pdb_type: 'pdb2rds', status: -1 })
      const paidId = await createBackupOrder(server, 'shop', { pdb_type: 'pdb2rds' })
      await passDays(8)
      const listIds = async (sortOrder: string) =>
        (await listBackups(`&sortField=status&sortOrder=${sortOrder}`)).map(({ id }: { id: number }) => id)
      // The two invalid orders come first, sorted by their ids.
      expect(await listIds('asc')).toEqual([overdueId, replacedId, paidId])
    })

    test('allows another order', async () => {
      await orderBackup()
      await passDays(8)
      const { id } = (await orderBackup()).json()
      expect((await listBackups()).map((row: { status: number }) => row.status).toSorted()).toEqual([-1, 0])
      expect(await readService()).toMatchObject({ os_pdb2s3: id })
    })
  })

  test('can extend to the end of an extended contract', async () => {
    await setDay('2026-06-01')
    const response = await buyer.send({
      method: 'POST',
      url: '/api/contract',
      payload: { type: 'extend', contract_id: contract.contract_id, period: 1 },
    })
    await payOrder(server, response.json())
    await orderBackup({ period: 2 })
    expect(await listBackups()).toMatchObject([{ period_start: '2026-06-01', period_end: '2028-03-02' }])
  })
})
