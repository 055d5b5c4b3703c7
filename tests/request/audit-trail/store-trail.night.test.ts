/** Tests a range of the audit trail on a device: stored, interrupted, resumed, updated, read without a connection, and removed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { listUsers } from '#contract/users.ts'
import { storedTrailTables } from '#local/storage/database.ts'
import type { StoredLeaves } from '#local/storage/trail-records.ts'
import { clearCache, trimCache } from '#local/space/clear-cache.ts'
import { retryAfterEviction } from '#local/storage/eviction.ts'
import { readUsage } from '#local/space/usage.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import {
  dayMs,
  fillTrail,
  january,
  storeTrail,
  createStoredTrailActions,
  requestStoredTrail,
  resetWithTrail,
  signInIntercepted,
} from '#tests/support/audit-trail/stored-trail.ts'
import { startStoredTrail } from '#request/audit-trail/store-trail.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

let installation: Installation
let companyId: number
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  await resetWithTrail(installation)
  companyId = installation.server.world.companies.alpha
})

const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }
const openTabletDatabase = async (tablet: Tablet) => {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.getDatabase(session)
}
/** Returns the number of readable entries on the device. */
async function countEntries(db: Awaited<ReturnType<typeof openTabletDatabase>>): Promise<number> {
  const records = (await db.storedTiles.toArray()).filter((record): record is StoredLeaves => 'leaves' in record)
  return records.reduce((sum, { leaves }) => sum + leaves.filter((leaf) => leaf !== '').length, 0)
}
/** Requests a list of the trail as the page does. */
const listEntries = async (tablet: Tablet, query: object) => {
  const result = await tablet.api.call(listTrail, { query: { results: 50, ...query } as never })
  await tablet.settle()
  return result
}
const proveAll = (tablet: Tablet) => createStoredTrailActions(tablet).proveAll(companyId)
async function signInWithStoredMonth(): Promise<Tablet> {
  const tablet = await installation.signInTablet('admin@alpha')
  await storeTrail(tablet, month)
  return tablet
}
const getIds = (result: Awaited<ReturnType<typeof listEntries>>) =>
  result.kind === 'fresh' || result.kind === 'cached' ? result.output?.data.map(({ id }) => id) : result

describe('storing a month', () => {
  it('stores and proves every entry, and reports progress', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const progress: [number, number][] = []
    expect(await storeTrail(tablet, month, { onProgress: (done, total) => progress.push([done, total]) })).toEqual({
      kind: 'done',
    })
    const db = await openTabletDatabase(tablet)
    expect(await db.storedTrails.toArray()).toMatchObject([
      { companyId, ...month, from: 0, to: 600, next: 600, follows: false, hidden: 0, zone: 'Asia/Hong_Kong' },
    ])
    expect(await countEntries(db)).toBe(600)
    expect(progress[0]).toEqual([0, 600])
    expect(progress.at(-1)).toEqual([600, 600])
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven', entries: 600, hidden: 0 })
  })

  nightly('is an export that the audit trail records', async () => {
    const tablet = await signInWithStoredMonth()
    const result = await listEntries(tablet, { operation: 'export' })
    expect(result).toMatchObject({
      kind: 'fresh',
      output: {
        count: 1,
        data: [{ code: 'system', info: { DateFrom: '2026-01-01', DateTo: '2026-01-31', Entries: 600 } }],
      },
    })
  })

  it('continues where its stream was cut off, even after the browser was closed', async () => {
    const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
    const { tablet } = interceptedTablet
    const storedTrailStart = await requestStoredTrail(tablet, month)
    await startStoredTrail(tablet.ports, { ...month, today: '2026-03-02' }, storedTrailStart)
    let streamCount = 0
    interceptedTablet.intercept = async ({ path }, forward) => {
      const response = await forward()
      // The stream ends in the middle of its last line.
      if (path.includes('/export')) streamCount += 1
      return path.includes('/export') && streamCount === 1
        ? { ...response, body: response.body.slice(0, -40) }
        : response
    }
    expect(await createStoredTrailActions(tablet).fill(companyId)).toEqual({ kind: 'refused', fault: 'STREAM_CUT' })
    expect(await countEntries(await openTabletDatabase(tablet))).toBe(0)
    interceptedTablet.intercept = null
    // Two hundred entries arrive. Then the user pauses the download.
    const controller = new AbortController()
    interceptedTablet.intercept = async ({ path, ...request }, forward) => {
      if (!path.includes('/export')) return await forward()
      controller.abort()
      return await forward({ ...request, path: path.replace('&to=600', '&to=200') })
    }
    expect(await createStoredTrailActions(tablet).fill(companyId, { signal: controller.signal })).toEqual({
      kind: 'paused',
    })
    tablet.reopen()
    const db = await openTabletDatabase(tablet)
    expect(await db.storedTrails.get(companyId)).toMatchObject({ next: 200, to: 600, note: null })
    // A range that is only partly stored gives no result offline.
    tablet.connection.state = 'down'
    expect((await listEntries(tablet, month)).kind).toBe('problem')
    tablet.connection.state = 'up'
    interceptedTablet.intercept = null
    const previousLength = tablet.connection.log.length
    expect(await createStoredTrailActions(tablet).fill(companyId)).toEqual({ kind: 'done' })
    const exportRequests = tablet.connection.log
      .slice(previousLength)
      .filter(({ request }) => request.path.includes('/export'))
    expect(exportRequests[0]?.request.path).toContain('from=200')
    expect(await countEntries(db)).toBe(600)
  })

  it('stores only hashes of entries that the reader may not see, and proves the others', async () => {
    await fillTrail(installation, companyId, 30, { startAt: january + dayMs, code: 'price' })
    const tablet = await signInWithStoredMonth()
    const db = await openTabletDatabase(tablet)
    expect(await db.storedTrails.get(companyId)).toMatchObject({ hidden: 30, next: 630 })
    expect(await countEntries(db)).toBe(600)
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven', entries: 600, hidden: 30 })
  })

  it("lets the provider store a customer's trail in addition to its own", async () => {
    const tablet = await installation.signInTablet('admin@m18')
    expect(await storeTrail(tablet, month, { companyId })).toEqual({ kind: 'done' })
    const ownCompanyId = (await tablet.session())?.companyId ?? 0
    await fillTrail(installation, ownCompanyId, 20, { startAt: january })
    expect(await storeTrail(tablet, month)).toEqual({ kind: 'done' })
    tablet.connection.state = 'down'
    expect(await listEntries(tablet, { ...month, companyId, results: 1 })).toMatchObject({
      kind: 'cached',
      output: { count: 600 },
    })
    expect(await listEntries(tablet, { ...month, results: 1 })).toMatchObject({ kind: 'cached', output: { count: 20 } })
    await createStoredTrailActions(tablet).remove(companyId)
    expect(await listEntries(tablet, { ...month, results: 1 })).toMatchObject({ kind: 'cached', output: { count: 20 } })
    expect(await countEntries(await openTabletDatabase(tablet))).toBe(20)
  })
})

describe('a stored month without a connection', () => {
  it('returns the same as the server for a week: filters, text, order, pages and activity', async () => {
    const tablet = await signInWithStoredMonth()
    const week = { dateFrom: '2026-01-03', dateTo: '2026-01-09' }
    const queries = [
      week,
      { ...week, page: 2 },
      { ...week, page: 99 },
      { ...week, sortOrder: 'asc' },
      { ...week, sortOrder: 'ascend', sortField: 'end_time', results: 7, page: 3 },
      { ...week, operation: 'create' },
      { ...week, status: -1 },
      { ...week, code: 'price' },
      { ...week, withoutLogins: true },
      { ...week, searchText: 'ÉLAN' },
      { ...week, searchText: 'PERSON 14' },
      { ...week, searchText: 'nobody at all' },
      { ...week, operation: 'update', status: 0, searchText: '陈', sortOrder: 'asc' },
      { dateFrom: '2026-01-05', dateTo: '2026-01-05' },
      { dateTo: '2026-01-05' },
    ]
    const readActivity = (query: object) => tablet.api.call(trailActivity, { query: query as never })
    for (const query of queries) {
      const listOnly = { page: undefined, sortOrder: undefined, sortField: undefined, results: undefined }
      const filters = { ...query, ...listOnly, withoutLogins: undefined }
      tablet.connection.state = 'up'
      const freshList = await listEntries(tablet, query)
      const freshActivity = await readActivity(filters)
      const db = await openTabletDatabase(tablet)
      // Cached responses are deleted, so that only the stored range can give the result.
      await db.responses.where('path').startsWith('/api/systrail').delete()
      tablet.connection.state = 'down'
      const cachedList = await listEntries(tablet, query)
      expect(cachedList, JSON.stringify(query)).toMatchObject({
        kind: 'cached',
        output: freshList.kind === 'fresh' ? freshList.output : {},
      })
      expect(cachedList).toMatchObject({ kind: 'cached', days: null })
      const cachedActivity = await readActivity(filters)
      expect(cachedActivity, JSON.stringify(query)).toMatchObject({
        kind: 'cached',
        output: freshActivity.kind === 'fresh' ? freshActivity.output : {},
      })
    }
  }, 60_000)

  nightly('returns one entry by its id, and has no result for days that are not stored', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    await storeTrail(tablet, { dateFrom: '2026-01-02', dateTo: '2026-01-04' })
    const listedEntries = await listEntries(tablet, { dateFrom: '2026-01-03', dateTo: '2026-01-03', results: 3 })
    const laterEntry = await listEntries(tablet, { dateFrom: '2026-01-06', dateTo: '2026-01-06', results: 1 })
    const entries = listedEntries.kind === 'fresh' ? (listedEntries.output?.data ?? []) : []
    const outsideId = laterEntry.kind === 'fresh' ? laterEntry.output?.data[0]?.id : undefined
    const db = await openTabletDatabase(tablet)
    await db.responses.where('path').startsWith('/api/systrail').delete()
    tablet.connection.state = 'down'
    expect(entries).toHaveLength(3)
    for (const entry of entries)
      expect(await listEntries(tablet, { entry: entry.id, results: 1 })).toMatchObject({
        output: { count: 1, data: [entry] },
      })
    const days = { from: '2026-01-02', to: '2026-01-04' }
    expect(outsideId).toBeTypeOf('number')
    expect(await listEntries(tablet, { entry: outsideId, results: 1 })).toMatchObject({
      output: { count: 0, data: [] },
      days,
    })
  })

  nightly('continues after an entry in both directions, as the server does', async () => {
    const tablet = await signInWithStoredMonth()
    for (const sortOrder of ['asc', 'desc'] as const) {
      const query = { ...month, sortOrder, operation: 'create', results: 40 }
      const textQuery = { ...query, searchText: 'person 1', results: 20 }
      tablet.connection.state = 'up'
      const firstIds = getIds(await listEntries(tablet, query)) as number[]
      const nextResult = await listEntries(tablet, { ...query, after: firstIds.at(-1) })
      const matchingIds = getIds(await listEntries(tablet, textQuery)) as number[]
      const furtherIds = getIds(await listEntries(tablet, { ...textQuery, after: matchingIds.at(-1) }))
      await (await openTabletDatabase(tablet)).responses.clear()
      tablet.connection.state = 'down'
      expect(getIds(await listEntries(tablet, { ...query, after: firstIds.at(-1) }))).toEqual(getIds(nextResult))
      expect(getIds(await listEntries(tablet, textQuery))).toEqual(matchingIds)
      expect(furtherIds).toHaveLength(20)
      expect(getIds(await listEntries(tablet, { ...textQuery, after: matchingIds.at(-1) }))).toEqual(furtherIds)
      expect((getIds(await listEntries(tablet, { ...query, after: firstIds[0] })) as number[]).slice(0, 39)).toEqual(
        firstIds.slice(1),
      )
    }
  })

  it('names the stored days if more were requested, and has no rows for other days', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const partRange = { dateFrom: '2026-01-02', dateTo: '2026-01-04' }
    await storeTrail(tablet, partRange)
    tablet.connection.state = 'down'
    const days = { from: '2026-01-02', to: '2026-01-04' }
    expect(await listEntries(tablet, month)).toMatchObject({ kind: 'cached', days, asOf: expect.any(Number) })
    expect(await listEntries(tablet, {})).toMatchObject({ kind: 'cached', days })
    expect(await listEntries(tablet, { dateFrom: '2026-01-04', dateTo: '2026-01-20' })).toMatchObject({
      kind: 'cached',
      days,
    })
    expect(await listEntries(tablet, { dateFrom: '2026-01-05', dateTo: '2026-01-09' })).toMatchObject({
      kind: 'problem',
    })
    expect(await listEntries(tablet, partRange)).toMatchObject({ kind: 'cached', days: null })
  })
})

describe('a stored range with a connection', () => {
  nightly('is updated with its proofs if its last day is not over', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const days = { dateFrom: '2026-01-01', dateTo: '2026-03-02', today: '2026-03-02' }
    await storeTrail(tablet, days)
    await fillTrail(installation, companyId, 25, { startAt: installation.clock.now() })
    await createStoredTrailActions(tablet).update()
    const db = await openTabletDatabase(tablet)
    const { next, from, note } = (await db.storedTrails.get(companyId)) ?? { next: 0, from: 0, note: null }
    // Between the 600 and the 25 entries, the log has the entry about the export, and possibly an entry about the sign-in.
    expect(next - from).toBeGreaterThanOrEqual(626)
    expect(note).toBe((await db.logCheckpoints.get(companyId))?.note)
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven', entries: next - from })
    tablet.connection.state = 'down'
    const todayEntries = await listEntries(tablet, { dateFrom: '2026-03-02', searchText: 'Person 24' })
    expect(todayEntries).toMatchObject({ kind: 'cached', output: { count: 1 } })
    expect(todayEntries).toMatchObject({ kind: 'cached', days: null })
  })

  nightly('is left unchanged if its days are over', async () => {
    const tablet = await signInWithStoredMonth()
    await fillTrail(installation, companyId, 25, { startAt: installation.clock.now() })
    await createStoredTrailActions(tablet).update()
    expect(await (await openTabletDatabase(tablet)).storedTrails.get(companyId)).toMatchObject({ to: 600, next: 600 })
  })

  it('does not download the whole log when its first entry arrives', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    await storeTrail(tablet, { dateFrom: '2026-03-02', dateTo: '2026-04-30', today: '2026-03-02' })
    await fillTrail(installation, companyId, 5, { startAt: installation.clock.now() })
    await createStoredTrailActions(tablet).update()
    const storedTrail = await (await openTabletDatabase(tablet)).storedTrails.get(companyId)
    expect(storedTrail?.from).toBeGreaterThanOrEqual(600)
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven' })
  })
})

describe('a stored trail', () => {
  it('stays when lists are evicted by size or age, cleared, or evicted from a full disk', async () => {
    const tablet = await signInWithStoredMonth()
    await tablet.api.call(listUsers, { params: { companyId }, query: {} })
    await tablet.settle()
    const db = await openTabletDatabase(tablet)
    expect(await trimCache(db, { bytes: 0, ageMs: -1 })).toBe(0)
    await clearCache(tablet.device)
    const fullDiskError = Object.assign(new Error('full'), { name: 'QuotaExceededError' })
    await expect(retryAfterEviction(db, () => Promise.reject(fullDiskError), fullDiskError)).rejects.toThrow('full')
    expect(await db.table('users').count()).toBe(0)
    expect(await countEntries(db)).toBe(600)
    tablet.connection.state = 'down'
    expect(await listEntries(tablet, { ...month, searchText: 'ÉLAN' })).toMatchObject({
      kind: 'cached',
      output: { count: 86 },
    })
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven', entries: 600 })
  })

  it('is deleted after a sign-out, except for the checkpoint, which has no personal data', async () => {
    const tablet = await signInWithStoredMonth()
    const db = await openTabletDatabase(tablet)
    await tablet.signOut()
    for (const table of ['trail', ...storedTrailTables, 'buckets', 'columns', 'indexes', 'listStats', 'responses'])
      expect(await db.table(table).count(), table).toBe(0)
    expect(await db.logCheckpoints.count()).toBe(1)
    expect(JSON.stringify(await db.logCheckpoints.toArray())).not.toMatch(/Person|ALPHA|@/)
  })

  it('is deleted after 401 UNAUTHORIZED, and when another user signs in', async () => {
    const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
    const { tablet } = interceptedTablet
    await storeTrail(tablet, month)
    const db = await openTabletDatabase(tablet)
    interceptedTablet.intercept = async (_sent, forward) => {
      const response = await forward()
      return { ...response, status: 401, body: JSON.stringify({ errorCode: 'UNAUTHORIZED', errorMessage: '' }) }
    }
    await createStoredTrailActions(tablet).update()
    expect([await countEntries(db), await db.storedTrails.count(), await db.storedTiles.count()]).toEqual([0, 0, 0])
  })

  nightly('can be removed by its user, and the next list is cached as before', async () => {
    const tablet = await signInWithStoredMonth()
    await createStoredTrailActions(tablet).remove(companyId)
    const db = await openTabletDatabase(tablet)
    expect([await countEntries(db), await db.storedTrails.count(), await db.storedTiles.count()]).toEqual([0, 0, 0])
    expect(await proveAll(tablet)).toBeNull()
    expect(await createStoredTrailActions(tablet).fill(companyId)).toEqual({ kind: 'gone' })
  })
})

describe('trail rows of all companies that an older build cached', () => {
  it('are deleted when a range is stored', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const db = await openTabletDatabase(tablet)
    const buildOldRow = (id: number) => ({
      id,
      scope: null,
      version: 0,
      asOf: 1,
      row: { id, row_version: 0 },
      folds: {},
    })
    await db.table('trail').bulkPut([900_001, 900_002].map(buildOldRow))
    await db.listStats.put({ id: 'trail|', table: 'trail', scope: null, rows: 2, bytes: 10, asOf: 1, latestAsOf: 1 })
    await storeTrail(tablet, month)
    expect(await db.table('trail').count()).toBe(0)
    expect(await countEntries(db)).toBe(600)
    expect((await readUsage(tablet.device, {}))?.lists).toMatchObject([
      { table: 'trail', scope: companyId, rows: 600, complete: true },
    ])
  })
})
