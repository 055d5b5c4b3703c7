/**
 * Tests what devices learn after the database was restored from a copy and `beginEpoch` ran: each list has to be loaded again, its rows
 * replace newer ones of the time that was lost, and nothing of that time can overwrite them.
 */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { numberedTables, versionedTables } from '#server/db/restored-numbers.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { createBackupOrder, createTraffic, readServiceId } from '#tests/support/hosting/backups.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies, eachEngine } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { emptyTables, restoreSnapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'

/** Lists that no device stores completely. */
const listsWithoutChanges = new Set(['listCustomerOrders', 'listCustomerPayments', 'listCustomerInvoices'])

type ListRow = { id: number; row_version?: number; code?: string }

eachEngine('the lists of a restored database', (engine) => {
  const fixture = setUpShop(engine)
  let alpha: SignedIn
  let serviceId: number
  beforeEach(async () => {
    const { server } = fixture
    server.clock.now = Date.parse('2026-03-02T02:00:00Z')
    alpha = await server.signIn('second@alpha')
    await buyOrder(server, alpha, { code: 'alpha1', name: 'Shop' })
    serviceId = await readServiceId(server, 'alpha1')
    await createBackupOrder(server, 'alpha1')
    await createTraffic(server, 'alpha1')
    await addVersions(server, 'crm', 'CRM', '1.0')
  })

  const openReaders = async () => {
    const { server } = fixture
    const staff = await server.signIn('admin@m18')
    const companyUser = await server.signIn('second@alpha')
    return endpoints.flatMap((endpoint) => {
      if (!endpoint.list || endpoint.method !== 'GET' || listsWithoutChanges.has(endpoint.name)) return []
      const isForStaff = ['providerAdmin', 'providerOrder'].includes(endpoint.access)
      const caller = isForStaff && endpoint.name !== 'listBackups' ? staff : companyUser
      const path = endpoint.path.replace(':companyId', String(server.world.companies.alpha))
      const scopeIds = { serviceId, companyId: server.world.companies.alpha }
      const param = (['serviceId', 'companyId'] as const).find((name) => name === endpoint.list?.scope?.param)
      const scope = param && !endpoint.path.includes(`:${param}`) ? `${param}=${scopeIds[param]}&` : ''
      const readSince = async (since: number | '') => {
        const response = await caller.send({ url: `${path}?${scope}since=${since}` })
        const body = response.json() as { changed: ListRow[]; upto: number; errorCode?: string }
        return { status: response.statusCode, ...body }
      }
      return [{ name: endpoint.name, readSince }]
    })
  }
  const readLists = async () => {
    const lists = await openReaders()
    return Promise.all(lists.map(async (list) => ({ ...list, read: await list.readSince('') })))
  }
  const readHostingCounter = async () =>
    (await sql<{ change: number }>`select change from hosting`.execute(fixture.server.app.database.kysely)).rows[0]
      ?.change ?? 0

  /** Writes as many changes as users do in some days. */
  const advanceCounters = (count: number) =>
    bypassPolicies(fixture.server.app.database, async (db) => {
      await sql`update change set value = value + ${count}`.execute(db)
      await sql`update catalogue set change = change + ${count}`.execute(db)
      await sql`update hosting set change = change + ${count}`.execute(db)
      for (const table of versionedTables)
        await sql`update ${sql.table(table)} set row_version = row_version + 3`.execute(db)
    })
  const saveCopy = async () => {
    const { database } = fixture.server.app
    const [snapshot, hostingCounter] = [await takeSnapshot(database), await readHostingCounter()]
    return async () => {
      await emptyTables(database)
      await restoreSnapshot(database, snapshot)
      await bypassPolicies(database, (db) => sql`update hosting set change = ${hostingCounter}`.execute(db))
    }
  }

  it('are all read again, also when the counters have passed the numbers that devices know', async () => {
    const { server } = fixture
    const restoreCopy = await saveCopy()
    await advanceCounters(20)
    await addVersions(server, 'crm', 'CRM', '1.1')
    const lostLists = await readLists()
    expect(lostLists.map(({ read }) => read.status)).toEqual(lostLists.map(() => 200))
    expect(lostLists.filter(({ read }) => read.changed.length > 0).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'listUsers',
        'listOrders',
        'listServices',
        'listPriceLists',
        'listModules',
        'listApps',
        'listTraffic',
        'listInvoices',
      ]),
    )
    await restoreCopy()
    server.clock.now += 60_000
    await beginEpoch(server.app)
    await advanceCounters(50)
    for (const { name, read } of lostLists) {
      const list = (await openReaders()).find((reader) => reader.name === name)
      const changes = await list?.readSince(read.upto)
      expect([name, changes?.status, changes?.errorCode]).toEqual([name, 410, 'GONE'])
      const restored = await list?.readSince('')
      expect([name, restored?.upto ?? 0]).toEqual([name, expect.toSatisfy((change: number) => change > read.upto)])
      const lostVersions = new Map(read.changed.map((row) => [row.id, row.row_version ?? 0]))
      if (name === 'listAppHistory') continue
      // A device stores a row only if its version is higher than that of the row it has.
      for (const row of restored?.changed ?? [])
        expect([name, row.row_version]).toEqual([
          name,
          expect.toSatisfy((version: number) => version > (lostVersions.get(row.id) ?? 0) && version < 1e9),
        ])
      // Changes after the restore are delivered as before.
      expect((await list?.readSince(restored?.upto ?? 0))?.status).toBe(200)
    }
  })

  it('cannot be overwritten by a write that is based on a version of the time that was lost', async () => {
    const { server } = fixture
    const { companies, users } = server.world
    const restoreCopy = await saveCopy()
    await advanceCounters(20)
    const url = `/api/m18s/company-user/${users['user@alpha']}`
    const lostUser = await alpha.send({ url: `/api/m18s/company/${companies.alpha}/users?since=` })
    const lostRow = (lostUser.json() as { changed: ListRow[] }).changed.find(({ id }) => id === users['user@alpha'])
    await restoreCopy()
    server.clock.now += 60_000
    await beginEpoch(server.app)
    // Others have changed the row as often as in the time that was lost.
    await advanceCounters(20)
    const caller = await server.signIn('second@alpha')
    const response = await caller.send({
      method: 'PUT',
      url,
      headers: { 'if-match': `"${lostRow?.row_version}"` },
      payload: { name: 'Of the time that was lost' },
    })
    expect(response.statusCode).toBe(412)
  })

  it('never get an id again that a row of the time that was lost may have had', async () => {
    const { server } = fixture
    const { database } = server.app
    const readNextIds = () =>
      bypassPolicies(database, async (db) => {
        const ids: number[] = []
        for (const table of numberedTables) {
          const { rows } = await sql<{
            id: number
          }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`.execute(db)
          ids.push(rows[0]?.id ?? 0)
        }
        return ids
      })
    const restoreCopy = await saveCopy()
    for (let index = 0; index < 9; index++) await readNextIds()
    const lostIds = await readNextIds()
    // The same copy is restored twice.
    await restoreCopy()
    await beginEpoch(server.app)
    const idsAfterFirst = await readNextIds()
    await restoreCopy()
    server.clock.now += 60_000
    await beginEpoch(server.app)
    const idsAfterSecond = await readNextIds()
    for (const [index, table] of numberedTables.entries()) {
      const ids = [lostIds[index] ?? 0, idsAfterFirst[index] ?? 0, idsAfterSecond[index] ?? 0]
      expect([table, ids]).toEqual([table, ids.toSorted((a, b) => a - b)])
      expect(new Set(ids).size).toBe(3)
      expect(ids[2]).toBeLessThan(2 ** 31 / 100)
    }
  })

  it('have their versions in exactly the tables that are raised', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and column_name = 'row_version' and table_type = 'BASE TABLE'`.execute(
      fixture.server.app.database.kysely,
    )
    // The versions in the idempotency store are those that writes have created; rows that are settled never change.
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...versionedTables, 'idempotency'].toSorted())
  })
})
