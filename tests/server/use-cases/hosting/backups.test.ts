/** A service's backups and its traffic as rows and as lists (contracts 3; D20 to D25, D90, D91). */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { backupOf, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

const system = { role: 'portal_system' } as const

describe('backups', () => {
  const the = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  let serviceId = 0
  beforeEach(async () => {
    server = the.server
    buyer = await server.signIn('order@alpha')
    await bought(server, buyer)
    serviceId = await serviceIdOf(server, 'shop')
  })

  const list = async (path: 'order' | 'traffic', query: string, by = buyer) =>
    by.send({ url: `/api/pdb/${path}?${query}` })
  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) => inTransaction(server.app, system, work)

  describe('are listed', () => {
    test('by service and kind, with the number of their invoice', async () => {
      const first = await backupOf(server, 'shop')
      server.clock.now += 5000
      const second = await backupOf(server, 'shop', { pdb_type: 'pdb2rds', status: 0 })
      const all = (await list('order', `serviceId=${serviceId}`)).json()
      expect(all.data.map(({ id }: { id: number }) => id)).toEqual([second, first])
      expect(all).toMatchObject({
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
      const rds = (await list('order', `serviceId=${serviceId}&pdb_type=pdb2rds`)).json()
      expect([rds.count, rds.data[0].id]).toEqual([1, second])
    })

    test('as traffic by month, the newest first', async () => {
      await trafficOf(server, 'shop', { period_end: '2026-03-01', pdb_traffic: '50.00', isPaid: false })
      await trafficOf(server, 'shop')
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

    test('as what changed since a number, and as a stream', async () => {
      const first = await backupOf(server, 'shop')
      const before = (await list('order', `serviceId=${serviceId}`)).headers['x-change']
      const second = await backupOf(server, 'shop')
      const { changed, gone } = (await list('order', `serviceId=${serviceId}&since=${String(before)}`)).json()
      expect([changed.map(({ id }: { id: number }) => id), gone]).toEqual([[second], []])
      const headers = { accept: 'application/x-ndjson' }
      const streamed = await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}&since=`, headers })
      const lines = streamed.body.trim().split('\n')
      expect(lines.slice(0, -1).map((line) => JSON.parse(line).row.id)).toEqual([first, second])
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ count: 2 })
      await trafficOf(server, 'shop')
      const months = await buyer.send({ url: `/api/pdb/traffic?serviceId=${serviceId}&since=`, headers })
      expect(months.body.trim().split('\n')).toHaveLength(2)
    })

    test('to no other company, and to staff who order (N-06)', async () => {
      await backupOf(server, 'shop')
      await trafficOf(server, 'shop')
      const beta = await server.signIn('order@beta')
      const staff = await server.signIn('order@m18')
      for (const path of ['order', 'traffic'] as const) {
        for (const by of [beta, buyer]) {
          const id = by === beta ? serviceId : 999_999
          const answer = await list(path, `serviceId=${id}`, by)
          expect([answer.statusCode, answer.json().errorCode]).toEqual([404, 'NOT_FOUND'])
        }
        for (const since of ['', '0']) {
          const asked = await list(path, `serviceId=${serviceId}&since=${since}`, beta)
          expect(asked.statusCode).toBe(404)
        }
        expect((await list(path, `serviceId=${serviceId}`, staff)).json().count).toBe(1)
      }
      // A code that is free again is another company's service, and what was there before is not.
      const { beta: companyId } = server.world.companies
      await asSystem((db) => sql`update service set company_id = ${companyId}`.execute(db))
      expect((await list('order', `serviceId=${serviceId}`, beta)).json().count).toBe(0)
      expect((await list('traffic', `serviceId=${serviceId}`, beta)).json().count).toBe(0)
    })
  })

  describe('as rows', () => {
    test.each([
      ['a period of none', { period: 0 }],
      ['a period of a hundred', { period: 100 }],
      ['a negative fee', { annual: '-12.00' }],
      ['a negative amount', { amount: '-0.01' }],
      ['more to pay than the amount', { pay_amount: '6000.01' }],
      ['more discount than all', { discount: '100.01' }],
      ['an unknown status', { status: 2 as never }],
      ['an unknown currency', { currency: 'EUR' as never }],
      ['an unknown kind', { pdb_type: 'pdb2tape' as never }],
      ['an end before it begins', { period_end: '2026-03-02' }],
    ])('refuse %s', async (_, fields) => {
      await expect(backupOf(server, 'shop', fields)).rejects.toMatchObject({ code: '23514' })
    })

    test('wait to be paid once a service and kind (D91)', async () => {
      await backupOf(server, 'shop', { status: 0 })
      await backupOf(server, 'shop', { status: 0, pdb_type: 'pdb2rds' })
      await backupOf(server, 'shop', { status: -1 })
      await expect(backupOf(server, 'shop', { status: 0 })).rejects.toMatchObject({ code: '23505' })
    })

    test.each([
      ['negative GB', { pdb_traffic: '-0.01' }],
      ['an end that is no first day of a month', { period_end: '2026-03-31' }],
      ['a negative amount', { amount: '-0.01' }],
      ['a day of payment without what was paid', { pay_amount: null }],
      ['another sum paid than is due', { pay_amount: '162.49' }],
    ])('of traffic refuse %s', async (_, fields) => {
      await expect(trafficOf(server, 'shop', fields)).rejects.toMatchObject({ code: '23514' })
    })

    test('of traffic are one a service and month', async () => {
      await trafficOf(server, 'shop')
      await expect(trafficOf(server, 'shop')).rejects.toMatchObject({ code: '23505' })
    })
  })

  describe('are invoiced', () => {
    const codes = () => asSystem((db) => db.selectFrom('invoice').select('code').orderBy('code').execute())

    test('in the one numbering of contracts, without gaps (D90)', async () => {
      await backupOf(server, 'shop')
      await expect(backupOf(server, 'shop', { period: 0 })).rejects.toThrow()
      await trafficOf(server, 'shop')
      await bought(server, buyer, { code: 'second' })
      expect((await codes()).map(({ code }) => code)).toEqual([1, 2, 3, 4].map((at) => `I20260300000${at}`))
    })

    test('frozen with seller, buyer, service and lines', async () => {
      await asSystem((db) => db.updateTable('company').set({ tax_number: '12345678' }).execute())
      const backup = await backupOf(server, 'shop')
      const traffic = await trafficOf(server, 'shop')
      const all = await asSystem((db) => db.selectFrom('invoice').selectAll().orderBy('code').execute())
      const parties = {
        seller: { code: 'm18', tax_number: '12345678' },
        buyer: { code: 'alpha', tax_number: '12345678' },
      }
      expect(all.slice(1)).toMatchObject([
        {
          order_id: null,
          backup_order_id: backup,
          traffic_id: null,
          content: {
            ...parties,
            invoice_no: 'I202603000002',
            service: { code: 'shop', name: 'Shop' },
            backup: { id: backup, pdb_type: 'pdb2s3', period_start: '2026-03-02', period_end: '2027-03-02' },
            lines: [{ code: 'months' }, { code: 'discount' }, { code: 'due', amount: '5400.00' }],
            amount: '6000.00',
            pay_amount: '5400.00',
            payment: { gateway: 'simulate', paid: '2026-03-02 10:00:00' },
          },
        },
        {
          order_id: null,
          backup_order_id: null,
          traffic_id: traffic,
          content: { ...parties, traffic: { month: '2026-03' }, currency: 'HKD', pay_amount: '162.50' },
        },
      ])
    })

    test('once, and each invoice is of one thing', async () => {
      const id = await backupOf(server, 'shop')
      const of = (order: number | null, backup: number | null) =>
        asSystem((db) =>
          sql`insert into invoice (company_id, code, order_id, backup_order_id, content, create_time)
            values (${server.world.companies.alpha}, 'I1', ${order}::integer, ${backup}::integer, '{}', 1)`.execute(db),
        )
      await expect(of(null, null)).rejects.toMatchObject({ code: '23514' })
      await expect(of(1, id)).rejects.toMatchObject({ code: '23514' })
      await expect(of(null, id)).rejects.toMatchObject({ code: '23505' })
    })

    describe('and the companies’ role', () => {
      const asCompany = async (statement: ReturnType<typeof sql>) =>
        Number(
          (
            await inTransaction(server.app, { role: 'portal_app', companyId: server.world.companies.alpha }, (db) =>
              statement.execute(db),
            )
          ).numAffectedRows ?? 0,
        )
      const copied = (status: number) => sql`
        insert into backup_order (company_id, service_id, service_code, price_id, currency, pdb_type, period, period_type,
          period_start, period_end, annual, discount, amount, pay_amount, status, steps, change, create_time, update_time)
        select company_id, service_id, service_code, price_id, currency, 'pdb2rds', period, period_type, period_start,
          period_end, annual, discount, amount, pay_amount, ${status}, steps, change, create_time, update_time
        from backup_order limit 1`

      test('orders, drops what is not paid and takes what costs nothing (D15)', async () => {
        const id = await backupOf(server, 'shop', { status: 0 })
        expect(await asCompany(copied(0))).toBe(1)
        expect(await asCompany(sql`update backup_order set status = -1 where id = ${id}`)).toBe(1)
        const free = await backupOf(server, 'shop', { status: 0, discount: '100.00' })
        expect(await asCompany(sql`update backup_order set status = 1 where id = ${free}`)).toBe(1)
      })

      test('writes nothing else of backups, and nothing of traffic', async () => {
        const id = await backupOf(server, 'shop', { status: 0 })
        for (const statement of [
          sql`update backup_order set status = 1 where id = ${id}`,
          sql`update backup_order set pay_amount = 0 where id = ${id}`,
          sql`update backup_order set period_end = '2030-01-01' where id = ${id}`,
          copied(1),
          sql`delete from backup_order`,
          sql`insert into traffic select * from traffic`,
          sql`update traffic set pay_date = '2026-03-02'`,
          sql`insert into traffic_moved values (1, 1, 'r', '2026-03', 1)`,
          sql`update traffic_moved set bytes = 1`,
        ])
          await expect(asCompany(statement)).rejects.toMatchObject({ code: '42501' })
      })

      test('takes back nothing that is paid or invalid', async () => {
        const paid = await backupOf(server, 'shop')
        const invalid = await backupOf(server, 'shop', { status: -1 })
        expect(await asCompany(sql`update backup_order set status = -1 where id = ${paid}`)).toBe(0)
        expect(await asCompany(sql`update backup_order set status = 0 where id = ${invalid}`)).toBe(0)
      })
    })
  })
})
