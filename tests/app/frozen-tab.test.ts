/** A tab that the browser freezes keeps its locks, and Chromium still delivers messages to it. */
import { liveQuery } from 'dexie'
import { expect, it } from 'vitest'
import { thisDevice } from '#local/storage/device.ts'
import * as turns from '#request/transport/lock-fallback.ts'
import { webLocks } from '#request/transport/web-locks.ts'

it('fault 41d a frozen tab does not answer for its locks, and answers again when it is resumed', async () => {
  const locks = webLocks(turns, async () => undefined)
  let end = () => {}
  let onHeld = () => {}
  const isHeld = new Promise<void>((resolve) => (onHeld = resolve))
  const held = locks.hold('41d', { waitMs: 0 }, async () => {
    onHeld()
    await new Promise<void>((resolve) => (end = resolve))
  })
  await isHeld
  const other = new BroadcastChannel('portal-locks')
  const answers: unknown[] = []
  other.onmessage = ({ data }) => void answers.push(data)
  const message = { type: 'who holds', name: '41d' }
  dispatchEvent(new Event('freeze'))
  other.postMessage({ ...message, name: '41d' })
  // Heard after the first, in the order in which they were sent.
  const delivered = locks.hold('41d second', { waitMs: 0 }, async () => undefined)
  await expect.poll(() => answers).toEqual([{ type: 'held', name: '41d second' }])
  await delivered
  dispatchEvent(new Event('resume'))
  other.postMessage(message)
  await expect.poll(() => answers.at(-1)).toEqual({ type: 'held', name: '41d' })
  expect(answers).toHaveLength(2)
  end()
  await held
  other.close()
})

it('fault 41g a frozen tab has no connection to its databases, and reads again when it is resumed', async () => {
  const db = thisDevice().of({ companyId: 41, userId: 1 })
  const read: number[] = []
  const subscription = liveQuery(() => db.meta.count()).subscribe((count) => read.push(count))
  await expect.poll(() => read).toEqual([0])
  dispatchEvent(new Event('freeze'))
  expect(db.isOpen()).toBe(false)
  // As another tab does.
  const opening = indexedDB.open(db.name)
  await new Promise((resolve) => (opening.onsuccess = resolve))
  const transaction = opening.result.transaction('meta', 'readwrite')
  transaction.objectStore('meta').put({ name: 'reserve', bytes: new Uint8Array(1) })
  await new Promise((resolve) => (transaction.oncomplete = resolve))
  opening.result.close()
  expect(read).toEqual([0])
  dispatchEvent(new Event('resume'))
  await expect.poll(() => read).toEqual([0, 1])
  subscription.unsubscribe()
})
