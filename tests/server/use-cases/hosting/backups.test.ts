/** Tests backups and traffic of a service as database rows and as lists (contracts 3; D20 to D25, D90, D91). */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { createBackupOrder, readServiceId, createTraffic } from '#tests/support/hosting/backups.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

const system = { role: 'portal_system' } as const

describe('backups in the database', () => {
  const fixture = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  let serviceId = 0
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
    await buyOrder(server, buyer)
    serviceId = await readServiceId(server, 'shop')
  })

  const list = async (path: 'order' | 'traffic', query: string, caller = buyer) =>
    caller.send({ url: `/api/pdb/${path}?${query}` })
  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) => runInTransaction(server.app, system, work)

  describe('lists', () => {
    test('return backup orders by service and kind, with their invoice number', async () => {
      const firstId = await createBackupOrder(server, 'shop')
      server.clock.now += 5000
      const secondId = await createBackupOrder(server, 'shop', { pdb_type: 'pdb2rds', status: 0 })
      const result = (await list('order', `serviceId=${serviceId}`)).json()
      expect(result.data.map(({ id }: { id: number }) => id)).toEqual([secondId, firstId])
      expect(result).toMatchObject({
        count: 2,
        data: [
          { pdb_type: 'pdb2rds', status: 0, invoice_no: null },
          {
            service_id: serviceId,
            currency: 'HKD',
            period: 1,
            period_type: 'year',
            period_start: '2026-03-02',
            period_end: '2027-03-02',
            annual: '6000.00',
            discount: '10.00',
            amount: '6000.00',
            pay_amount: '5400.00',
            status: 1,
            invoice_no: 'I202603000002',
            create_time: '2026-03-02 10:00:00',
          },
        ],
      })
      const rdsResult = (await list('order', `serviceId=${serviceId}&pdb_type=pdb2rds`)).json()
      expect([rdsResult.count, rdsResult.data[0].id]).toEqual([1, secondId])
    })

    test('return traffic by month, latest first', async () => {
      await createTraffic(server, 'shop', { period_end: '2026-03-01', pdb_traffic: '50.00', isPaid: false })
      await createTraffic(server, 'shop')
      expect((await list('traffic', `serviceId=${serviceId}`)).json()).toMatchObject({
        count: 2,
        data: [
          {
            period_end: '2026-04-01',
            pdb_traffic: '63.00',
            amount: '162.50',
            pay_date: '2026-04-05',
            pay_amount: '162.50',
            invoice_no: 'I202603000002',
          },
          { period_end: '2026-03-01', amount: '0.00', pay_date: null, pay_amount: null, invoice_no: null },
        ],
      })
    })

    test('return the changes since a number, and all rows as a stream', async () => {
      const firstId = await createBackupOrder(server, 'shop')
      const changeNumber = (await list('order', `serviceId=${serviceId}`)).headers['x-change']
      const secondId = await createBackupOrder(server, 'shop')
      const { changed, gone: deletedIds } = (
        await list('order', `serviceId=${serviceId}&since=${String(changeNumber)}`)
      ).json()
      expect([changed.map(({ id }: { id: number }) => id), deletedIds]).toEqual([[secondId], []])
      const headers = { accept: 'application/x-ndjson' }
      const streamResponse = await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}&since=`, headers })
      const lines = streamResponse.body.trim().split('\n')
      expect(lines.slice(0, -1).map((line) => JSON.parse(line).row.id)).toEqual([firstId, secondId])
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ count: 2 })
      await createTraffic(server, 'shop')
      const monthsResponse = await buyer.send({ url: `/api/pdb/traffic?serviceId=${serviceId}&since=`, headers })
      expect(monthsResponse.body.trim().split('\n')).toHaveLength(2)
    })

    test('are hidden from other companies, and open to staff with the order right (N-06)', async () => {
      await createBackupOrder(server, 'shop')
      await createTraffic(server, 'shop')
      const beta = await server.signIn('order@beta')
      const staff = await server.signIn('order@m18')
      for (const path of ['order', 'traffic'] as const) {
        for (const caller of [beta, buyer]) {
          const id = caller === beta ? serviceId : 999_999
          const response = await list(path, `serviceId=${id}`, caller)
          expect([response.statusCode, response.json().errorCode]).toEqual([404, 'NOT_FOUND'])
        }
        for (const since of ['', '0']) {
          const response = await list(path, `serviceId=${serviceId}&since=${since}`, beta)
          expect(response.statusCode).toBe(404)
        }
        expect((await list(path, `serviceId=${serviceId}`, staff)).json().count).toBe(1)
      }
      // The service now belongs to another company, which does not see the earlier backups.
      const { beta: companyId } = server.world.companies
      await runAsSystem((db) => sql`update service set company_id = ${companyId}`.execute(db))
      expect((await list('order', `serviceId=${serviceId}`, beta)).json().count).toBe(0)
      expect((await list('traffic', `serviceId=${serviceId}`, beta)).json().count).toBe(0)
    })
  })

  describe('rows', () => {
    test.each([
      ['a period of 0', { period: 0 }],
      ['a period of 100', { period: 100 }],
      ['a negative fee', { annual: '-12.00' }],
      ['a negative amount', { amount: '-0.01' }],
      ['a payable amount above the full amount', { pay_amount: '6000.01' }],
      ['a discount above 100.00', { discount: '100.01' }],
      ['an unknown status', { status: 2 as never }],
      ['an unknown currency', { currency: 'EUR' as never }],
      ['an unknown kind', { pdb_type: 'pdb2tape' as never }],
      ['an end that is not after the start', { period_end: '2026-03-02' }],
    ])('reject a backup with %s', async (_, fields) => {
      await expect(createBackupOrder(server, 'shop', fields)).rejects.toMatchObject({ code: '23514' })
    })

    test('allow only one unpaid order per service and kind (D91)', async () => {
      await createBackupOrder(server, 'shop', { status: 0 })
      await createBackupOrder(server, 'shop', { status: 0, pdb_type: 'pdb2rds' })
      await createBackupOrder(server, 'shop', { status: -1 })
      await expect(createBackupOrder(server, 'shop', { status: 0 })).rejects.toMatchObject({ code: '23505' })
    })

    test.each([
      ['negative GB', { pdb_traffic: '-0.01' }],
      ['an end that is not the first day of a month', { period_end: '2026-03-31' }],
      ['a negative amount', { amount: '-0.01' }],
      ['a payment date without a paid amount', { pay_amount: null }],
      ['a paid amount that differs from the due amount', { pay_amount: '162.49' }],
    ])('reject traffic with %s', async (_, fields) => {
      await expect(createTraffic(server, 'shop', fields)).rejects.toMatchObject({ code: '23514' })
    })

    test('allow only one traffic row per service and month', async () => {
      await createTraffic(server, 'shop')
      await expect(createTraffic(server, 'shop')).rejects.toMatchObject({ code: '23505' })
    })
  })

  describe('invoices', () => {
    const listCodes = () => runAsSystem((db) => db.selectFrom('invoice').select('code').orderBy('code').execute())

    test('share the numbers of contract invoices, without gaps (D90)', async () => {
      await createBackupOrder(server, 'shop')
      await expect(createBackupOrder(server, 'shop', { period: 0 })).rejects.toThrow()
      await createTraffic(server, 'shop')
      await buyOrder(server, buyer, { code: 'second' })
      expect((await listCodes()).map(({ code }) => code)).toEqual([1, 2, 3, 4].map((index) => `I20260300000${index}`))
    })

    test('store seller, buyer, service and lines as they were at the time of payment', async () => {
      await runAsSystem((db) => db.updateTable('company').set({ tax_number: '12345678' }).execute())
      const backupId = await createBackupOrder(server, 'shop')
      const trafficId = await createTraffic(server, 'shop')
      const invoices = await runAsSystem((db) => db.selectFrom('invoice').selectAll().orderBy('code').execute())
      const parties = {
        seller: { code: 'm18', tax_number: '12345678' },
        buyer: { code: 'alpha', tax_number: '12345678' },
      }
      expect(invoices.slice(1)).toMatchObject([
        {
          order_id: null,
          backup_order_id: backupId,
          traffic_id: null,
          content: {
            ...parties,
            invoice_no: 'I202603000002',
            service: { code: 'shop', name: 'Shop' },
            backup: { id: backupId, pdb_type: 'pdb2s3', period_start: '2026-03-02', period_end: '2027-03-02' },
            lines: [{ code: 'months' }, { code: 'discount' }, { code: 'due', amount: '5400.00' }],
            amount: '6000.00',
            pay_amount: '5400.00',
            payment: { gateway: 'simulate', paid: '2026-03-02 10:00:00' },
          },
        },
        {
          order_id: null,
          backup_order_id: null,
          traffic_id: trafficId,
          content: { ...parties, traffic: { month: '2026-03' }, currency: 'HKD', pay_amount: '162.50' },
        },
      ])
    })

    test('belong to exactly one order, and each order has one invoice', async () => {
      const id = await createBackupOrder(server, 'shop')
      const insertInvoice = (orderId: number | null, backupId: number | null) =>
        runAsSystem((db) =>
          sql`insert into invoice (company_id, code, order_id, backup_order_id, content, create_time)
            values (${server.world.companies.alpha}, 'I1', ${orderId}::integer, ${backupId}::integer, '{}', 1)`.execute(
            db,
          ),
        )
      await expect(insertInvoice(null, null)).rejects.toMatchObject({ code: '23514' })
      await expect(insertInvoice(1, id)).rejects.toMatchObject({ code: '23514' })
      await expect(insertInvoice(null, id)).rejects.toMatchObject({ code: '23505' })
    })

    describe('the database role of companies', () => {
      const runAsCompany = async (statement: ReturnType<typeof sql>) =>
        Number(
          (
            await runInTransaction(server.app, { role: 'portal_app', companyId: server.world.companies.alpha }, (db) =>
              statement.execute(db),
            )
          ).numAffectedRows ?? 0,
        )
      const buildCopyStatement = (status: number) => sql`
        insert into backup_order (company_id, service_id, service_code, price_id, currency, pdb_type, period, period_type,
          period_start, period_end, annual, discount, amount, pay_amount, status, steps, change, create_time, update_time)
        select company_id, service_id, service_code, price_id, currency, 'pdb2rds', period, period_type, period_start,
          period_end, annual, discount, amount, pay_amount, ${status}, steps, change, create_time, update_time
        from backup_order limit 1`

      test('can create an order, cancel an unpaid order and activate a free order (D15)', async () => {
        const id = await createBackupOrder(server, 'shop', { status: 0 })
        expect(await runAsCompany(buildCopyStatement(0))).toBe(1)
        expect(await runAsCompany(sql`update backup_order set status = -1 where id = ${id}`)).toBe(1)
        const freeId = await createBackupOrder(server, 'shop', { status: 0, discount: '100.00' })
        expect(await runAsCompany(sql`update backup_order set status = 1 where id = ${freeId}`)).toBe(1)
      })

      test('can change no other values of backups, and no values of traffic', async () => {
        const id = await createBackupOrder(server, 'shop', { status: 0 })
        for (const statement of [
          sql`update backup_order set status = 1 where id = ${id}`,
          sql`update backup_order set pay_amount = 0 where id = ${id}`,
          sql`update backup_order set period_end = '2030-01-01' where id = ${id}`,
          buildCopyStatement(1),
          sql`delete from backup_order`,
          sql`insert into traffic select * from traffic`,
          sql`update traffic set pay_date = '2026-03-02'`,
          sql`insert into traffic_moved values (1, 1, 'r', '2026-03', 1)`,
          sql`update traffic_moved set bytes = 1`,
        ])
          await expect(runAsCompany(statement)).rejects.toMatchObject({ code: '42501' })
      })

      test('cannot change paid or invalid orders', async () => {
        const paidId = await createBackupOrder(server, 'shop')
        const invalidId = await createBackupOrder(server, 'shop', { status: -1 })
        expect(await runAsCompany(sql`update backup_order set status = -1 where id = ${paidId}`)).toBe(0)
        expect(await runAsCompany(sql`update backup_order set status = 0 where id = ${invalidId}`)).toBe(0)
      })
    })
  })
})
