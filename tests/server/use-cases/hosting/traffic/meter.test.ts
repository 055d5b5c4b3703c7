/** Tests that the bytes of backups and restores are counted once, in the month of their transfer (D22). */
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'
import { readServiceId } from '#tests/support/hosting/backups.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { TestServer } from '#tests/support/server/server.ts'

describe('the meter of transferred bytes', () => {
  const fixture = setUpShop('embedded')
  let server: TestServer
  let service = { companyId: 0, serviceId: 0 }
  beforeEach(async () => {
    server = fixture.server
    await buyOrder(server, await server.signIn('order@alpha'))
    service = { companyId: server.world.companies.alpha, serviceId: await readServiceId(server, 'shop') }
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(server.app, { role: 'portal_system' }, work)
  const readCounts = () =>
    runAsSystem((db) =>
      db.selectFrom('traffic_moved').select(['run', 'month', 'bytes']).orderBy('run').orderBy('month').execute(),
    )
  const closeMonth = (month: string) =>
    runAsSystem((db) => sql`update service set closed_month = ${month} where id = ${service.serviceId}`.execute(db))
  const openServiceMeter = (run = 'backup-1') => openMeter(server.app, { ...service, run })

  test('writes the count every few MB, and the exact number at the end', async () => {
    const { meter, finish } = openServiceMeter()
    await meter(3_999_999)
    expect(await readCounts()).toEqual([])
    await meter(1)
    expect(await readCounts()).toEqual([{ run: 'backup-1', month: '2026-03', bytes: 4_000_000 }])
    await meter(7)
    await finish()
    await finish()
    expect(await readCounts()).toEqual([{ run: 'backup-1', month: '2026-03', bytes: 4_000_007 }])
  })

  test('writes no row for zero bytes', async () => {
    await openServiceMeter().finish()
    expect(await readCounts()).toEqual([])
  })

  test('counts concurrent parts as one run', async () => {
    const { meter, finish } = openServiceMeter()
    await Promise.all(Array.from({ length: 9 }, async () => meter(3_000_000)))
    await finish()
    expect(await readCounts()).toEqual([{ run: 'backup-1', month: '2026-03', bytes: 27_000_000 }])
  })

  test('counts bytes in the month of their transfer, in the business time zone', async () => {
    const { meter, finish } = openServiceMeter()
    // The last second of March in Hong Kong, then the first of April.
    server.clock.now = Date.parse('2026-03-31T15:59:59Z')
    await meter(5_000_000)
    server.clock.now += 1000
    await meter(6_000_000)
    await finish()
    expect(await readCounts()).toEqual([
      { run: 'backup-1', month: '2026-03', bytes: 5_000_000 },
      { run: 'backup-1', month: '2026-04', bytes: 6_000_000 },
    ])
  })

  test('never adds bytes to a billed month, with any clock', async () => {
    await closeMonth('2026-12')
    const { meter, finish } = openServiceMeter()
    await meter(10)
    await finish()
    expect(await readCounts()).toEqual([{ run: 'backup-1', month: '2027-01', bytes: 10 }])
  })

  test('counts an interrupted run once, and adds only the bytes beyond it', async () => {
    const interruptedRun = openServiceMeter()
    await interruptedRun.meter(9_000_000)
    server.clock.now = Date.parse('2026-04-02T00:00:00Z')
    const resumedRun = openServiceMeter()
    await resumedRun.meter(5_000_000)
    await resumedRun.finish()
    expect(await readCounts()).toEqual([{ run: 'backup-1', month: '2026-03', bytes: 9_000_000 }])
    await resumedRun.meter(4_000_001)
    await resumedRun.finish()
    expect(await readCounts()).toEqual([
      { run: 'backup-1', month: '2026-03', bytes: 9_000_000 },
      { run: 'backup-1', month: '2026-04', bytes: 1 },
    ])
    const restoreRun = openServiceMeter('restore-1')
    await restoreRun.meter(3)
    await restoreRun.finish()
    expect((await readCounts()).at(-1)).toEqual({ run: 'restore-1', month: '2026-04', bytes: 3 })
  })

  test('keeps bytes in memory while they cannot be written, and throws at the end if they still cannot be', async () => {
    const { meter, finish } = openMeter(server.app, { ...service, serviceId: 999_999, run: 'backup-1' })
    await meter(5_000_000)
    expect(server.readLog()).toContain('traffic_record_delayed')
    await expect(finish()).rejects.toThrow('the service of the transfer does not exist')
  })
})
