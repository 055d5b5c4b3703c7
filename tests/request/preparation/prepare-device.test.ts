/** Tests a device that was prepared for work offline: its data, the cost of an update, and the reasons for which a run stops. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getCompany, getSettings, getUser } from '#contract/accounts.ts'
import { listAppHistory, listApps } from '#contract/staff/apps.ts'
import { listTrail } from '#contract/audit-trail.ts'
import { getBackupPlan, getTraffic, listBackupOrders, listBackups, listTraffic } from '#contract/backups.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { listModuleChoices, listModules } from '#contract/modules.ts'
import { listInvoices } from '#contract/invoices.ts'
import { getContractHistory, listOrders } from '#contract/orders.ts'
import { getPriceInForce, getPriceList, listPriceLists } from '#contract/prices.ts'
import { listServices } from '#contract/services.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { readPreparationRecord } from '#local/storage/preparation-record.ts'
import { setPreparation } from '#local/preparation/preparation-store.ts'
import { endSession } from '#local/session/session.ts'
import { trimCache } from '#local/space/clear-cache.ts'
import { retryAfterEviction } from '#local/storage/eviction.ts'
import { prepareDevice, type PrepareOptions } from '#request/preparation/prepare-device.ts'
import { toCaller, type SessionUser } from '#state/session-slice.ts'
import { signInAs, type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { fillDisk } from '#tests/support/device/full-disk.ts'
import { dayMs, fillTrail, signInIntercepted } from '#tests/support/audit-trail/stored-trail.ts'
import { type ShopData, openShopWithOrders } from '#tests/support/orders/shop-data.ts'

let installation: Installation
let shopData: ShopData
beforeAll(async () => {
  installation = await openInstallation()
  shopData = await openShopWithOrders(installation.server)
  const { alpha, m18 } = installation.server.world.companies
  for (const companyId of [alpha, m18])
    await fillTrail(installation, companyId, 20, { startAt: installation.clock.now() - 3 * dayMs })
}, 60_000)
afterAll(() => installation.close())

const roomyStorage = { estimate: async () => ({ usage: 1_000_000, quota: 1_000_000_000 }) }

async function prepare(tablet: Tablet, options: Partial<PrepareOptions> = {}) {
  const user = await tablet.api.call(getUser, {})
  if (user.kind !== 'fresh' && user.kind !== 'cached') throw new Error('nobody is signed in')
  await setPreparation({ isOn: true }, tablet.device)
  const caller = toCaller(user.output as SessionUser)
  const result = await prepareDevice(tablet.ports, { caller, storage: roomyStorage, ...options })
  await tablet.settle()
  return result
}

async function openTabletDatabase(tablet: Tablet) {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.getDatabase(session)
}

const readRecord = async (tablet: Tablet) => await readPreparationRecord(await openTabletDatabase(tablet))

/** Ends the connection and opens the app again. */
function goOffline(tablet: Tablet) {
  tablet.connection.state = 'down'
  tablet.reopen()
}

async function readCached(tablet: Tablet, endpoint: Endpoint, input: object) {
  const result = await tablet.api.call(endpoint, input as never)
  return [endpoint.name, result.kind, result.kind === 'cached' && result.output !== null]
}

const readListState = async (tablet: Tablet, endpoint: Endpoint, scope: number | null) => {
  const { rows, complete: isComplete, asOf } = await tablet.list(endpoint, { scope })
  return [endpoint.name, isComplete, asOf !== null, rows.length]
}

/** Returns the paths of the sent requests, without those of the log that proves the trail. */
const sentPaths = (tablet: Tablet) =>
  tablet.connection.log.map(({ request }) => request.path).filter((path) => !/systrail|token/.test(path))

describe('a prepared device without a server, after a restart', () => {
  it('has the rows and responses of every company page (fault 47a)', async () => {
    const tablet = await installation.signInTablet('second@alpha')
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
    goOffline(tablet)
    const companyId = installation.server.world.companies.alpha
    const { contract_id, service_id } = shopData.orders.alpha
    const type = 'saas' as const
    const serviceInput = { params: { serviceId: service_id } }
    const reads: [Endpoint, object][] = [
      [getSettings as Endpoint, {}],
      [getCompany as Endpoint, { params: { id: companyId } }],
      [getContractHistory as Endpoint, { params: { id: contract_id } }],
      [getPriceInForce as Endpoint, { query: { type } }],
      [listModuleChoices as Endpoint, { query: { type } }],
      [getBackupPlan as Endpoint, serviceInput],
      [getTraffic as Endpoint, serviceInput],
      [listTrail as Endpoint, { query: { results: 50 } }],
      [listTrail as Endpoint, { query: { results: 50, dateFrom: '2026-02-20', operation: 'update' } }],
    ]
    const cachedReads = await Promise.all(reads.map(([endpoint, input]) => readCached(tablet, endpoint, input)))
    expect(cachedReads).toEqual(reads.map(([{ name }]) => [name, 'cached', true]))
    expect(await readListState(tablet, listUsers as Endpoint, companyId)).toEqual(['listUsers', true, true, 7])
    expect(await readListState(tablet, listOrders as Endpoint, companyId)).toEqual(['listOrders', true, true, 1])
    expect(await readListState(tablet, listInvoices as Endpoint, companyId)).toEqual(['listInvoices', true, true, 1])
    expect(await readListState(tablet, listServices as Endpoint, null)).toEqual(['listServices', true, true, 1])
    for (const list of [listBackups, listBackupOrders, listTraffic] as Endpoint[])
      expect(await readListState(tablet, list, service_id)).toEqual([list.name, true, true, 0])
    const trail = await tablet.api.call(listTrail, { query: { results: 50 } })
    expect(trail.kind === 'cached' && trail.output?.data.length).toBeGreaterThan(20)
    const { parts } = await readRecord(tablet)
    expect(Object.values(parts).map(({ missing, bytes }) => [missing, bytes > 0])).toEqual(
      Object.keys(parts).map((name) => [0, name !== 'backups' || parts.backups?.bytes !== 0]),
    )
  })

  it("has the rows and responses of every page of the provider's staff (fault 47a)", async () => {
    const tablet = await installation.signInTablet('delete@m18')
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
    goOffline(tablet)
    for (const id of shopData.priceListIds)
      expect(await readCached(tablet, getPriceList as Endpoint, { params: { id } })).toEqual([
        'getPriceList',
        'cached',
        true,
      ])
    for (const list of [listPriceLists, listModules, listApps, listServices] as Endpoint[]) {
      const [, complete, isKnown, rows] = await readListState(tablet, list, null)
      expect([list.name, complete, isKnown, Number(rows) > 0]).toEqual([list.name, true, true, true])
    }
    expect((await readListState(tablet, listAppHistory as Endpoint, null)).slice(1, 3)).toEqual([true, true])
    expect(await readCached(tablet, listTrail as Endpoint, { query: {} })).toEqual(['listTrail', 'cached', true])
    // The device has no data of a part that its user may not read.
    expect(Object.keys((await readRecord(tablet)).parts)).not.toContain('contracts')
  })

  it('has only data that its user may read, without any refused request (fault 47a)', async () => {
    const tablet = await installation.signInTablet('user@alpha')
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
    expect(Object.keys((await readRecord(tablet)).parts)).toEqual(['account'])
    expect(tablet.connection.log.every(({ status }) => status === 200)).toBe(true)
  })
})

describe('a background preparation', () => {
  it('fetches nothing for some hours, then only changes, and nothing once it is off (fault 47b)', async () => {
    const tablet = await installation.signInTablet('second@alpha')
    await prepare(tablet)
    const previousLength = tablet.connection.log.length
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'off' })
    // The only request is for the user, which every run reads.
    expect(tablet.connection.log.length - previousLength).toBe(1)

    await installation.clock.advance(4.1 * 3_600_000)
    const companyId = installation.server.world.companies.alpha
    const admin = await installation.signInTablet('admin@alpha')
    const id = installation.server.world.users['user@alpha'] ?? 0
    await admin.api.call(listUsers, { params: { companyId } })
    await admin.settle()
    const base = { rowVersion: (await admin.row('users', id))?.row.row_version ?? 0, values: { alert: false } }
    const write = await admin.api.call(updateCompanyUser, { params: { id }, body: { alert: true } }, { base })
    expect(write.kind).toBe('fresh')
    await tablet.api.call(getUser, {})
    tablet.connection.log.length = 0
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'done' })
    const paths = sentPaths(tablet)
    // All lists are read again, although only a user has changed, because the lists of one company share their change number.
    expect(paths.filter((path) => path.includes('since='))).toEqual([
      expect.stringMatching(/\/invoice\?companyId=\d+&since=\d+$/),
      expect.stringMatching(/\/sorder\?since=\d+$/),
      expect.stringMatching(/\/users\?since=\d+$/),
    ])
    expect(paths.filter((path) => /history|pdb/.test(path))).toEqual([])
    expect(paths.length).toBeLessThan(16)
    expect((await tablet.list(listUsers, { scope: companyId, results: 50 })).rows).toContainEqual(
      expect.objectContaining({ row: expect.objectContaining({ id, alert: true }) }),
    )

    await setPreparation({ isOn: false }, tablet.device)
    await installation.clock.advance(dayMs)
    tablet.connection.log.length = 0
    const caller = toCaller({ id, company_id: companyId, company_code: 'alpha', admin: true } as SessionUser)
    expect(await prepareDevice(tablet.ports, { caller, isBackground: true })).toEqual({ kind: 'off' })
    expect(tablet.connection.log).toEqual([])
    goOffline(tablet)
    expect((await tablet.list(listUsers, { scope: companyId })).complete).toBe(true)
  })

  it('stays on after an expired session, and runs again after a logout deleted everything (fault 47c)', async () => {
    const tablet = await installation.signInTablet('order@alpha')
    await prepare(tablet)
    await endSession(tablet.device, (await tablet.session())?.generation ?? 0, { isExpired: true })
    await signInAs(tablet, 'order@alpha')
    expect((await readRecord(tablet)).isOn).toBe(true)
    await tablet.signOut()
    await tablet.settle()
    await signInAs(tablet, 'order@alpha')
    expect((await readRecord(tablet)).isOn).toBe(true)
    await installation.clock.advance(3_600_000)
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'done' })
    goOffline(tablet)
    expect((await tablet.list(listOrders, { scope: installation.server.world.companies.alpha })).complete).toBe(true)
  })
})

describe('a preparation that does not complete', () => {
  it('keeps the fetched data when it is stopped, and the next run continues (fault 47d)', async () => {
    const tablet = await installation.signInTablet('second@alpha')
    const stopController = new AbortController()
    const onProgress: PrepareOptions['onProgress'] = ({ part }) => part === 'services' && stopController.abort()
    expect(await prepare(tablet, { signal: stopController.signal, onProgress })).toEqual({ kind: 'stopped' })
    const { parts, end } = await readRecord(tablet)
    expect([Object.keys(parts), end]).toEqual([['account', 'contracts', 'prices'], { kind: 'stopped' }])
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
  })

  it('fetches all other parts if one is refused, and reports the refusal (fault 47e)', async () => {
    const interceptedTablet = await signInIntercepted(installation, 'second@alpha')
    const body = JSON.stringify({ errorCode: 'FORBIDDEN', errorMessage: 'no' })
    interceptedTablet.intercept = async (request, forward) => {
      const response = await forward()
      return /history|company\/\d+\/users/.test(request.path) ? { ...response, status: 403, body } : response
    }
    expect(await prepare(interceptedTablet.tablet)).toEqual({ kind: 'done' })
    const { parts } = await readRecord(interceptedTablet.tablet)
    const refusedParts = Object.entries(parts).filter(([, { missing }]) => missing > 0)
    expect(refusedParts.map(([name, { missing, problem }]) => [name, missing, problem?.code])).toEqual([
      ['contracts', 1, 'FORBIDDEN'],
      ['users', 1, 'FORBIDDEN'],
    ])
    expect(Object.keys(parts)).toContain('trail')
  })

  it('ends when the connection is lost, and is tried again within the hour (fault 47e)', async () => {
    const tablet = await installation.signInTablet('order@alpha')
    const onProgress: PrepareOptions['onProgress'] = ({ part }) => {
      if (part === 'prices') tablet.connection.state = 'down'
    }
    expect(await prepare(tablet, { onProgress })).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
    tablet.connection.state = 'up'
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'off' })
    await installation.clock.advance(3_600_000)
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'done' })
    expect(Object.keys((await readRecord(tablet)).parts)).toContain('services')
  })
})

describe('space on a prepared device', () => {
  it('is checked before anything is fetched (fault 47f)', async () => {
    const tablet = await installation.signInTablet('second@alpha')
    await tablet.api.call(getUser, {})
    tablet.connection.log.length = 0
    const storage = { estimate: async () => ({ usage: 60_000_000, quota: 100_000_000 }) }
    expect(await prepare(tablet, { storage })).toEqual({ kind: 'no space', free: 40_000_000, needed: 80_000_000 })
    expect(sentPaths(tablet).filter((path) => !path.startsWith('/api/m18s/user'))).toEqual([])
  })

  it('ends the run when it is used up, and the waiting writes stay (fault 47f)', async () => {
    const tablet = await installation.signInTablet('second@alpha')
    const companyId = installation.server.world.companies.alpha
    const id = installation.server.world.users['user@alpha'] ?? 0
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.settle()
    tablet.connection.state = 'down'
    const rowVersion = (await tablet.row('users', id))?.row.row_version ?? 0
    await tablet.api.call(
      updateCompanyUser,
      { params: { id }, body: { alert: false } },
      { base: { rowVersion, values: { alert: true } } },
    )
    await tablet.settle()
    tablet.connection.state = 'up'
    await setPreparation({ isOn: true }, tablet.device)
    const caller = toCaller({ id: 0, company_id: companyId, company_code: 'alpha', admin: true } as SessionUser)
    const disk = fillDisk()
    try {
      const result = await prepareDevice(tablet.ports, { caller, storage: {} }).catch((error: unknown) => error)
      expect(result).toMatchObject({ kind: 'no space' })
    } finally {
      disk.repair()
    }
    expect(await tablet.countWaiting()).toBe(1)
  })

  it('is taken from other lists before prepared lists, which are not evicted by age (fault 47g)', async () => {
    const tablet = await installation.signInTablet('second@alpha')
    await prepare(tablet)
    const db = await openTabletDatabase(tablet)
    const preparedStats = await db.listStats.get(`users|${installation.server.world.companies.alpha}`)
    if (!preparedStats) throw new Error('no users are here')
    const latestReadAt = preparedStats.latestAsOf + 30 * dayMs
    await db.listStats.put({ ...preparedStats, id: 'apps|', table: 'apps', scope: null, latestAsOf: latestReadAt })
    await db.listStats.put({
      ...preparedStats,
      id: 'modules|',
      table: 'modules',
      scope: null,
      latestAsOf: latestReadAt + 1,
    })
    expect(await trimCache(db)).toBe(0)
    const fullDiskError = Object.assign(new Error('full'), { name: 'QuotaExceededError' })
    await retryAfterEviction(db, async () => undefined, fullDiskError)
    const readRemainingLists = async () => (await db.listStats.toCollection().primaryKeys()).map(String)
    expect(await readRemainingLists()).toEqual(expect.arrayContaining([preparedStats.id, 'modules|']))
    expect(await readRemainingLists()).not.toContain('apps|')
    await setPreparation({ isOn: false }, tablet.device)
    expect(await trimCache(db)).toBeGreaterThan(0)
    expect(await readRemainingLists()).not.toContain(preparedStats.id)
  })
})
