/** Subscribing a service to backups (D13, D15, D16, D17, D20, D21, D31, D91; Z-23). */
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import { clockKinds } from '#server/jobs/registry.ts'
import { askToTend } from '#server/jobs/expire-orders.ts'
import { workOne } from '#server/jobs/runner.ts'
import { backupOf, listPrices, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { entriesOf } from '#tests/support/audit-trail/trail-entries.ts'
import { began, bought, type Ordered, paid, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'

const dayMs = 86_400_000

describe('ordering a backup', () => {
  const the = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  let contract: Ordered
  let serviceId = 0
  beforeEach(async () => {
    server = the.server
    buyer = await server.signIn('order@alpha')
    contract = await bought(server, buyer)
    serviceId = await serviceIdOf(server, 'shop')
  })

  const ask = (fields: object = {}, by = buyer) =>
    by.send({
      method: 'POST',
      url: '/api/pdb/order',
      payload: { service_id: serviceId, pdb_type: 'pdb2s3', period: 1, period_type: 'year', ...fields },
    })
  const list = async (query = '') =>
    (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}${query}` })).json().data
  const service = async () => (await buyer.send({ url: '/api/aws/service' })).json().data[0]
  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(server.app, { role: 'portal_system' }, work)
  const on = async (day: string) => {
    server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await server.signIn('order@alpha')
  }
  const why = (answer: { json(): { data?: { why?: string } } }) => answer.json().data?.why

  test('takes the price of today, period and steps, and waits to be paid', async () => {
    const answer = await ask()
    expect([answer.statusCode, Object.keys(answer.json())]).toEqual([200, ['id']])
    expect(await list()).toMatchObject([
      {
        id: answer.json().id,
        service_id: serviceId,
        price_id: the.lists[0],
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
    expect(await service()).toMatchObject({ os_pdb2s3: answer.json().id, os_pdb2rds: 0, pdb2s3_date: null })
    const [row] = await asSystem((db) => db.selectFrom('backup_order').select('steps').execute())
    expect(row?.steps.map(({ code, amount }) => `${code} ${amount}`)).toEqual([
      'months 6000.00',
      'discount -600.00',
      'due 5400.00',
    ])
  })

  test('is written into the trail in the same transaction (D86)', async () => {
    const { id } = (await ask()).json()
    expect(await entriesOf(server, 'backup')).toMatchObject([
      { operation: 'create', info: { ServiceCode: 'shop', OrderId: id, Amount: 'HKD 5400.00' } },
    ])
  })

  test('is cut where the contract ends, and started months are paid for', async () => {
    await on('2026-09-14')
    await ask({ period: 3 })
    expect(await list()).toMatchObject([
      { period: 3, period_start: '2026-09-14', period_end: '2027-03-02', amount: '3000.00', pay_amount: '2700.00' },
    ])
  })

  test('begins where the present one ends, and there is none beyond the contract', async () => {
    await backupOf(server, 'shop', { period_end: '2026-12-02', months: 9 })
    expect((await ask({ period: 2, period_type: 'month' })).statusCode).toBe(200)
    expect((await list())[0]).toMatchObject({ period_start: '2026-12-02', period_end: '2027-02-02', amount: '1000.00' })
    await backupOf(server, 'shop', { period_start: '2026-12-02', period_end: '2027-03-02' })
    const refused = await ask()
    expect([refused.statusCode, why(refused)]).toEqual([409, 'coveredToEnd'])
    // The other kind has its own time.
    expect((await ask({ pdb_type: 'pdb2rds' })).statusCode).toBe(200)
  })

  test.each([
    ['no period', { period: 0 }],
    ['a period of a hundred', { period: 100 }],
    ['half a year', { period: 0.5 }],
    ['an unknown unit', { period_type: 'day' }],
    ['an unknown kind', { pdb_type: 'pdb2tape' }],
  ])('refuses %s', async (_, fields) => {
    expect((await ask(fields)).json().errorCode).toBe('VALIDATION_ERROR')
    expect(await list()).toEqual([])
  })

  test('is refused where nothing can be sold, and says why', async () => {
    await listPrices(server, null)
    expect(why(await ask())).toBe('noPrice')
    await asSystem((db) => db.updateTable('price_list').set({ confirmed: false }).execute())
    expect(why(await ask())).toBe('noPriceList')
    await on('2027-03-02')
    expect(why(await ask())).toBe('extendFirst')
    await asSystem((db) =>
      sql`insert into service (company_id, code, name, system_status, create_time, update_time)
        values (${server.world.companies.alpha}, 'bare', 'Bare', 1, 1, 1)`.execute(db),
    )
    expect(why(await ask({ service_id: await serviceIdOf(server, 'bare') }))).toBe('noContract')
    expect(await list()).toEqual([])
  })

  test('is for no other company, for nobody without the flag, and for staff who order (N-06, Z-23)', async () => {
    const beta = await server.signIn('order@beta')
    expect((await ask({}, beta)).statusCode).toBe(404)
    expect((await ask({ service_id: 999_999 })).statusCode).toBe(404)
    expect((await ask({}, await server.signIn('user@alpha'))).statusCode).toBe(403)
    const staff = await server.signIn('order@m18')
    const { id } = (await ask({}, staff)).json()
    expect(await list()).toMatchObject([{ id }])
  })

  describe('that was shown otherwise', () => {
    test('is refused with both figures, and goes by those of now (D17)', async () => {
      const shown = { price_id: the.lists[0], pay_amount: '5400.00' }
      await listPrices(server, { pdb2s3_fee_hkd: '7200.00' })
      const answer = await ask(shown)
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        { errorCode: 'QUOTE_CHANGED', data: { shown, now: { price_id: the.lists[0], pay_amount: '6480.00' } } },
      ])
      expect(await list()).toEqual([])
      expect((await ask({ price_id: the.lists[0], pay_amount: '6480.00' })).statusCode).toBe(200)
    })

    test.each([
      ['by another list', { price_id: 999_999 }],
      ['at another sum', { pay_amount: '5400.01' }],
      ['by an id that is none of ours', { quote_id: 'q'.repeat(32) }],
    ])('%s is refused', async (_, shown) => {
      expect((await ask(shown)).json().errorCode).toBe('QUOTE_CHANGED')
    })
  })

  test('takes the place of one of its kind that was not paid, and of no other', async () => {
    const first = (await ask()).json().id
    const other = (await ask({ pdb_type: 'pdb2rds' })).json().id
    const second = (await ask({ period: 3, period_type: 'month' })).json().id
    expect((await list()).map(({ id, status }: { id: number; status: number }) => [id, status])).toEqual(
      expect.arrayContaining([
        [first, -1],
        [other, 0],
        [second, 0],
      ]),
    )
    expect(await service()).toMatchObject({ os_pdb2s3: second, os_pdb2rds: other })
  })

  test('ten times at once leaves one that waits', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 10 }, () => 200))
    const statuses = (await list('&results=50')).map(({ status }: { status: number }) => status)
    expect(statuses.toSorted((a: number, b: number) => b - a)).toEqual([0, ...Array.from({ length: 9 }, () => -1)])
  }, 30_000)

  test('for nothing takes effect at once, and the first backup is due (D15)', async () => {
    await listPrices(server, { pdb2s3_discount: '100.00' })
    const { id } = (await ask()).json()
    expect(await list()).toMatchObject([{ id, amount: '6000.00', pay_amount: '0.00', status: 1, invoice_no: null }])
    expect(await service()).toMatchObject({ os_pdb2s3: 0, pdb2s3_date: '2027-03-02' })
    const [row] = await asSystem((db) => db.selectFrom('service').select(['next_pdb2s3', 'next_pdb2rds']).execute())
    expect(row).toEqual({ next_pdb2s3: began, next_pdb2rds: null })
  })

  describe('that is not paid in time (D31)', () => {
    const late = async (days: number) => {
      server.clock.now = began + days * dayMs
      buyer = await server.signIn('order@alpha')
    }

    test('reads as invalid at once, in every reading, and is written down by the clock', async () => {
      const { id } = (await ask()).json()
      const number = Number((await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}` })).headers['x-change'])
      await late(7)
      expect(await list()).toMatchObject([{ id, status: 0 }])
      expect(await service()).toMatchObject({ os_pdb2s3: id })
      await late(8)
      expect(await list('&sortField=status&sortOrder=asc')).toMatchObject([{ id, status: -1 }])
      expect(await service()).toMatchObject({ os_pdb2s3: 0 })
      const since = async () =>
        (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}&since=${number}` })).json().changed
      expect(await since()).toMatchObject([{ id, status: -1, row_version: 1 }])
      await askToTend(server.app)
      while (await workOne(server.app, clockKinds));
      const [row] = await asSystem((db) => db.selectFrom('backup_order').select(['status', 'row_version']).execute())
      expect(row).toEqual({ status: -1, row_version: 2 })
      expect(await since()).toMatchObject([{ id, status: -1, row_version: 2 }])
    })

    test('fault 6d is invalid from the end of its own period on, in the list, since the last reading, and for the job', async () => {
      await late(362)
      const { id } = (await ask()).json()
      const number = Number((await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}` })).headers['x-change'])
      await late(364)
      expect(await list()).toMatchObject([{ id, period_end: '2027-03-02', status: 0 }])
      await late(365)
      const paid = await backupOf(server, 'shop', { pdb_type: 'pdb2rds' })
      // One that is invalid stands before one that is paid.
      const sorted = await list('&sortField=status&sortOrder=asc')
      expect(sorted.map((row: { id: number }) => row.id)).toEqual([id, paid])
      const since = (await buyer.send({ url: `/api/pdb/order?serviceId=${serviceId}&since=${number}` })).json().changed
      expect(since).toContainEqual(expect.objectContaining({ id, status: -1 }))
      await askToTend(server.app)
      while (await workOne(server.app, clockKinds));
      const [row] = await asSystem((db) =>
        db.selectFrom('backup_order').select('status').where('id', '=', id).execute(),
      )
      expect(row).toEqual({ status: -1 })
      expect(await service()).toMatchObject({ os_pdb2s3: 0 })
    })

    test('is sorted as it reads', async () => {
      const overdue = (await ask()).json().id
      const replaced = await backupOf(server, 'shop', { pdb_type: 'pdb2rds', status: -1 })
      const paid = await backupOf(server, 'shop', { pdb_type: 'pdb2rds' })
      await late(8)
      const ids = async (order: string) =>
        (await list(`&sortField=status&sortOrder=${order}`)).map(({ id }: { id: number }) => id)
      // Two that are invalid, in the order of their ids.
      expect(await ids('asc')).toEqual([overdue, replaced, paid])
    })

    test('makes room for another one', async () => {
      await ask()
      await late(8)
      const { id } = (await ask()).json()
      expect((await list()).map((row: { status: number }) => row.status).toSorted()).toEqual([-1, 0])
      expect(await service()).toMatchObject({ os_pdb2s3: id })
    })
  })

  test('goes on to the end of an extended contract', async () => {
    await on('2026-06-01')
    const extended = await buyer.send({
      method: 'POST',
      url: '/api/contract',
      payload: { type: 'extend', contract_id: contract.contract_id, period: 1 },
    })
    await paid(server, extended.json())
    await ask({ period: 2 })
    expect(await list()).toMatchObject([{ period_start: '2026-06-01', period_end: '2028-03-02' }])
  })
})
