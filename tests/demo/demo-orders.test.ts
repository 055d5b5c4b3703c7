import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAppFaults } from '#domain/catalogue/apps.ts'
import { contractStates, getContractState } from '#domain/contracts.ts'
import { toTimestamp } from '#domain/time.ts'
import { listLatestApps } from '#server/db/catalogue/apps.ts'
import { listModulesOfType } from '#server/db/catalogue/modules.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { loadDemoData } from '#demo/sample-data/load-demo-data.ts'
import type { AppContext } from '#server/context/context.ts'
import { findStoredPackage } from '#server/use-cases/uploads/stored-packages.ts'
import { openTestFiles } from '#tests/support/server/files.ts'
import { openTestDatabase, testContext } from '#tests/support/server/database.ts'

describe('the demo data', () => {
  const now = Date.parse('2026-11-22T02:00:00Z')
  const filesDir = mkdtempSync(join(tmpdir(), 'portal-demo-'))
  let app: AppContext
  beforeAll(async () => {
    app = testContext(await openTestDatabase('embedded'), () => now)
    app.files = openTestFiles({ filesDir })
    expect(await loadDemoData(app)).toBe(true)
  }, 90_000)
  afterAll(async () => {
    await app.database.close()
    rmSync(filesDir, { recursive: true, force: true })
  })

  const readOrderRows = () =>
    runInTransaction(app, { role: 'portal_system' }, (db) =>
      db.selectFrom('service_order').selectAll().where('deleted', '=', false).orderBy('id').execute(),
    )

  test('has orders in every state, one row for each service, and one changeable order', async () => {
    const timestamp = toTimestamp(app.config.timeZone, now)
    const orders = (await readOrderRows()).map((row) => ({ ...row, state: getContractState(row, timestamp) }))
    expect([...new Set(orders.map(({ state }) => state))].toSorted()).toEqual([...contractStates].toSorted())
    const shownOrders = orders.filter((order) => order.is_listed).map(({ code, state }) => `${code} ${state}`)
    expect(shownOrders.toSorted()).toEqual([
      'acmehr unpaid',
      'acmeold expired',
      'acmeshop invalid',
      'acmetest effective',
      'acmetrade effective',
      'globex01 effective',
    ])
    expect(orders.filter(({ type, state }) => type === 'change' && state === 'unpaid')).toHaveLength(1)
  })

  test('has a company that owes two items in one currency, which can be paid together', async () => {
    const timestamp = toTimestamp(app.config.timeZone, now)
    const orders = (await readOrderRows()).filter((row) => getContractState(row, timestamp) === 'unpaid')
    const backups = await runInTransaction(app, { role: 'portal_system' }, (db) =>
      db.selectFrom('backup_order').select(['company_id', 'currency']).where('status', '=', 0).execute(),
    )
    const owed = [...orders, ...backups].map(({ company_id, currency }) => `${company_id} ${currency}`)
    expect(owed.filter((item) => owed.indexOf(item) !== owed.lastIndexOf(item))).toHaveLength(2)
  })

  test('has a paid, two unpaid and a free backup, and two months of traffic', async () => {
    const demoRows = await runInTransaction(app, { role: 'portal_system' }, async (db) => ({
      backups: await db
        .selectFrom('backup_order as b')
        .leftJoin('invoice as i', 'i.backup_order_id', 'b.id')
        .select(['b.service_code', 'b.pdb_type', 'b.currency', 'b.discount', 'b.amount', 'b.pay_amount', 'b.status'])
        .select('i.code as invoice')
        .orderBy('b.id')
        .execute(),
      traffic: await db
        .selectFrom('traffic as t')
        .leftJoin('invoice as i', 'i.traffic_id', 't.id')
        .select(['t.period_end', 't.pdb_traffic', 't.amount', 't.pay_date', 'i.code as invoice'])
        .orderBy('t.period_end')
        .execute(),
    }))
    const backupLines = demoRows.backups.map(({ invoice, ...backup }) =>
      [...Object.values(backup), invoice !== null].join(' '),
    )
    expect(backupLines).toEqual([
      'acmetrade pdb2s3 HKD 10.00 6000.00 5400.00 1 true',
      'acmetest pdb2rds HKD 100.00 2500.00 0.00 1 false',
      'globex01 pdb2rds RMB 0.00 5625.00 5625.00 0 false',
      'acmetrade pdb2rds HKD 0.00 7500.00 7500.00 0 false',
    ])
    expect(demoRows.traffic).toMatchObject([
      { period_end: '2026-10-01', pdb_traffic: '50.00', amount: '0.00', pay_date: null, invoice: null },
      { period_end: '2026-11-01', pdb_traffic: '63.00', amount: '162.50', pay_date: '2026-11-05' },
    ])
    expect(demoRows.traffic[1]?.invoice).toMatch(/^I2026/)
  })

  test('records the latest app versions for its services, except for one app of one service (D44)', async () => {
    const { runningApps, latestApps } = await runInTransaction(app, { role: 'portal_system' }, async (db) => ({
      runningApps: await db
        .selectFrom('service_app')
        .innerJoin('service', 'service.id', 'service_app.service_id')
        .select(['service.code as service', 'service_app.code', 'service_app.version'])
        .orderBy('service.code')
        .orderBy('service_app.code')
        .execute(),
      latestApps: await listLatestApps(db),
    }))
    expect(runningApps.map(({ service, code, version }) => `${service} ${code} ${version}`)).toEqual([
      'acmetest framework 1.10',
      'acmetrade barcode 2.1',
      'acmetrade framework 1.10',
      'globex01 framework 1.9',
    ])
    const isBehind = ({ code, version }: { code: string; version: string }) =>
      latestApps.find((app) => app.code === code)?.version !== version
    expect(runningApps.filter(isBehind)).toHaveLength(1)
  })

  test('has every app that its modules name, with fulfilled requirements and compatible versions', async () => {
    const { modules, latestApps, count } = await runInTransaction(app, { role: 'portal_system' }, async (db) => ({
      modules: await listModulesOfType(db, 'saas'),
      latestApps: await listLatestApps(db),
      count: (await db.selectFrom('app_version').select('id').execute()).length,
    }))
    const appCodes = modules.flatMap(({ apps }) => apps.map(({ code }) => code))
    expect(appCodes.length).toBeGreaterThan(0)
    expect(findAppFaults(latestApps, appCodes)).toEqual({ missing: [], loops: [], incompatible: [] })
    expect(latestApps.some(({ requires }) => requires.length > 0)).toBe(true)
    expect(count).toBeGreaterThan(latestApps.length)
  })

  test('stores the packages of its apps, which services need for an installation', async () => {
    const versions = await runInTransaction(app, { role: 'portal_system' }, (db) =>
      db.selectFrom('app_version').select('sha256').execute(),
    )
    const packages = await Promise.all(versions.map(({ sha256 }) => findStoredPackage(app, sha256)))
    expect(
      packages.map(
        (storedPackage) => storedPackage && createHash('sha256').update(readFileSync(storedPackage.path)).digest('hex'),
      ),
    ).toEqual(versions.map(({ sha256 }) => sha256))
  })

  test('is loaded only once', async () => {
    expect(await loadDemoData(app)).toBe(false)
    expect((await readOrderRows()).length).toBe(8)
  })
})
