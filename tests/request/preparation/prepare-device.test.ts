/** A device that was prepared to work offline: what it has, what a refresh costs, and what stops it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getCompany, getSettings, getUser } from '#contract/accounts.ts'
import { listAppHistory, listApps } from '#contract/apps.ts'
import { listTrail } from '#contract/audit-trail.ts'
import { getBackupPlan, getTraffic, listBackupOrders, listBackups, listTraffic } from '#contract/backups.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { listModuleChoices, listModules } from '#contract/modules.ts'
import { getContractHistory, listOrders } from '#contract/orders.ts'
import { getPriceInForce, getPriceList, listPriceLists } from '#contract/prices.ts'
import { listServices } from '#contract/services.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { readPreparationIn } from '#local/storage/preparation-record.ts'
import { setPreparation } from '#local/preparation/preparation-store.ts'
import { endSession } from '#local/session/session.ts'
import { trimCache } from '#local/space/clear-cache.ts'
import { retryAfterEviction } from '#local/storage/eviction.ts'
import { prepareDevice, type PrepareOptions } from '#request/preparation/prepare-device.ts'
import { callerOf, type SessionUser } from '#state/session-slice.ts'
import { comeIn, type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { fillDisk } from '#tests/support/device/full-disk.ts'
import { dayMs, fillTrail, signedInBehind } from '#tests/support/audit-trail/kept-trail.ts'
import { type Market, openMarket } from '#tests/support/orders/shop-data.ts'

let house: Installation
let market: Market
beforeAll(async () => {
  house = await openInstallation()
  market = await openMarket(house.server)
  const { alpha, m18 } = house.server.world.companies
  for (const companyId of [alpha, m18]) await fillTrail(house, companyId, 20, { start: house.clock.now() - 3 * dayMs })
}, 60_000)
afterAll(() => house.close())

const roomy = { estimate: async () => ({ usage: 1_000_000, quota: 1_000_000_000 }) }

async function prepare(tablet: Tablet, options: Partial<PrepareOptions> = {}) {
  const user = await tablet.api.call(getUser, {})
  if (user.kind !== 'fresh' && user.kind !== 'kept') throw new Error('nobody is signed in')
  await setPreparation({ isOn: true }, tablet.device)
  const caller = callerOf(user.output as SessionUser)
  const result = await prepareDevice(tablet.ports, { caller, storage: roomy, ...options })
  await tablet.rest()
  return result
}

async function database(tablet: Tablet) {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.of(session)
}

const readRecord = async (tablet: Tablet) => await readPreparationIn(await database(tablet))

/** The server is gone and the app is opened anew. */
function goOffline(tablet: Tablet) {
  tablet.line.state = 'down'
  tablet.reopen()
}

async function readKept(tablet: Tablet, endpoint: Endpoint, input: object) {
  const result = await tablet.api.call(endpoint, input as never)
  return [endpoint.name, result.kind, result.kind === 'kept' && result.output !== null]
}

const readListState = async (tablet: Tablet, endpoint: Endpoint, scope: number | null) => {
  const { rows, complete, asOf } = await tablet.list(endpoint, { scope })
  return [endpoint.name, complete, asOf !== null, rows.length]
}

/** Paths that left the device, without the log that proves the trail. */
const sentPaths = (tablet: Tablet) =>
  tablet.line.log.map(({ sent }) => sent.path).filter((path) => !/systrail|token/.test(path))

describe('after preparing, without a server and from a cold start', () => {
  it('fault 47a every page of a company has its rows and answers', async () => {
    const tablet = await house.signedIn('second@alpha')
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
    goOffline(tablet)
    const companyId = house.server.world.companies.alpha
    const { contract_id, service_id } = market.orders.alpha
    const type = 'saas' as const
    const service = { params: { serviceId: service_id } }
    const reads: [Endpoint, object][] = [
      [getSettings as Endpoint, {}],
      [getCompany as Endpoint, { params: { id: companyId } }],
      [getContractHistory as Endpoint, { params: { id: contract_id } }],
      [getPriceInForce as Endpoint, { query: { type } }],
      [listModuleChoices as Endpoint, { query: { type } }],
      [getBackupPlan as Endpoint, service],
      [getTraffic as Endpoint, service],
      [listTrail as Endpoint, { query: { results: 50 } }],
      [listTrail as Endpoint, { query: { results: 50, dateFrom: '2026-02-20', operation: 'update' } }],
    ]
    const kept = await Promise.all(reads.map(([endpoint, input]) => readKept(tablet, endpoint, input)))
    expect(kept).toEqual(reads.map(([{ name }]) => [name, 'kept', true]))
    expect(await readListState(tablet, listUsers as Endpoint, companyId)).toEqual(['listUsers', true, true, 7])
    expect(await readListState(tablet, listOrders as Endpoint, companyId)).toEqual(['listOrders', true, true, 1])
    expect(await readListState(tablet, listServices as Endpoint, null)).toEqual(['listServices', true, true, 1])
    for (const list of [listBackups, listBackupOrders, listTraffic] as Endpoint[])
      expect(await readListState(tablet, list, service_id)).toEqual([list.name, true, true, 0])
    const trail = await tablet.api.call(listTrail, { query: { results: 50 } })
    expect(trail.kind === 'kept' && trail.output?.data.length).toBeGreaterThan(20)
    const { parts } = await readRecord(tablet)
    expect(Object.values(parts).map(({ missing, bytes }) => [missing, bytes > 0])).toEqual(
      Object.keys(parts).map((name) => [0, name !== 'backups' || parts.backups?.bytes !== 0]),
    )
  })

  it("fault 47a every page of the provider's staff has its rows and answers", async () => {
    const tablet = await house.signedIn('delete@m18')
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
    goOffline(tablet)
    for (const id of market.lists)
      expect(await readKept(tablet, getPriceList as Endpoint, { params: { id } })).toEqual([
        'getPriceList',
        'kept',
        true,
      ])
    for (const list of [listPriceLists, listModules, listApps, listServices] as Endpoint[]) {
      const [, complete, isKnown, rows] = await readListState(tablet, list, null)
      expect([list.name, complete, isKnown, Number(rows) > 0]).toEqual([list.name, true, true, true])
    }
    expect((await readListState(tablet, listAppHistory as Endpoint, null)).slice(1, 3)).toEqual([true, true])
    expect(await readKept(tablet, listTrail as Endpoint, { query: {} })).toEqual(['listTrail', 'kept', true])
    // Who may not read a part has none of it.
    expect(Object.keys((await readRecord(tablet)).parts)).not.toContain('contracts')
  })

  it('fault 47a of somebody without rights only what they may read is fetched', async () => {
    const tablet = await house.signedIn('user@alpha')
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
    expect(Object.keys((await readRecord(tablet)).parts)).toEqual(['account'])
    expect(tablet.line.log.every(({ status }) => status === 200)).toBe(true)
  })
})

describe('a background round', () => {
  it('fault 47b fetches nothing before hours have passed, then only what has changed, and nothing once it is off', async () => {
    const tablet = await house.signedIn('second@alpha')
    await prepare(tablet)
    const before = tablet.line.log.length
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'off' })
    // Its own reading of the user.
    expect(tablet.line.log.length - before).toBe(1)

    await house.clock.turn(4.1 * 3_600_000)
    const companyId = house.server.world.companies.alpha
    const admin = await house.signedIn('admin@alpha')
    const id = house.server.world.users['user@alpha'] ?? 0
    await admin.api.call(listUsers, { params: { companyId } })
    await admin.rest()
    const base = { rowVersion: (await admin.row('users', id))?.row.row_version ?? 0, values: { alert: false } }
    const write = await admin.api.call(updateCompanyUser, { params: { id }, body: { alert: true } }, { base })
    expect(write.kind).toBe('fresh')
    await tablet.api.call(getUser, {})
    tablet.line.log.length = 0
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'done' })
    const paths = sentPaths(tablet)
    // The lists of one company share their change number.
    expect(paths.filter((path) => path.includes('since='))).toEqual([
      expect.stringMatching(/\/sorder\?since=\d+$/),
      expect.stringMatching(/\/users\?since=\d+$/),
    ])
    expect(paths.filter((path) => /history|pdb/.test(path))).toEqual([])
    expect(paths.length).toBeLessThan(14)
    expect((await tablet.list(listUsers, { scope: companyId, results: 50 })).rows).toContainEqual(
      expect.objectContaining({ row: expect.objectContaining({ id, alert: true }) }),
    )

    await setPreparation({ isOn: false }, tablet.device)
    await house.clock.turn(dayMs)
    tablet.line.log.length = 0
    const caller = callerOf({ id, company_id: companyId, company_code: 'alpha', admin: true } as SessionUser)
    expect(await prepareDevice(tablet.ports, { caller, isBackground: true })).toEqual({ kind: 'off' })
    expect(tablet.line.log).toEqual([])
    goOffline(tablet)
    expect((await tablet.list(listUsers, { scope: companyId })).complete).toBe(true)
  })

  it('fault 47c is wanted still after a session that lapsed, and goes on after a logout that wiped all of it', async () => {
    const tablet = await house.signedIn('order@alpha')
    await prepare(tablet)
    await endSession(tablet.device, (await tablet.session())?.generation ?? 0, { lapsed: true })
    await comeIn(tablet, 'order@alpha')
    expect((await readRecord(tablet)).isOn).toBe(true)
    await tablet.signOut()
    await tablet.rest()
    await comeIn(tablet, 'order@alpha')
    expect((await readRecord(tablet)).isOn).toBe(true)
    await house.clock.turn(3_600_000)
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'done' })
    goOffline(tablet)
    expect((await tablet.list(listOrders, { scope: house.server.world.companies.alpha })).complete).toBe(true)
  })
})

describe('what does not succeed', () => {
  it('fault 47d a stop keeps what came, and the next run goes on', async () => {
    const tablet = await house.signedIn('second@alpha')
    const stop = new AbortController()
    const onProgress: PrepareOptions['onProgress'] = ({ part }) => part === 'services' && stop.abort()
    expect(await prepare(tablet, { signal: stop.signal, onProgress })).toEqual({ kind: 'stopped' })
    const { parts, end } = await readRecord(tablet)
    expect([Object.keys(parts), end]).toEqual([['account', 'contracts', 'prices'], { kind: 'stopped' }])
    expect(await prepare(tablet)).toEqual({ kind: 'done' })
  })

  it('fault 47e a refusal of one part stops no other, and is said', async () => {
    const liar = await signedInBehind(house, 'second@alpha')
    const body = JSON.stringify({ errorCode: 'FORBIDDEN', errorMessage: 'no' })
    liar.between = async (sent, pass) => {
      const answer = await pass()
      return /history|company\/\d+\/users/.test(sent.path) ? { ...answer, status: 403, body } : answer
    }
    expect(await prepare(liar.tablet)).toEqual({ kind: 'done' })
    const { parts } = await readRecord(liar.tablet)
    const refused = Object.entries(parts).filter(([, { missing }]) => missing > 0)
    expect(refused.map(([name, { missing, problem }]) => [name, missing, problem?.code])).toEqual([
      ['contracts', 1, 'FORBIDDEN'],
      ['users', 1, 'FORBIDDEN'],
    ])
    expect(Object.keys(parts)).toContain('trail')
  })

  it('fault 47e a lost connection ends the run, and it is tried again within the hour', async () => {
    const tablet = await house.signedIn('order@alpha')
    const onProgress: PrepareOptions['onProgress'] = ({ part }) => {
      if (part === 'prices') tablet.line.state = 'down'
    }
    expect(await prepare(tablet, { onProgress })).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
    tablet.line.state = 'up'
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'off' })
    await house.clock.turn(3_600_000)
    expect(await prepare(tablet, { isBackground: true })).toEqual({ kind: 'done' })
    expect(Object.keys((await readRecord(tablet)).parts)).toContain('services')
  })
})

describe('space', () => {
  it('fault 47f a device without enough space is told before anything is fetched', async () => {
    const tablet = await house.signedIn('second@alpha')
    await tablet.api.call(getUser, {})
    tablet.line.log.length = 0
    const storage = { estimate: async () => ({ usage: 60_000_000, quota: 100_000_000 }) }
    expect(await prepare(tablet, { storage })).toEqual({ kind: 'no space', free: 40_000_000, needed: 80_000_000 })
    expect(sentPaths(tablet).filter((path) => !path.startsWith('/api/m18s/user'))).toEqual([])
  })

  it('fault 47f a disk that fills up ends the run, and what waits to be sent is still there', async () => {
    const tablet = await house.signedIn('second@alpha')
    const companyId = house.server.world.companies.alpha
    const id = house.server.world.users['user@alpha'] ?? 0
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.rest()
    tablet.line.state = 'down'
    const rowVersion = (await tablet.row('users', id))?.row.row_version ?? 0
    await tablet.api.call(
      updateCompanyUser,
      { params: { id }, body: { alert: false } },
      { base: { rowVersion, values: { alert: true } } },
    )
    await tablet.rest()
    tablet.line.state = 'up'
    await setPreparation({ isOn: true }, tablet.device)
    const caller = callerOf({ id: 0, company_id: companyId, company_code: 'alpha', admin: true } as SessionUser)
    const disk = fillDisk()
    try {
      const result = await prepareDevice(tablet.ports, { caller, storage: {} }).catch((error: unknown) => error)
      expect(result).toMatchObject({ kind: 'no space' })
    } finally {
      disk.mend()
    }
    expect(await tablet.waiting()).toBe(1)
  })

  it('fault 47g a prepared list makes way after others, and is not taken away for its age alone', async () => {
    const tablet = await house.signedIn('second@alpha')
    await prepare(tablet)
    const db = await database(tablet)
    const prepared = await db.listStats.get(`users|${house.server.world.companies.alpha}`)
    if (!prepared) throw new Error('no users are here')
    const newest = prepared.newest + 30 * dayMs
    await db.listStats.put({ ...prepared, id: 'apps|', table: 'apps', scope: null, newest })
    await db.listStats.put({ ...prepared, id: 'modules|', table: 'modules', scope: null, newest: newest + 1 })
    expect(await trimCache(db)).toBe(0)
    const full = Object.assign(new Error('full'), { name: 'QuotaExceededError' })
    await retryAfterEviction(db, async () => undefined, full)
    const left = async () => (await db.listStats.toCollection().primaryKeys()).map(String)
    expect(await left()).toEqual(expect.arrayContaining([prepared.id, 'modules|']))
    expect(await left()).not.toContain('apps|')
    await setPreparation({ isOn: false }, tablet.device)
    expect(await trimCache(db)).toBeGreaterThan(0)
    expect(await left()).not.toContain(prepared.id)
  })
})
