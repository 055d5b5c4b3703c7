import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it, vi } from 'vitest'
import { openDevice } from '#local/storage/device.ts'
import { abortTransactions } from '#local/storage/open-transactions.ts'
import { transact } from '#local/storage/transaction.ts'
import { flushEventLoop } from '#tests/support/device/device.ts'

const subject = { companyId: 1, userId: 2 }
const buildDraft = (savedAt: number) => ({ name: 'draft:x@1' as const, form: 'x', at: savedAt, value: null })

/** Opens the database as another page, whose transactions this process does not see. */
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

/**
 * Opens a page in the middle of a write. It has written, and then reads again and again, so its transaction stays open, as in a frozen
 * page.
 */
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
    // A request that is made while the page is left never gets a result.
    while (isBlockedWrite) await db.meta.count().catch(() => (isBlockedWrite = false))
    return 'written'
  })
  await started
  return { storage, db, write, countAttempts: () => attemptCount, release: () => void (isBlockedWrite = false) }
}

it('A page that is left in the middle of a write does not block the next page (fault 38a)', async () => {
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

it('A write that was aborted because the page was left runs again when the page returns (fault 38b)', async () => {
  const writingPage = await startWritingPage()
  abortTransactions()
  writingPage.release()
  expect(await writingPage.write).toBe('written')
  expect(writingPage.countAttempts()).toBe(2)
  expect(await writingPage.db.meta.count()).toBe(1)
})

it('A database that was opening when the page was left opens when the page returns (fault 38c)', async () => {
  const device = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange })
  const read = device.directory.session.get('now')
  abortTransactions()
  await expect(read).resolves.toBeUndefined()
})

it('A database that gives no result for five seconds is reported as silent until it gives one (fault 38d)', async () => {
  // The module is loaded again, because connections that other tests left open may be silent.
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
