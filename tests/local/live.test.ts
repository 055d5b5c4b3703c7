import { liveQuery } from 'dexie'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { openDevice } from '#local/storage/device.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import { openSession } from '#local/session/session.ts'
import { throttleReads } from '#state/throttle-reads.ts'
import {
  buildUser,
  companyId,
  userList,
  firstPage,
  openTestDevice,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

it('A list on the screen is notified of stored rows, even if the device was opened just before', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  await openSession(openDevice(storage), { companyId, userId: 1 })
  // The device is opened again, as after a reload. The database has no connection yet when the list is read.
  const device = openDevice(storage)
  const rowCounts: number[] = []
  const subscription = liveQuery(async () => await readListOnDevice(device, userList, firstPage)).subscribe(
    ({ rows }) => rowCounts.push(rows.length),
  )
  await expect.poll(() => rowCounts).toEqual([0])
  await storePage(
    device.getDatabase({ companyId, userId: 1 }),
    userList,
    firstPage,
    buildPageResponse([buildUser(1)], 100),
    1,
  )
  await expect.poll(() => rowCounts.at(-1)).toBe(1)
  subscription.unsubscribe()
})

it('Many quick changes cause only a few reads, and the last change and the next one are read (protocol 38)', async () => {
  const { db, device, generation } = await openTestDevice()
  const rowCounts: number[] = []
  let readCount = 0
  const readList = async () => {
    readCount += 1
    return await readListOnDevice(device, userList, { ...firstPage, results: 50 })
  }
  const subscription = liveQuery(throttleReads(readList)).subscribe(({ rows }) => rowCounts.push(rows.length))
  await expect.poll(() => rowCounts).toEqual([0])
  const startedAt = performance.now()
  for (let id = 1; id <= 40; id++)
    await storePage(
      db,
      userList,
      { ...firstPage, page: id, results: 1 },
      buildPageResponse([buildUser(100 + id)], id, '1', 40),
      generation,
    )
  await expect.poll(() => rowCounts.at(-1)).toBe(40)
  expect(readCount).toBeLessThanOrEqual(3 + (performance.now() - startedAt) / 100)
  await storePage(db, userList, { ...firstPage, results: 50 }, buildPageResponse([], 1_000, '2', 0), generation)
  await expect.poll(() => rowCounts.at(-1)).toBe(0)
  subscription.unsubscribe()
})
