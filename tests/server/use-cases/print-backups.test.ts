/** Backups and months of traffic on paper, by a ticket as contracts are (contracts 3, 7, 9; D18 to D25, D65). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { backupOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('prints of backups', (engine) => {
  const the = setUpShop(engine)
  let server: TestServer
  let buyer: SignedIn
  beforeEach(async () => {
    server = the.server
    buyer = await server.signIn('order@alpha')
    await bought(server, buyer, { name: 'Shop & <b>more</b>' })
  })

  type Kind = 'PDBORDER' | 'TRAFFIC'
  const system = { role: 'portal_system' } as const
  const ask = (by: SignedIn, kind: Kind, id: number) =>
    by.send({ method: 'POST', url: '/api/print', payload: { kind, id } })
  const open = (url: string) => server.send({ url, headers: { accept: 'text/html' } })
  const printed = async (kind: Kind, id: number, by = buyer) => {
    const answer = await open((await ask(by, kind, id)).json().url)
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    return answer.body
  }
  /** What people read of it. */
  const read = async (kind: Kind, id: number) =>
    (await printed(kind, id))
      .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
  const speak = (language: 'en' | 'zh') =>
    inTransaction(server.app, system, (db) =>
      db.updateTable('portal_user').set({ language }).where('id', '=', buyer.userId).execute(),
    )
  const rename = (name: string) =>
    inTransaction(server.app, system, (db) =>
      db.updateTable('company').set({ name }).where('code', '=', 'alpha').execute(),
    )

  test('show a paid backup with its parties, its period, its steps and its invoice', async () => {
    const id = await backupOf(server, 'shop')
    await rename('Another name')
    const page = await printed('PDBORDER', id)
    expect(page).toContain('<title>Backup subscription No. 1 · Shop &amp; &lt;b&gt;more&lt;/b&gt;</title>')
    const told = await read('PDBORDER', id)
    for (const said of [
      canaries.m18,
      // As it was frozen.
      `${canaries.alpha} Ltd`,
      'Backup Database to file storage (pdb2s3)',
      'Status Paid',
      'Service code shop',
      '2026-03-02 to 2027-03-01 (1 year)',
      'Fee of one year 6,000.00 × 12 / 12 months (2026-03-02 to 2027-03-01) 6,000.00',
      'Less the discount of 10.00% -600.00',
      'Amount due 5,400.00',
      'Before the discount HKD 6,000.00',
      'Total HKD 5,400.00',
      'Paid HKD 5,400.00',
      'Paid by Simulated payment',
    ])
      expect(told).toContain(said)
    // The order's own contract has the number before it.
    expect(told).toContain('Invoice number I202603000002')
    expect(told).not.toMatch(/Another name|not an invoice|In words/)
    expect(page).toContain("content: 'Backup subscription No. 1 ·")
  })

  test('mark what is not paid, of seller and buyer as they are now, with RMB in words', async () => {
    const pdb2rds = { pdb_type: 'pdb2rds', currency: 'RMB', annual: '13500.00', discount: '0.00', status: 0 } as const
    const asked = { ...pdb2rds, months: 5, period: 5, period_type: 'month', period_end: '2026-08-02' } as const
    const id = await backupOf(server, 'shop', asked)
    await rename('Another name')
    const told = await read('PDBORDER', id)
    for (const said of [
      'Unpaid This is not an invoice.',
      'Status Unpaid',
      'Another name',
      'Database to a second database (pdb2rds)',
      '2026-03-02 to 2026-08-01 (5 months)',
      '13,500.00 × 5 / 12 months',
      'Total RMB 5,625.00',
      'In words 伍仟陆佰贰拾伍元整',
    ])
      expect(told).toContain(said)
    expect(told).not.toMatch(/Invoice number|discount|Paid by|Paid RMB/)
  })

  test('say of one that is no longer valid that nothing can be paid for it', async () => {
    const told = await read('PDBORDER', await backupOf(server, 'shop', { status: -1 }))
    expect(told).toContain('No longer valid This order cannot be paid any more')
    expect(told).toContain('Status No longer valid')
  })

  test('show what a whole discount leaves, and a period that the contract cut (D15, D21)', async () => {
    const cut = { months: 6, period_end: '2026-08-17', discount: '100.00' }
    const told = await read('PDBORDER', await backupOf(server, 'shop', cut))
    for (const said of [
      'Status Nothing was due',
      '2026-03-02 to 2026-08-16 (to the end of the contract)',
      '6,000.00 × 6 / 12 months',
      'Less the discount of 100.00% -3,000.00',
      'Total HKD 0.00',
    ])
      expect(told).toContain(said)
    expect(told).not.toMatch(/Invoice number|not an invoice/)
  })

  test('show a month of traffic: what was measured, free and charged, and when it was paid', async () => {
    const told = await read('TRAFFIC', await trafficOf(server, 'shop'))
    for (const said of [
      'Backup traffic No. 1',
      'Month 2026-03',
      'Status Paid',
      'Price of a GB HKD 12.50',
      'Measured 63.00',
      'Free each month 50.00',
      'beyond the free GB 13.00',
      '13.00 GB at 12.50 162.50',
      'Total HKD 162.50',
      'Paid HKD 162.50',
      'Invoice number I202603000002',
      'Paid on 2026-03-02 10:00:00',
    ])
      expect(told).toContain(said)
  })

  test('mark unpaid traffic, with RMB in words, and say of traffic at the limit that nothing was due', async () => {
    const rmb = { isPaid: false, currency: 'RMB', pdb_traffic: '50.02', price: '11.25' } as const
    const unpaid = await read('TRAFFIC', await trafficOf(server, 'shop', rmb))
    for (const said of ['Unpaid This is not an invoice.', '0.02 GB at 11.25 0.23', 'Total RMB 0.23', '贰角叁分'])
      expect(unpaid).toContain(said)
    expect(unpaid).not.toMatch(/Invoice number|Paid on/)
    const atLimit = { isPaid: false, period_end: '2026-05-01', pdb_traffic: '50.00' }
    const free = await read('TRAFFIC', await trafficOf(server, 'shop', atLimit))
    for (const said of ['Month 2026-04', 'Status Nothing was due', 'beyond the free GB 0.00', 'Total HKD 0.00'])
      expect(free).toContain(said)
    expect(free).not.toContain('not an invoice')
  })

  test('speak the language of whoever asked', async () => {
    const backup = await backupOf(server, 'shop', { currency: 'RMB', annual: '5400.00' })
    const traffic = await trafficOf(server, 'shop', { isPaid: false })
    await speak('zh')
    const told = await read('PDBORDER', backup)
    for (const said of [
      '备份订阅 编号 1',
      '2026-03-02 至 2027-03-01（1 年）',
      '年费 5,400.00 × 12/12 个月',
      '减：优惠 10.00% -540.00',
      '状态 已付款',
      '大写 肆仟捌佰陆拾元整',
    ])
      expect(told).toContain(said)
    const month = await read('TRAFFIC', traffic)
    for (const said of ['备份流量账单', '月份 2026-03', '未付款 本单据不是发票', '实测流量 63.00', '合计 HKD 162.50'])
      expect(month).toContain(said)
    expect(await printed('TRAFFIC', traffic)).toContain('<html lang="zh-Hans">')
  })

  test('are for whoever orders for that company, and for staff who order; nobody else learns that they are there', async () => {
    const ids = { PDBORDER: await backupOf(server, 'shop'), TRAFFIC: await trafficOf(server, 'shop') }
    for (const kind of ['PDBORDER', 'TRAFFIC'] as const) {
      const id = ids[kind]
      const foreign = await ask(await server.signIn('order@beta'), kind, id)
      const missing = await ask(buyer, kind, 999_999)
      for (const { statusCode, body } of [foreign, missing])
        expect([statusCode, JSON.parse(body).errorCode]).toEqual([404, 'NOT_FOUND'])
      expect((await ask(await server.signIn('admin@alpha'), kind, id)).statusCode).toBe(403)
      // Of the provider, but without the order flag.
      expect((await ask(await server.signIn('user@m18'), kind, id)).statusCode).toBe(403)
      expect(await printed(kind, id, await server.signIn('order@m18'))).toContain(canaries.alpha)
    }
  })

  test('tell neither kind by the number of the other, nor of a contract', async () => {
    const id = await backupOf(server, 'shop')
    expect((await ask(buyer, 'TRAFFIC', id)).statusCode).toBe(404)
  })

  test('open once, and not after a minute', async () => {
    for (const [kind, id] of [
      ['PDBORDER', await backupOf(server, 'shop')],
      ['TRAFFIC', await trafficOf(server, 'shop')],
    ] as const) {
      const { url } = (await ask(buyer, kind, id)).json()
      const all = await Promise.all(Array.from({ length: 8 }, () => open(url)))
      expect(all.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 404)])
      const late = (await ask(buyer, kind, id)).json().url
      server.clock.now += 60_001
      expect((await open(late)).statusCode).toBe(404)
    }
  })

  test('stand in the trail of whose they are, by the service (D86)', async () => {
    const staff = await server.signIn('order@m18')
    await printed('PDBORDER', await backupOf(server, 'shop'))
    await printed('TRAFFIC', await trafficOf(server, 'shop'), staff)
    const noted = await inTransaction(server.app, system, (db) =>
      db
        .selectFrom('audit_entry')
        .select(['company_id', 'actor_company_id', 'code', 'exec_user_id', 'info'])
        .where('operation', '=', 'print')
        .orderBy('id')
        .execute(),
    )
    const { alpha, m18 } = server.world.companies
    expect(noted).toEqual([
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

  test('name no service that is another company’s by now', async () => {
    const id = await backupOf(server, 'shop', { status: 0 })
    const beta = server.world.companies.beta
    await inTransaction(server.app, system, (db) =>
      sql`update service set company_id = ${beta}, name = ${canaries.beta}`.execute(db),
    )
    const told = await read('PDBORDER', id)
    expect(told).not.toContain(canaries.beta)
    expect(told).toContain('Name shop')
  })
})
