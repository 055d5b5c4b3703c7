/** The document as a file: written beside it, synced and renamed, under a lock file that keeps other processes from doing the same. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { asStoreErrors, codeOf } from '#server/drivers/backup-store/disk-faults.ts'
import { StoreError } from '#server/drivers/backup-store/driver.ts'
import type { CheckpointStore, StoredDocument } from '#server/drivers/checkpoint-store/driver.ts'

/** A lock is held for some milliseconds: one of this age was left by a process that was killed. */
const staleMs = 10_000
const retryMs = 20

export function openFileStore(path: string): CheckpointStore {
  return {
    name: 'file',
    read: () => asStoreErrors(() => readDocument(path)),
    replace: (text, version) =>
      asStoreErrors(() =>
        underLock(`${path}.lock`, async (isLockOurs) => {
          const current = await readDocument(path)
          if ((current?.version ?? null) !== version) return false
          const draft = `${path}.${randomUUID()}`
          try {
            await writeSynced(draft, text)
            if (!(await isLockOurs())) return false
            await rename(draft, path)
          } finally {
            await rm(draft, { force: true })
          }
          await syncFolder(dirname(path))
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
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function underLock<T>(lock: string, work: (isLockOurs: () => Promise<boolean>) => Promise<T>): Promise<T> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
  const owner = randomUUID()
  const deadline = performance.now() + 2 * staleMs
  while (!(await createLock(lock, owner))) {
    await removeStaleLock(lock)
    if (performance.now() > deadline) throw new StoreError('unreachable', `${lock} is held by another process.`)
    await wait(retryMs)
  }
  const isLockOurs = async () => (await readFile(lock, 'utf8').catch(() => '')) === owner
  try {
    return await work(isLockOurs)
  } finally {
    if (await isLockOurs()) await rm(lock, { force: true })
  }
}

async function createLock(lock: string, owner: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600)
    await file.writeFile(owner)
    await file.close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Renamed first: of several that find it, one removes it. */
async function removeStaleLock(lock: string): Promise<void> {
  const age = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  if (age < staleMs) return
  const removed = `${lock}.${randomUUID()}`
  await rename(lock, removed).then(
    () => rm(removed, { force: true }),
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

/** Windows keeps names by itself, and opens no folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
