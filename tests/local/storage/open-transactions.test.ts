import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it, vi } from 'vitest'
import { openDevice } from '#local/storage/device.ts'
import { abortTransactions } from '#local/storage/open-transactions.ts'
import { transact } from '#local/storage/transaction.ts'
import { flushEventLoop } from '#tests/support/device/device.ts'

const subject = { companyId: 1, userId: 2 }
const buildDraft = (savedAt: number) => ({ name: 'draft:x@1' as const, form: 'x', at: savedAt, value: null })

/** As another page has it, whose transactions this one does not see. */
async function openElsewhere(factory: IDBFactory, { name }: { name: string }) {
  const openRequest = IDBFactory.prototype.open.call(factory, name)
  const database = await new Promise<IDBDatabase>(
    (resolve) => (openRequest.onsuccess = () => resolve(openRequest.result)),
  )
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
async function startWritingPage(modules = { openDevice, transact }) {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const device = modules.openDevice(storage)
  const db = device.getDatabase(subject)
  await db.open()
  let isBlockedWrite = true
  let attemptCount = 0
  let resolveStarted = () => {}
  const started = new Promise<void>((resolve) => (resolveStarted = resolve))
  const write = modules.transact(db, ['meta'], async () => {
    attemptCount += 1
    await db.meta.put(buildDraft(attemptCount) as never)
    resolveStarted()
    // What is asked when the page is left is never answered.
    while (isBlockedWrite) await db.meta.count().catch(() => (isBlockedWrite = false))
    return 'written'
  })
  await started
  return { storage, db, write, countAttempts: () => attemptCount, release: () => void (isBlockedWrite = false) }
}

it('fault 38a a page that is left in the middle of a write does not block the next page', async () => {
  const writingPage = await startWritingPage()
  const nextPage = await openElsewhere(writingPage.storage.indexedDB, writingPage.db)
  let isBlocked = true
  const otherWrite = nextPage.put(buildDraft(99)).then(() => (isBlocked = false))
  await flushEventLoop()
  expect(isBlocked).toBe(true)
  abortTransactions()
  await expect.poll(() => isBlocked).toBe(false)
  writingPage.release()
  await Promise.all([otherWrite, writingPage.write])
})

it('fault 38b a write that was aborted because the page was left is made again when the page comes back', async () => {
  const writingPage = await startWritingPage()
  abortTransactions()
  writingPage.release()
  expect(await writingPage.write).toBe('written')
  expect(writingPage.countAttempts()).toBe(2)
  expect(await writingPage.db.meta.count()).toBe(1)
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
  const writingPage = await startWritingPage({
    ...(await import('#local/storage/device.ts')),
    ...(await import('#local/storage/transaction.ts')),
  })
  const now = performance.now()
  expect(readDatabaseState(now)).toBe('ready')
  expect(readDatabaseState(now + 5_100)).toBe('silent')
  writingPage.release()
  await writingPage.write
  expect(readDatabaseState(performance.now() + 5_100)).toBe('ready')
})
