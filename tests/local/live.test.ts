import { liveQuery } from 'dexie'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { openDevice } from '#local/storage/device.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import { openSession } from '#local/session/session.ts'
import { paced } from '#state/pace.ts'
import { aUser, company, list, firstPage, keptDevice, pageAnswer } from '#tests/support/device/device-database.ts'

it('a list on the screen hears what is stored for it, a device opened just now included', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  await openSession(openDevice(storage), { companyId: company, userId: 1 })
  // Opened again, as after a reload: no connection stands yet when the list asks.
  const device = openDevice(storage)
  const seen: number[] = []
  const screen = liveQuery(async () => await readListOn(device, list, firstPage)).subscribe(({ rows }) =>
    seen.push(rows.length),
  )
  await expect.poll(() => seen).toEqual([0])
  await storePage(device.of({ companyId: company, userId: 1 }), list, firstPage, pageAnswer([aUser(1)], 100), 1)
  await expect.poll(() => seen.at(-1)).toBe(1)
  screen.unsubscribe()
})

it('a burst of changes is read a few times, the last of them included, and the next change is heard (protocol 38)', async () => {
  const { db, device, generation } = await keptDevice()
  const seen: number[] = []
  let reads = 0
  const read = async () => {
    reads += 1
    return await readListOn(device, list, { ...firstPage, results: 50 })
  }
  const screen = liveQuery(paced(read)).subscribe(({ rows }) => seen.push(rows.length))
  await expect.poll(() => seen).toEqual([0])
  const began = performance.now()
  for (let id = 1; id <= 40; id++)
    await storePage(
      db,
      list,
      { ...firstPage, page: id, results: 1 },
      pageAnswer([aUser(100 + id)], id, '1', 40),
      generation,
    )
  await expect.poll(() => seen.at(-1)).toBe(40)
  expect(reads).toBeLessThanOrEqual(3 + (performance.now() - began) / 100)
  await storePage(db, list, { ...firstPage, results: 50 }, pageAnswer([], 1_000, '2', 0), generation)
  await expect.poll(() => seen.at(-1)).toBe(0)
  screen.unsubscribe()
})
