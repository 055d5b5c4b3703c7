import { afterEach, describe, expect, it } from 'vitest'
import { storedTrailListSpec } from '#contract/audit-trail.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storeChanges, storePage, storeResponse } from '#local/lists/response-store.ts'
import { clearCache, trimCache } from '#local/space/clear-cache.ts'
import { requestPersistence } from '#local/space/persistence.ts'
import { readUsage } from '#local/space/usage.ts'
import { fillDisk, type FullDisk } from '#tests/support/device/full-disk.ts'
import {
  buildNewEntry,
  buildUser,
  companyId,
  userList,
  firstPage,
  type TestDevice,
  openTestDevice,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

const trailSpec = storedTrailListSpec
const buildTrailRow = (id: number) => ({ id, code: 'user', end_time: '2026-01-01 00:00:00', row_version: 1, status: 0 })
const buildUsers = (count: number) => Array.from({ length: count }, (_, index) => buildUser(index + 1))

/** Opens a device with forty users read at time 100, and ten trail rows read at time 200. */
async function openDeviceWithTwoLists(): Promise<TestDevice> {
  const testDevice = await openTestDevice()
  const { db, generation } = testDevice
  await storeChanges(
    db,
    userList,
    companyId,
    { changed: buildUsers(40), deletedIds: [], changeNumber: 4, asOf: 100 },
    { isComplete: true, generation },
  )
  const trailRows = Array.from({ length: 10 }, (_, index) => buildTrailRow(index + 1))
  await storeChanges(
    db,
    trailSpec,
    null,
    { changed: trailRows, deletedIds: [], changeNumber: 4, asOf: 200 },
    { isComplete: true, generation },
  )
  return testDevice
}
const listCachedTables = async ({ device }: TestDevice) =>
  (await readUsage(device, {}))?.lists.map(({ table }) => table).sort()

let disk: FullDisk | undefined
afterEach(() => disk?.repair())

describe('the cache of a device', () => {
  it("is reported by list, with rows, bytes, age and completeness, and with the browser's estimate", async () => {
    const { device } = await openDeviceWithTwoLists()
    const usage = await readUsage(device, {
      estimate: () => Promise.resolve({ usage: 5_000, quota: 9_000 }),
      persisted: () => Promise.resolve(false),
    })
    expect(usage).toMatchObject({ usage: 5_000, quota: 9_000, persisted: false })
    expect(usage?.lists).toMatchObject([
      { table: 'users', scope: companyId, rows: 40, asOf: 100, latestAsOf: 100, complete: true },
      { table: 'trail', scope: null, rows: 10, asOf: 200, complete: true },
    ])
    const bytes = usage?.lists[0]?.bytes ?? 0
    const textLength = JSON.stringify(buildUsers(40)).length
    expect(bytes).toBeGreaterThan(textLength)
    expect(bytes).toBeLessThan(3 * textLength)
  })

  it('names the service that a list belongs to by its code, if its row is on the device', async () => {
    const { db, device } = await openTestDevice()
    await db.table('services').put({ id: 31, scope: companyId, row: { id: 31, code: 'acmeshop', row_version: 1 } })
    const stats = { table: 'traffic', rows: 1, bytes: 1, asOf: 100, latestAsOf: 100 }
    for (const scope of [31, 32]) await db.listStats.put({ ...stats, id: `traffic ${scope}`, scope })
    const lists = (await readUsage(device, {}))?.lists.filter(({ table }) => table === 'traffic') ?? []
    expect(lists.map(({ scope, serviceCode }) => [scope, serviceCode])).toEqual([
      [31, 'acmeshop'],
      [32, null],
    ])
  })

  it('is counted as rows are added, changed and removed', async () => {
    const testDevice = await openDeviceWithTwoLists()
    const { db, device, generation } = testDevice
    const countCachedUsers = async () =>
      (await readUsage(device, {}))?.lists.find(({ table }) => table === 'users')?.rows
    await storePage(
      db,
      userList,
      firstPage,
      buildPageResponse([buildUser(1, { row_version: 2 }), buildUser(90)], 300, '5', 41),
      generation,
    )
    expect(await countCachedUsers()).toBe(await db.table('users').count())
    await storeChanges(
      db,
      userList,
      companyId,
      { changed: [], deletedIds: [3, 4], changeNumber: 9, asOf: 400 },
      { isComplete: false, generation },
    )
    expect(await countCachedUsers()).toBe(await db.table('users').count())
  })

  it('can be cleared by its user, except for unsent data and the rows that this data is about', async () => {
    const testDevice = await openDeviceWithTwoLists()
    const { db, device, generation } = testDevice
    await storeResponse(db, { path: '/api/m18s/user', body: '{"seal_key":"x"}', asOf: 1 }, generation)
    await enqueue(db, buildNewEntry({ target: 7 }))
    await db.receipts.put({ intent: 'done', outcome: 'done', status: 200, body: '', time: 1 })
    await db.rowIds.put({ intent: 'made', kind: 'user', id: 9 })
    expect(await clearCache(device)).toBe(true)
    expect([await db.outbox.count(), await db.receipts.count(), await db.rowIds.count()]).toEqual([1, 1, 1])
    expect(await db.table('users').toCollection().primaryKeys()).toEqual([7])
    expect(await db.table('trail').count()).toBe(0)
    expect(await db.responses.count()).toBe(1)
    const view = await readListOnDevice(device, userList, firstPage)
    expect(view.complete).toBe(false)
    expect(view.rows.map(({ waiting }) => waiting?.action)).toEqual(['change'])
  })

  it('evicts the oldest list if it is too large, but never the list that was read last', async () => {
    const testDevice = await openDeviceWithTwoLists()
    expect(await trimCache(testDevice.db, { bytes: 1_000_000, ageMs: 1_000 })).toBe(0)
    expect(await trimCache(testDevice.db, { bytes: 1, ageMs: 1_000 })).toBe(1)
    expect(await listCachedTables(testDevice)).toEqual(['trail'])
  })

  it("evicts a list that is too old by the server's clock (W-06)", async () => {
    const testDevice = await openDeviceWithTwoLists()
    expect(await trimCache(testDevice.db, { bytes: 1_000_000, ageMs: 99 })).toBe(1)
    expect(await listCachedTables(testDevice)).toEqual(['trail'])
    expect(await readListOnDevice(testDevice.device, userList, firstPage)).toMatchObject({
      cachedCount: 0,
      complete: false,
      asOf: null,
    })
  })
})

describe('a full disk (R-17)', () => {
  it('evicts the oldest list, and stores the page that was just read', async () => {
    const testDevice = await openDeviceWithTwoLists()
    const { db, generation } = testDevice
    disk = fillDisk({ until: 'deleted' })
    const query = { ...firstPage, scope: null, sort: ['end_time', 'desc'] as const }
    const response = { rows: [buildTrailRow(11)], count: 11, asOf: 300, change: '5' }
    expect(await storePage(db, trailSpec, query, response, generation)).toBe(true)
    expect(disk.refusedCount).toBeGreaterThan(0)
    expect(await listCachedTables(testDevice)).toEqual(['trail'])
    expect(await db.table('trail').get(11)).toBeDefined()
  })

  it.each([1, 2, 3])('evicts lists for a new write, even if put %i fails', async (firstRefused) => {
    const testDevice = await openDeviceWithTwoLists()
    await enqueue(testDevice.db, buildNewEntry({ target: 1 }))
    disk = fillDisk({ firstRefused, until: 'deleted' })
    const drafts = [buildNewEntry({ target: 2 }), buildNewEntry({ target: 3 }), buildNewEntry({ target: 4 })]
    for (const draft of drafts) await enqueue(testDevice.db, draft)
    disk.repair()
    expect(disk.refusedCount).toBe(1)
    const intents = (await testDevice.db.outbox.toArray()).map(({ intent }) => intent)
    expect(intents).toEqual(expect.arrayContaining(drafts.map(({ intent }) => intent)))
    expect(intents).toHaveLength(4)
    expect(await testDevice.db.table('users').count()).toBeLessThan(40)
  })

  it('rejects a new write if nothing is left to evict, and keeps the waiting writes', async () => {
    const testDevice = await openDeviceWithTwoLists()
    const earlierEntry = await enqueue(testDevice.db, buildNewEntry({ target: 1 }))
    disk = fillDisk()
    await expect(enqueue(testDevice.db, buildNewEntry({ target: 2 }))).rejects.toMatchObject({
      name: 'QuotaExceededError',
    })
    disk.repair()
    // Every list was evicted, except for the row that the waiting write is about.
    expect(await testDevice.db.table('users').toCollection().primaryKeys()).toEqual([1])
    expect(await testDevice.db.table('trail').count()).toBe(0)
    expect(await testDevice.db.outbox.toArray()).toEqual([earlierEntry])
  })
})

describe('requestPersistence (P-18)', () => {
  const createStorage = (isGranted: boolean) => {
    const requests: string[] = []
    const storage = {
      persisted: () => Promise.resolve(false),
      persist: () => {
        requests.push('persist')
        return Promise.resolve(isGranted)
      },
    }
    return { requests, storage }
  }

  it('requests persistence once, and again only when the app is installed', async () => {
    const { db } = await openTestDevice()
    const { requests, storage } = createStorage(false)
    expect(await requestPersistence(db, { storage })).toBe(false)
    expect(await requestPersistence(db, { storage })).toBe(false)
    expect(requests).toHaveLength(1)
    await requestPersistence(db, { storage, isRepeated: true })
    expect(requests).toHaveLength(2)
  })

  it('requests nothing if the browser has granted it or does not support it', async () => {
    const { db } = await openTestDevice()
    const { requests, storage } = createStorage(true)
    expect(await requestPersistence(db, { storage: { ...storage, persisted: () => Promise.resolve(true) } })).toBe(true)
    expect(await requestPersistence(db, { storage: {} })).toBe(false)
    expect(requests).toEqual([])
  })
})
