/**
 * Tests that ended months are billed once each, and that an overdue month suspends the backups that cause traffic (D22, D23, D25, D31,
 * D86).
 */
import { beforeEach, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { claimOverdueNotice } from '#server/db/hosting/traffic.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import {
  createBackupOrder,
  setBackupPrices,
  recordTraffic,
  readServiceId,
  createTraffic,
} from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'

onConnections('months of traffic', (engine) => {
  const fixture = setUpShop(engine)
  const inbox = createMailBox(() => fixture.server.app)
  let server: TestServer
  let buyer: SignedIn
  let serviceId = 0
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
    await buyOrder(server, buyer)
    serviceId = await readServiceId(server, 'shop')
    await inbox.fetch()
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(server.app, { role: 'portal_system' }, work)
  /** Sets the clock to 10:00 of the day in the business time zone. */
  const setDay = async (day: string) => {
    server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await server.signIn('order@alpha')
  }
  const addTraffic = (gb: number, run: string) => recordTraffic(server, 'shop', gb * 1e9, run)
  const readService = () =>
    runAsSystem((db) => db.selectFrom('service_row').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow())
  const listMonths = async () =>
    (
      await runAsSystem((db) =>
        db.selectFrom('traffic').selectAll().where('service_id', '=', serviceId).orderBy('period_end').execute(),
      )
    ).map(({ period_end, pdb_traffic, amount }) => `${period_end}: ${pdb_traffic} GB, ${amount}`)

  test('A month is billed after its end: GB above the free amount, without discount, with the steps', async () => {
    await createBackupOrder(server, 'shop')
    await addTraffic(63, 'backup-1')
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
    const [row] = await runAsSystem((db) => db.selectFrom('traffic').select(['steps', 'price_id']).execute())
    expect(row?.price_id).toBe(fixture.priceListIds[0])
    expect(row?.steps).toMatchObject([
      { code: 'traffic', amount: '162.50', values: { gb: '13.00', price: '12.50' } },
      { code: 'due', amount: '162.50' },
    ])
    expect(await readService()).toMatchObject({ closed_month: '2026-03', os_traffic: expect.any(Number) })
  })

  test('Months that were not closed for half a year are billed in order, with one record each', async () => {
    await createBackupOrder(server, 'shop', { period_end: '2026-06-02', months: 3 })
    await addTraffic(51, 'backup-1')
    await setDay('2026-05-20')
    await addTraffic(52, 'backup-2')
    await setDay('2026-07-01')
    await addTraffic(50.4, 'restore-1')
    await setDay('2026-10-02')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 5 })
    // The traffic of July came after the subscription and is billed by its last terms. August and September had no traffic.
    expect(await listMonths()).toEqual([
      '2026-04-01: 51.00 GB, 12.50',
      '2026-05-01: 0.00 GB, 0.00',
      '2026-06-01: 52.00 GB, 25.00',
      '2026-07-01: 0.00 GB, 0.00',
      '2026-08-01: 50.40 GB, 5.00',
    ])
    expect(await readService()).toMatchObject({ closed_month: '2026-09' })
    await setDay('2026-12-05')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 0 })
    expect(await readService()).toMatchObject({ closed_month: '2026-11' })
  })

  test('A month uses the price list of its subscription, and a later month that of the next subscription', async () => {
    await createBackupOrder(server, 'shop', {
      period_end: '2026-04-15',
      months: 1,
      price_id: fixture.priceListIds[0] ?? 0,
    })
    await addTraffic(60, 'backup-1')
    await setDay('2026-04-10')
    await runAsSystem((db) =>
      db
        .updateTable('price_list')
        .set({ deleted: true })
        .where('id', '=', fixture.priceListIds[0] ?? 0)
        .execute(),
    )
    await createBackupOrder(server, 'shop', {
      period_start: '2026-04-15',
      period_end: '2027-03-02',
      months: 11,
      price_id: fixture.priceListIds[1] ?? 0,
    })
    await setBackupPrices(server, { pdb2s3_traffic: '50.00' })
    await runAsSystem(async (db) => {
      const { content } = await db
        .selectFrom('price_list')
        .select('content')
        .where('id', '=', fixture.priceListIds[1] ?? 0)
        .executeTakeFirstOrThrow()
      const dearerContent = {
        ...content,
        pdbPrice: { ...content.pdbPrice, pdb2s3_traffic: '10.00', pdb2s3_up_hkd: '20.00' },
      }
      await db
        .updateTable('price_list')
        .set({ content: JSON.stringify(dearerContent) })
        .where('id', '=', fixture.priceListIds[1] ?? 0)
        .execute()
    })
    await addTraffic(60, 'backup-2')
    await setDay('2026-05-02')
    await closeTraffic(server.app)
    expect(await listMonths()).toEqual(['2026-04-01: 60.00 GB, 125.00', '2026-05-01: 60.00 GB, 1000.00'])
  })

  test('A month is billed once by concurrent closings', async () => {
    await createBackupOrder(server, 'shop')
    await addTraffic(63, 'backup-1')
    await setDay('2026-06-01')
    const results = await Promise.all(Array.from({ length: 6 }, () => closeTraffic(server.app)))
    expect(results.reduce((sum, { billed }) => sum + billed, 0)).toBe(3)
    expect(await listMonths()).toHaveLength(3)
  }, 30_000)

  test('Traffic of a month that was closed too early is billed in the next open month', async () => {
    await createBackupOrder(server, 'shop')
    await setDay('2026-08-01')
    await closeTraffic(server.app)
    await setDay('2026-03-05')
    await addTraffic(70, 'backup-1')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 0 })
    await setDay('2026-09-01')
    await closeTraffic(server.app)
    expect((await listMonths()).at(-1)).toBe('2026-09-01: 70.00 GB, 250.00')
    expect(await listMonths()).toHaveLength(6)
  })

  test('An interrupted closing leaves no record, and the next closing bills all months', async () => {
    const [oldListId = 0, newListId = 0] = fixture.priceListIds
    await createBackupOrder(server, 'shop', { period_end: '2026-04-15', months: 1, price_id: oldListId })
    await createBackupOrder(server, 'shop', { period_start: '2026-04-15', months: 11, price_id: newListId })
    await addTraffic(63, 'backup-1')
    await setDay('2026-05-02')
    const setNewListContent = (content: unknown) =>
      runAsSystem((db) =>
        db
          .updateTable('price_list')
          .set({ content: JSON.stringify(content) })
          .where('id', '=', newListId)
          .execute(),
      )
    const { content } = await runAsSystem((db) =>
      db.selectFrom('price_list').select('content').where('id', '=', newListId).executeTakeFirstOrThrow(),
    )
    await setNewListContent({ ...content, pdbPrice: null })
    await buyOrder(server, buyer, { code: 'sound', period_start: '2026-05-02' })
    await createBackupOrder(server, 'sound')
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 2 })
    expect(server.readLog()).toContain('traffic_billing_failed')
    expect([await listMonths(), (await readService()).closed_month]).toEqual([[], null])
    await setNewListContent(content)
    expect(await closeTraffic(server.app)).toMatchObject({ billed: 2 })
  })

  test('A month without subscription stays open', async () => {
    await addTraffic(63, 'backup-1')
    await setDay('2026-06-01')
    expect(await closeTraffic(server.app)).toEqual({ billed: 0, overdue: 0 })
    expect((await readService()).closed_month).toBeNull()
  })

  test('A month without charge is sent to devices, but causes no mail', async () => {
    await keepOneReader()
    await createBackupOrder(server, 'shop')
    const url = `/api/pdb/traffic?serviceId=${serviceId}`
    const since = (await buyer.send({ url })).headers['x-change']
    await setDay('2026-04-02')
    await closeTraffic(server.app)
    expect((await buyer.send({ url: `${url}&since=${String(since)}` })).json().changed).toMatchObject([
      { period_end: '2026-04-01', amount: '0.00' },
    ])
    expect(await inbox.fetch()).toEqual([])
  })

  const keepOneReader = () =>
    runAsSystem((db) =>
      db
        .updateTable('portal_user')
        .set({ orders: false })
        .where('id', '=', server.world.users['second@alpha'] ?? 0)
        .execute(),
    )

  test('A month with charge causes a mail, and another when it is overdue, once each', async () => {
    await keepOneReader()
    await createBackupOrder(server, 'shop')
    await addTraffic(63, 'backup-1')
    await setDay('2026-04-01')
    await closeTraffic(server.app)
    const [dueMail, ...otherMails] = await inbox.fetch()
    expect(otherMails).toEqual([])
    expect(dueMail).toMatchObject({ to: { address: 'order@alpha.example' } })
    expect(dueMail?.text).toContain('2026-03')
    expect(dueMail?.text).toContain('HKD 162.50')
    expect(dueMail?.text).toContain('2026-04-08 23:59:59')
    server.clock.now = Date.parse('2026-04-08T15:59:59Z')
    expect(await closeTraffic(server.app)).toEqual({ billed: 0, overdue: 0 })
    expect(await readService()).toMatchObject({ traffic_disabled: false })
    server.clock.now += 1000
    const results = await Promise.all(Array.from({ length: 4 }, () => closeTraffic(server.app)))
    expect(results.reduce((sum, { overdue }) => sum + overdue, 0)).toBe(1)
    const mails = await inbox.fetch()
    expect(mails.map(({ subject }) => subject)).toEqual(['Backups are suspended · Service portal'])
    expect(await readService()).toMatchObject({ traffic_disabled: true, traffic_blocked: false })
    expect(await readAuditEntries(server, 'backup')).toMatchObject([
      {
        operation: 'disable',
        exec_user_id: null,
        info: { ServiceCode: 'shop', Month: '2026-03', By: 'schedule' },
      },
    ])
  }, 30_000)

  test('No mail is sent about a month that was paid meanwhile', async () => {
    await keepOneReader()
    await createBackupOrder(server, 'shop')
    await addTraffic(63, 'backup-1')
    await setDay('2026-04-01')
    await closeTraffic(server.app)
    await runAsSystem((db) => db.updateTable('traffic').set({ pay_date: '2026-04-01', pay_amount: '162.50' }).execute())
    expect(await inbox.fetch()).toEqual([])
    await setDay('2026-05-20')
    expect(await closeTraffic(server.app)).toMatchObject({ overdue: 0 })
    expect(await readService()).toMatchObject({ traffic_disabled: false })
  })

  test('The notice of an overdue month is claimed by one node only', async () => {
    const id = await createTraffic(server, 'shop', { isPaid: false })
    expect(await runAsSystem((db) => claimOverdueNotice(db, id))).toBe(true)
    expect(await runAsSystem((db) => claimOverdueNotice(db, id))).toBe(false)
  })

  test('One overdue month suspends the service, although another is not overdue', async () => {
    await createTraffic(server, 'shop', { isPaid: false, period_end: '2026-03-01' })
    await setDay('2026-03-09')
    await createTraffic(server, 'shop', { isPaid: false, period_end: '2026-04-01' })
    await setDay('2026-03-10')
    expect(await closeTraffic(server.app)).toMatchObject({ overdue: 1 })
    await setDay('2026-03-17')
    expect(await closeTraffic(server.app)).toMatchObject({ overdue: 1 })
  })
})
