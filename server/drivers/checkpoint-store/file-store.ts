/** Stores the document in a file: written to a draft, synced and renamed. A lock file excludes other processes. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { withStoreErrors, getErrorCode } from '#server/drivers/file-store/disk-errors.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import type { CheckpointStore, StoredDocument } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { syncToDisk } from '#server/drivers/sync-to-disk.ts'

/** Age in ms of a lock that a killed process has left behind. A lock is normally held for some milliseconds. */
const staleMs = 10_000
const retryMs = 20

export function createFileStore(path: string): CheckpointStore {
  return {
    name: 'file',
    read: () => withStoreErrors(() => readDocument(path)),
    replace: (text, version) =>
      withStoreErrors(() =>
        withLock(`${path}.lock`, async (isLockOwned) => {
          const storedDocument = await readDocument(path)
          if ((storedDocument?.version ?? null) !== version) return false
          const draft = `${path}.${randomUUID()}`
          try {
            await writeSynced(draft, text)
            if (!(await isLockOwned())) return false
            await rename(draft, path)
          } finally {
            await rm(draft, { force: true })
          }
          await syncToDisk(dirname(path))
          return true
        }),
      ),
    close: async () => undefined,
  }
}

async function readDocument(path: string): Promise<StoredDocument | null> {
  try {
    const text = await readFile(path, 'utf8')
    return { text, version: createHash('sha256').update(text).digest('hex') }
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return null
    throw error
  }
}

async function withLock<T>(lockPath: string, work: (isLockOurs: () => Promise<boolean>) => Promise<T>): Promise<T> {
  await mkdir(dirname(lockPath), { recursive: true, mode: 0o700 })
  const owner = randomUUID()
  const deadline = performance.now() + 2 * staleMs
  while (!(await createLock(lockPath, owner))) {
    await removeStaleLock(lockPath)
    if (performance.now() > deadline) throw new StoreError('unreachable', `Another process holds the lock ${lockPath}.`)
    await wait(retryMs)
  }
  const isLockOwned = async () => (await readFile(lockPath, 'utf8').catch(() => '')) === owner
  try {
    return await work(isLockOwned)
  } finally {
    if (await isLockOwned()) await rm(lockPath, { force: true })
  }
}

async function createLock(lockPath: string, owner: string): Promise<boolean> {
  try {
    const file = await open(lockPath, 'wx', 0o600)
    await file.writeFile(owner)
    await file.close()
    return true
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Removes an old lock. Renames it first, so that only one of several processes removes it. */
async function removeStaleLock(lockPath: string): Promise<void> {
  const age = await stat(lockPath).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  if (age < staleMs) return
  const renamedPath = `${lockPath}.${randomUUID()}`
  await rename(lockPath, renamedPath).then(
    () => rm(renamedPath, { force: true }),
    () => undefined,
  )
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
