/** Months that are over are billed, once each; what is overdue suspends what causes more (D22, D23, D25, D31, D86). */
import { beforeEach, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { takeOverdue } from '#server/db/hosting/traffic.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { backupOf, listPrices, move, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { entriesOf } from '#tests/support/audit-trail/trail-entries.ts'

onConnections('months of traffic', (engine) => {
  const the = setUpShop(engine)
  const box = mailBox(() => the.server.app)
  let server: TestServer
  let buyer: SignedIn
  let serviceId = 0
  beforeEach(async () => {
    server = the.server
    buyer = await server.signIn('order@alpha')
    await bought(server, buyer)
    serviceId = await serviceIdOf(server, 'shop')
    await box.fetch()
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(server.app, { role: 'portal_system' }, work)
  /** In the business time zone, in which this is 10:00. */
  const on = async (day: string) => {
    server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await server.signIn('order@alpha')
  }
  const moves = (gb: number, run: string) => move(server, 'shop', gb * 1e9, run)
  const service = () =>
    asSystem((db) => db.selectFrom('service_row').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow())
  const months = async () =>
    (
      await asSystem((db) =>
        db.selectFrom('traffic').selectAll().where('service_id', '=', serviceId).orderBy('period_end').execute(),
      )
    ).map(({ period_end, pdb_traffic, amount }) => `${period_end}: ${pdb_traffic} GB, ${amount}`)

  test('are billed when they are over: GB beyond the free ones, without the discount, with their steps', async () => {
    await backupOf(server, 'shop')
    await moves(63, 'backup-1')
    server.clock.now = Date.parse('2026-03-31T15:59:59Z')
    expect(await closeTraffic(server.app)).toEqual({ billed: 0, overdue: 0 })
    server.clock.now += 1000
    expect(await closeTraffic(server.app)).toEqual({ billed: 1, overdue: 0 })
    expect(await closeTraffic(server.app)).toEqual({ billed: 0, overdue: 0 })
    buyer = await server.signIn('order@alpha')
    expect((await buyer.send({ url: `/api/pdb/traffic?serviceId=${serviceId}` })).json()).toMatchObject({
      count: 1,
      data: [
        {
          period_end: '2026-04-01',
          pdb_traffic: '63.00',
          free: '50.00',
          price: '12.50',
          currency: 'HKD',
          amount: '162.50',
          pay_date: null,
          pay_amount: null,
          due: '2026-04-08 23:59:59',
          invoice_no: null,
        },
      ],
    })
    const [row] = await asSystem((db) => db.selectFrom('traffic').select(['steps', 'price_id']).execute())
    expect(row?.price_id).toBe(the.lists[0])
    expect(row?.steps).toMatchObject([
      { code: 'traffic', amount: '162.50', values: { gb: '13.00', price: '12.50' } },
      { code: 'due', amount: '162.50' },
    ])
    expect(await service()).toMatchObject({ closed_month: '2026-03', os_traffic: expect.any(Number) })
  })

  test('that nobody looked at for half a year are all billed, one record each, in order', async () => {
    await backupOf(server, 'shop', { period_end: '2026-06-02', months: 3 })
    await moves(51, 'backup-1')
    await on('2026-05-20')
    await moves(52, 'backup-2')
    await on('2026-07-01')
    await moves(50.4, 'restore-1')
    await on('2026-10-02')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 5 })
    // July was moved in after the subscription was over: by the last terms before. August and September are nothing.
    expect(await months()).toEqual([
      '2026-04-01: 51.00 GB, 12.50',
      '2026-05-01: 0.00 GB, 0.00',
      '2026-06-01: 52.00 GB, 25.00',
      '2026-07-01: 0.00 GB, 0.00',
      '2026-08-01: 50.40 GB, 5.00',
    ])
    expect(await service()).toMatchObject({ closed_month: '2026-09' })
    await on('2026-12-05')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 0 })
    expect(await service()).toMatchObject({ closed_month: '2026-11' })
  })

  test('go by the list that the subscription was sold by, and by that of the next one from then on', async () => {
    await backupOf(server, 'shop', { period_end: '2026-04-15', months: 1, price_id: the.lists[0] ?? 0 })
    await moves(60, 'backup-1')
    await on('2026-04-10')
    await asSystem((db) =>
      db
        .updateTable('price_list')
        .set({ deleted: true })
        .where('id', '=', the.lists[0] ?? 0)
        .execute(),
    )
    await backupOf(server, 'shop', {
      period_start: '2026-04-15',
      period_end: '2027-03-02',
      months: 11,
      price_id: the.lists[1] ?? 0,
    })
    await listPrices(server, { pdb2s3_traffic: '50.00' })
    await asSystem(async (db) => {
      const { content } = await db
        .selectFrom('price_list')
        .select('content')
        .where('id', '=', the.lists[1] ?? 0)
        .executeTakeFirstOrThrow()
      const dearer = { ...content, pdbPrice: { ...content.pdbPrice, pdb2s3_traffic: '10.00', pdb2s3_up_hkd: '20.00' } }
      await db
        .updateTable('price_list')
        .set({ content: JSON.stringify(dearer) })
        .where('id', '=', the.lists[1] ?? 0)
        .execute()
    })
    await moves(60, 'backup-2')
    await on('2026-05-02')
    await closeTraffic(server.app)
    expect(await months()).toEqual(['2026-04-01: 60.00 GB, 125.00', '2026-05-01: 60.00 GB, 1000.00'])
  })

  test('are billed once, whoever looks at the same moment', async () => {
    await backupOf(server, 'shop')
    await moves(63, 'backup-1')
    await on('2026-06-01')
    const told = await Promise.all(Array.from({ length: 6 }, () => closeTraffic(server.app)))
    expect(told.reduce((all, { billed }) => all + billed, 0)).toBe(3)
    expect(await months()).toHaveLength(3)
  }, 30_000)

  test('that a clock closed too early take nothing more: it counts in the next open one', async () => {
    await backupOf(server, 'shop')
    await on('2026-08-01')
    await closeTraffic(server.app)
    await on('2026-03-05')
    await moves(70, 'backup-1')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 0 })
    await on('2026-09-01')
    await closeTraffic(server.app)
    expect((await months()).at(-1)).toBe('2026-09-01: 70.00 GB, 250.00')
    expect(await months()).toHaveLength(6)
  })

  test('that are cut off half-way leave nothing, and are all billed the next time', async () => {
    const [a = 0, b = 0] = the.lists
    await backupOf(server, 'shop', { period_end: '2026-04-15', months: 1, price_id: a })
    await backupOf(server, 'shop', { period_start: '2026-04-15', months: 11, price_id: b })
    await moves(63, 'backup-1')
    await on('2026-05-02')
    const setB = (content: unknown) =>
      asSystem((db) =>
        db
          .updateTable('price_list')
          .set({ content: JSON.stringify(content) })
          .where('id', '=', b)
          .execute(),
      )
    const { content } = await asSystem((db) =>
      db.selectFrom('price_list').select('content').where('id', '=', b).executeTakeFirstOrThrow(),
    )
    await setB({ ...content, pdbPrice: null })
    await bought(server, buyer, { code: 'sound', period_start: '2026-05-02' })
    await backupOf(server, 'sound')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 2 })
    expect(server.logged()).toContain('a month of traffic could not be billed')
    expect([await months(), (await service()).closed_month]).toEqual([[], null])
    await setB(content)
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 2 })
  })

  test('without a subscription stay open', async () => {
    await moves(63, 'backup-1')
    await on('2026-06-01')
    expect(await closeTraffic(server.app)).toEqual({ billed: 0, overdue: 0 })
    expect((await service()).closed_month).toBeNull()
  })

  test('are numbered for devices, and told to nobody where there is nothing to pay', async () => {
    await oneReader()
    await backupOf(server, 'shop')
    const url = `/api/pdb/traffic?serviceId=${serviceId}`
    const since = (await buyer.send({ url })).headers['x-change']
    await on('2026-04-02')
    await closeTraffic(server.app)
    expect((await buyer.send({ url: `${url}&since=${String(since)}` })).json().changed).toMatchObject([
      { period_end: '2026-04-01', amount: '0.00' },
    ])
    expect(await box.fetch()).toEqual([])
  })

  /** One reader is enough. */
  const oneReader = () =>
    asSystem((db) =>
      db
        .updateTable('portal_user')
        .set({ orders: false })
        .where('id', '=', server.world.users['second@alpha'] ?? 0)
        .execute(),
    )

  test('that cost something are told by mail, and again when they are overdue, once each', async () => {
    await oneReader()
    await backupOf(server, 'shop')
    await moves(63, 'backup-1')
    await on('2026-04-01')
    await closeTraffic(server.app)
    const [due, ...more] = await box.fetch()
    expect(more).toEqual([])
    expect(due).toMatchObject({ to: { address: 'order@alpha.example' } })
    expect(due?.text).toContain('2026-03')
    expect(due?.text).toContain('HKD 162.50')
    expect(due?.text).toContain('2026-04-08 23:59:59')
    server.clock.now = Date.parse('2026-04-08T15:59:59Z')
    expect(await closeTraffic(server.app)).toEqual({ billed: 0, overdue: 0 })
    expect(await service()).toMatchObject({ traffic_disabled: false })
    server.clock.now += 1000
    const told = await Promise.all(Array.from({ length: 4 }, () => closeTraffic(server.app)))
    expect(told.reduce((all, { overdue }) => all + overdue, 0)).toBe(1)
    const mails = await box.fetch()
    expect(mails.map(({ subject }) => subject)).toEqual(['Backups are suspended · Service portal'])
    expect(await service()).toMatchObject({ traffic_disabled: true, traffic_blocked: false })
    expect(await entriesOf(server, 'backup')).toMatchObject([
      {
        operation: 'disable',
        exec_user_id: null,
        info: { ServiceCode: 'shop', Month: '2026-03', By: 'schedule' },
      },
    ])
  }, 30_000)

  test('mails about what was paid meanwhile are not sent', async () => {
    await oneReader()
    await backupOf(server, 'shop')
    await moves(63, 'backup-1')
    await on('2026-04-01')
    await closeTraffic(server.app)
    await asSystem((db) => db.updateTable('traffic').set({ pay_date: '2026-04-01', pay_amount: '162.50' }).execute())
    expect(await box.fetch()).toEqual([])
    await on('2026-05-20')
    expect(await closeTraffic(server.app)).toMatchObject({ overdue: 0 })
    expect(await service()).toMatchObject({ traffic_disabled: false })
  })

  test('that are overdue are taken by one node alone, to be told', async () => {
    const id = await trafficOf(server, 'shop', { isPaid: false })
    expect(await asSystem((db) => takeOverdue(db, id))).toBe(true)
    expect(await asSystem((db) => takeOverdue(db, id))).toBe(false)
  })

  test('of which one is overdue and another one not are suspended for the one', async () => {
    await trafficOf(server, 'shop', { isPaid: false, period_end: '2026-03-01' })
    await on('2026-03-09')
    await trafficOf(server, 'shop', { isPaid: false, period_end: '2026-04-01' })
    await on('2026-03-10')
    expect(await closeTraffic(server.app)).toMatchObject({ overdue: 1 })
    await on('2026-03-17')
    expect(await closeTraffic(server.app)).toMatchObject({ overdue: 1 })
  })
})
