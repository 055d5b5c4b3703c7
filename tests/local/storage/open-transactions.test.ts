import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it, vi } from 'vitest'
import { openDevice } from '#local/storage/device.ts'
import { abortTransactions } from '#local/storage/open-transactions.ts'
import { transact } from '#local/storage/transaction.ts'
import { breathe } from '#tests/support/device/device.ts'

const subject = { companyId: 1, userId: 2 }
const draft = (at: number) => ({ name: 'draft:x@1' as const, form: 'x', at, value: null })

/** As another page has it, whose transactions this one does not see. */
async function openElsewhere(factory: IDBFactory, { name }: { name: string }) {
  const opening = IDBFactory.prototype.open.call(factory, name)
  const database = await new Promise<IDBDatabase>((resolve) => (opening.onsuccess = () => resolve(opening.result)))
  return {
    put: (record: object) =>
      new Promise<void>((resolve) => {
        const transaction = database.transaction('meta', 'readwrite')
        transaction.objectStore('meta').put(record)
        transaction.oncomplete = () => resolve()
      }),
  }
}

/** A page in the middle of a write: it has written and still reads on, as one that is frozen would for good. */
async function pageThatWrites(modules = { openDevice, transact }) {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const device = modules.openDevice(storage)
  const db = device.of(subject)
  await db.open()
  let isHeld = true
  let attempts = 0
  let onBegun = () => {}
  const begun = new Promise<void>((resolve) => (onBegun = resolve))
  const written = modules.transact(db, ['meta'], async () => {
    attempts += 1
    await db.meta.put(draft(attempts) as never)
    onBegun()
    // What is asked when the page is left is never answered.
    while (isHeld) await db.meta.count().catch(() => (isHeld = false))
    return 'written'
  })
  await begun
  return { storage, db, written, attempts: () => attempts, letGo: () => void (isHeld = false) }
}

it('fault 38a a page that is left in the middle of a write does not block the next page', async () => {
  const left = await pageThatWrites()
  const next = await openElsewhere(left.storage.indexedDB, left.db)
  let isBlocked = true
  const write = next.put(draft(99)).then(() => (isBlocked = false))
  await breathe()
  expect(isBlocked).toBe(true)
  abortTransactions()
  await expect.poll(() => isBlocked).toBe(false)
  left.letGo()
  await Promise.all([write, left.written])
})

it('fault 38b a write that was aborted because the page was left is made again when the page comes back', async () => {
  const left = await pageThatWrites()
  abortTransactions()
  left.letGo()
  expect(await left.written).toBe('written')
  expect(left.attempts()).toBe(2)
  expect(await left.db.meta.count()).toBe(1)
})

it('fault 38c a database that is being opened when the page is left is opened when the page comes back', async () => {
  const device = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange })
  const read = device.directory.session.get('now')
  abortTransactions()
  await expect(read).resolves.toBeUndefined()
})

it('fault 38d a database that does not answer for five seconds is known as silent, until it answers', async () => {
  // Of its own: what other tests in this process left open may be silent.
  vi.resetModules()
  const { readDatabaseState } = await import('#local/storage/open-transactions.ts')
  const left = await pageThatWrites({
    ...(await import('#local/storage/device.ts')),
    ...(await import('#local/storage/transaction.ts')),
  })
  const now = performance.now()
  expect(readDatabaseState(now)).toBe('ready')
  expect(readDatabaseState(now + 5_100)).toBe('silent')
  left.letGo()
  await left.written
  expect(readDatabaseState(performance.now() + 5_100)).toBe('ready')
})
