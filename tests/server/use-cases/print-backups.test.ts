/** Tests prints of backup orders and traffic months, with the same tickets as contracts (contracts 3, 7, 9; D18 to D25, D65). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { createBackupOrder, createTraffic } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('prints of backups', (engine) => {
  const fixture = setUpShop(engine)
  let server: TestServer
  let buyer: SignedIn
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
    await buyOrder(server, buyer, { name: 'Shop & <b>more</b>' })
  })

  type Kind = 'PDBORDER' | 'TRAFFIC'
  const system = { role: 'portal_system' } as const
  const requestPrint = (caller: SignedIn, kind: Kind, id: number) =>
    caller.send({ method: 'POST', url: '/api/print', payload: { kind, id } })
  const openPrint = (url: string) => server.send({ url, headers: { accept: 'text/html' } })
  const openPrinted = async (kind: Kind, id: number, caller = buyer) => {
    const response = await openPrint((await requestPrint(caller, kind, id)).json().url)
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    return response.body
  }
  /** Returns the visible text of the print. */
  const readText = async (kind: Kind, id: number) =>
    (await openPrinted(kind, id))
      .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
  const setLanguage = (language: 'en' | 'zh') =>
    runInTransaction(server.app, system, (db) =>
      db.updateTable('portal_user').set({ language }).where('id', '=', buyer.userId).execute(),
    )
  const renameCompany = (name: string) =>
    runInTransaction(server.app, system, (db) =>
      db.updateTable('company').set({ name }).where('code', '=', 'alpha').execute(),
    )

  test('A print of a paid backup shows its parties, period, steps and invoice', async () => {
    const id = await createBackupOrder(server, 'shop')
    await renameCompany('Another name')
    const page = await openPrinted('PDBORDER', id)
    expect(page).toContain('<title>Backup subscription No. 1 · Shop &amp; &lt;b&gt;more&lt;/b&gt;</title>')
    const text = await readText('PDBORDER', id)
    for (const expectedText of [
      canaries.m18,
      // These values are stored with the invoice.
      `${canaries.alpha} Ltd`,
      'Backup Database to file storage (pdb2s3)',
      'Status Paid',
      'Service code shop',
      '2026-03-02 to 2027-03-01 (1 year)',
      'Annual fee 6,000.00 × 12 / 12 months (2026-03-02 to 2027-03-01) 6,000.00',
      'Less the discount of 10% -600.00',
      'Amount due 5,400.00',
      'Before the discount HKD 6,000.00',
      'Total HKD 5,400.00',
      'Paid HKD 5,400.00',
      'Paid by Simulated payment',
    ])
      expect(text).toContain(expectedText)
    // The contract of the service has the invoice number before this one.
    expect(text).toContain('Invoice number I202603000002')
    expect(text).not.toMatch(/Another name|not an invoice|In words/)
    expect(page).toContain("content: 'Backup subscription No. 1 ·")
  })

  test('A print of an unpaid order is marked, with current seller and buyer, and RMB in words', async () => {
    const pdb2rds = { pdb_type: 'pdb2rds', currency: 'RMB', annual: '13500.00', discount: '0.00', status: 0 } as const
    const orderFields = { ...pdb2rds, months: 5, period: 5, period_type: 'month', period_end: '2026-08-02' } as const
    const id = await createBackupOrder(server, 'shop', orderFields)
    await renameCompany('Another name')
    const text = await readText('PDBORDER', id)
    for (const expectedText of [
      'Unpaid This is not an invoice.',
      'Status Unpaid',
      'Another name',
      'Database to a second database (pdb2rds)',
      '2026-03-02 to 2026-08-01 (5 months)',
      '13,500.00 × 5 / 12 months',
      'Total RMB 5,625.00',
      'In words 伍仟陆佰贰拾伍元整',
    ])
      expect(text).toContain(expectedText)
    expect(text).not.toMatch(/Invoice number|discount|Paid by|Paid RMB/)
  })

  test('A print of an invalid order states that it cannot be paid', async () => {
    const text = await readText('PDBORDER', await createBackupOrder(server, 'shop', { status: -1 }))
    expect(text).toContain('No longer valid This order cannot be paid any more')
    expect(text).toContain('Status No longer valid')
  })

  test('A print shows a full discount and a period shortened by the contract (D15, D21)', async () => {
    const shortenedOrder = { months: 6, period_end: '2026-08-17', discount: '100.00' }
    const text = await readText('PDBORDER', await createBackupOrder(server, 'shop', shortenedOrder))
    for (const expectedText of [
      'Status Nothing was due',
      '2026-03-02 to 2026-08-16 (to the end of the contract)',
      '6,000.00 × 6 / 12 months',
      'Less the discount of 100% -3,000.00',
      'Total HKD 0.00',
    ])
      expect(text).toContain(expectedText)
    expect(text).not.toMatch(/Invoice number|not an invoice/)
  })

  test('A print of a traffic month shows measured, free and charged GB and the payment date', async () => {
    const text = await readText('TRAFFIC', await createTraffic(server, 'shop'))
    for (const expectedText of [
      'Backup traffic No. 1',
      'Month 2026-03',
      'Status Paid',
      'Price per GB HKD 12.50',
      'Measured 63.00',
      'Free each month 50.00',
      'beyond the free GB 13.00',
      '13.00 GB at 12.50 162.50',
      'Total HKD 162.50',
      'Paid HKD 162.50',
      'Invoice number I202603000002',
      'Paid on 2026-03-02 10:00:00',
    ])
      expect(text).toContain(expectedText)
  })

  test('A print marks unpaid traffic, and states that free traffic costs nothing', async () => {
    const rmb = { isPaid: false, currency: 'RMB', pdb_traffic: '50.02', price: '11.25' } as const
    const unpaidText = await readText('TRAFFIC', await createTraffic(server, 'shop', rmb))
    for (const expectedText of [
      'Unpaid This is not an invoice.',
      '0.02 GB at 11.25 0.23',
      'Total RMB 0.23',
      '贰角叁分',
    ])
      expect(unpaidText).toContain(expectedText)
    expect(unpaidText).not.toMatch(/Invoice number|Paid on/)
    const atLimit = { isPaid: false, period_end: '2026-05-01', pdb_traffic: '50.00' }
    const freeText = await readText('TRAFFIC', await createTraffic(server, 'shop', atLimit))
    for (const expectedText of ['Month 2026-04', 'Status Nothing was due', 'beyond the free GB 0.00', 'Total HKD 0.00'])
      expect(freeText).toContain(expectedText)
    expect(freeText).not.toContain('not an invoice')
  })

  test('A print is in the language of the caller', async () => {
    const backupId = await createBackupOrder(server, 'shop', { currency: 'RMB', annual: '5400.00' })
    const trafficId = await createTraffic(server, 'shop', { isPaid: false })
    await setLanguage('zh')
    const text = await readText('PDBORDER', backupId)
    for (const expectedText of [
      '备份订阅 编号 1',
      '2026-03-02 至 2027-03-01（1 年）',
      '年费 5,400.00 × 12/12 个月',
      '减：优惠 10% -540.00',
      '状态 已付款',
      '大写 肆仟捌佰陆拾元整',
    ])
      expect(text).toContain(expectedText)
    const monthText = await readText('TRAFFIC', trafficId)
    for (const expectedText of [
      '备份流量账单',
      '月份 2026-03',
      '未付款 本单据不是发票',
      '实测流量 63.00',
      '合计 HKD 162.50',
    ])
      expect(monthText).toContain(expectedText)
    expect(await openPrinted('TRAFFIC', trafficId)).toContain('<html lang="zh-Hans">')
  })

  test("A print requires the order right (403), and returns 404 for another company's row", async () => {
    const ids = { PDBORDER: await createBackupOrder(server, 'shop'), TRAFFIC: await createTraffic(server, 'shop') }
    for (const kind of ['PDBORDER', 'TRAFFIC'] as const) {
      const id = ids[kind]
      const foreignResponse = await requestPrint(await server.signIn('order@beta'), kind, id)
      const missingResponse = await requestPrint(buyer, kind, 999_999)
      for (const { statusCode, body } of [foreignResponse, missingResponse])
        expect([statusCode, JSON.parse(body).errorCode]).toEqual([404, 'NOT_FOUND'])
      expect((await requestPrint(await server.signIn('admin@alpha'), kind, id)).statusCode).toBe(403)
      expect((await requestPrint(await server.signIn('user@m18'), kind, id)).statusCode).toBe(403)
      expect(await openPrinted(kind, id, await server.signIn('order@m18'))).toContain(canaries.alpha)
    }
  })

  test('A print requires an id of the requested kind', async () => {
    const id = await createBackupOrder(server, 'shop')
    expect((await requestPrint(buyer, 'TRAFFIC', id)).statusCode).toBe(404)
  })

  test('A print link works once, and expires after a minute', async () => {
    for (const [kind, id] of [
      ['PDBORDER', await createBackupOrder(server, 'shop')],
      ['TRAFFIC', await createTraffic(server, 'shop')],
    ] as const) {
      const { url } = (await requestPrint(buyer, kind, id)).json()
      const responses = await Promise.all(Array.from({ length: 8 }, () => openPrint(url)))
      expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([
        200,
        ...Array.from({ length: 7 }, () => 404),
      ])
      const lateUrl = (await requestPrint(buyer, kind, id)).json().url
      server.clock.now += 60_001
      expect((await openPrint(lateUrl)).statusCode).toBe(404)
    }
  })

  test('A print is recorded in the trail of the customer, with the service (D86)', async () => {
    const staff = await server.signIn('order@m18')
    await openPrinted('PDBORDER', await createBackupOrder(server, 'shop'))
    await openPrinted('TRAFFIC', await createTraffic(server, 'shop'), staff)
    const printEntries = await runInTransaction(server.app, system, (db) =>
      db
        .selectFrom('audit_entry')
        .select(['company_id', 'actor_company_id', 'code', 'exec_user_id', 'info'])
        .where('operation', '=', 'print')
        .orderBy('id')
        .execute(),
    )
    const { alpha, m18 } = server.world.companies
    expect(printEntries).toEqual([
      {
        company_id: alpha,
        actor_company_id: null,
        code: 'backup',
        exec_user_id: buyer.userId,
        info: { ServiceCode: 'shop', OrderId: 1 },
      },
      {
        company_id: alpha,
        actor_company_id: m18,
        code: 'backup',
        exec_user_id: null,
        info: {
          ServiceCode: 'shop',
          Month: '2026-03',
          CompanyName: `${canaries.alpha} Ltd`,
          ActingFor: 'alpha',
        },
      },
    ])
  })

  test('A print does not name a service that now belongs to another company', async () => {
    const id = await createBackupOrder(server, 'shop', { status: 0 })
    const beta = server.world.companies.beta
    await runInTransaction(server.app, system, (db) =>
      sql`update service set company_id = ${beta}, name = ${canaries.beta}`.execute(db),
    )
    const text = await readText('PDBORDER', id)
    expect(text).not.toContain(canaries.beta)
    expect(text).toContain('Name shop')
  })
})
