/** Tests a tab that the browser freezes. It keeps its locks, and Chromium still delivers messages to it. */
import { liveQuery } from 'dexie'
import { expect, it } from 'vitest'
import { getThisDevice } from '#local/storage/device.ts'
import * as lockFallback from '#request/transport/request-lock-fallback.ts'
import { createWebLocks } from '#request/transport/web-locks.ts'

it('A frozen tab does not confirm its locks, and confirms them again after it resumes (fault 41d)', async () => {
  const locks = createWebLocks(lockFallback, async () => undefined)
  let release = () => {}
  let onAcquired = () => {}
  const acquiredPromise = new Promise<void>((resolve) => (onAcquired = resolve))
  const holdPromise = locks.hold('41d', { waitMs: 0 }, async () => {
    onAcquired()
    await new Promise<void>((resolve) => (release = resolve))
  })
  await acquiredPromise
  const otherChannel = new BroadcastChannel('portal-locks')
  const answers: unknown[] = []
  otherChannel.onmessage = ({ data }) => void answers.push(data)
  const message = { type: 'who holds', name: '41d' }
  dispatchEvent(new Event('freeze'))
  otherChannel.postMessage({ ...message, name: '41d' })
  // Messages are delivered in order, so a response to the first message would have arrived by now.
  const secondHold = locks.hold('41d second', { waitMs: 0 }, async () => undefined)
  await expect.poll(() => answers).toEqual([{ type: 'held', name: '41d second' }])
  await secondHold
  dispatchEvent(new Event('resume'))
  otherChannel.postMessage(message)
  await expect.poll(() => answers.at(-1)).toEqual({ type: 'held', name: '41d' })
  expect(answers).toHaveLength(2)
  release()
  await holdPromise
  otherChannel.close()
})

it('A frozen tab closes its databases, and reads them again after it resumes (fault 41g)', async () => {
  const db = getThisDevice().getDatabase({ companyId: 41, userId: 1 })
  const counts: number[] = []
  const subscription = liveQuery(() => db.meta.count()).subscribe((count) => counts.push(count))
  await expect.poll(() => counts).toEqual([0])
  dispatchEvent(new Event('freeze'))
  expect(db.isOpen()).toBe(false)
  // Simulates another tab, which writes to the same database.
  const openRequest = indexedDB.open(db.name)
  await new Promise((resolve) => (openRequest.onsuccess = resolve))
  const transaction = openRequest.result.transaction('meta', 'readwrite')
  transaction.objectStore('meta').put({ name: 'reserve', bytes: new Uint8Array(1) })
  await new Promise((resolve) => (transaction.oncomplete = resolve))
  openRequest.result.close()
  expect(counts).toEqual([0])
  dispatchEvent(new Event('resume'))
  await expect.poll(() => counts).toEqual([0, 1])
  subscription.unsubscribe()
})

it('A page restored from the back-forward cache reads its databases again', async () => {
  const db = getThisDevice().getDatabase({ companyId: 42, userId: 1 })
  const counts: number[] = []
  const subscription = liveQuery(() => db.meta.count()).subscribe((count) => counts.push(count))
  await expect.poll(() => counts).toEqual([0])
  const dispatch = (type: string) => dispatchEvent(Object.assign(new Event(type), { persisted: true }))
  // The order of Chromium's events. The channel between pages is closed until the last one, and using it would throw here.
  for (const type of ['pagehide', 'freeze', 'resume', 'pageshow']) dispatch(type)
  await expect.poll(() => counts).toEqual([0, 0])
  subscription.unsubscribe()
})
