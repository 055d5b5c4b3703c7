/** Stores backups in a folder. Each object is written to a draft, synced and renamed, so it is complete or missing even after a crash. */
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import {
  type BackupStore,
  type ByteMeter,
  type StoredObject,
  StoreError,
} from '#server/drivers/backup-store/backup-store.ts'
import { withStoreErrors, getErrorCode } from '#server/drivers/backup-store/disk-errors.ts'
import { requireObjectKey } from '#server/drivers/backup-store/object-key.ts'
import { syncToDisk } from '#server/drivers/sync-to-disk.ts'

/** Folder of the drafts. Its name cannot collide with a key, because no key begins with a dot. */
const draftsFolder = '.drafts'
const spaceCheckInterval = 16 * 2 ** 20

export interface FolderStoreSettings {
  folder: string
  /** Returns false if the disk, on which there is other data too, is almost full. */
  hasRoom: () => Promise<boolean>
}

export function createFolderStore({ folder, hasRoom }: FolderStoreSettings): BackupStore {
  const toPath = (key: string) => join(folder, requireObjectKey(key))

  async function writeDraft(draft: FileHandle, body: AsyncIterable<Uint8Array>, meter: ByteMeter) {
    const hash = createHash('sha256')
    let bytes = 0
    let bytesAtLastCheck = -spaceCheckInterval
    for await (const chunk of body) {
      if (bytes - bytesAtLastCheck >= spaceCheckInterval) {
        if (!(await hasRoom())) throw new StoreError('no_room', `The disk of ${folder} is almost full.`)
        bytesAtLastCheck = bytes
      }
      await withStoreErrors(() => draft.writeFile(chunk))
      hash.update(chunk)
      bytes += chunk.length
      await meter(chunk.length)
    }
    await withStoreErrors(() => draft.sync())
    return { bytes, sha256: hash.digest('hex') }
  }

  return {
    name: 'local',
    async put(key, body, meter) {
      const path = toPath(key)
      const draft = join(folder, draftsFolder, randomUUID())
      const handle = await withStoreErrors(async () => {
        await mkdir(join(folder, draftsFolder), { recursive: true, mode: 0o700 })
        return open(draft, 'wx', 0o600)
      })
      try {
        const result = await writeDraft(handle, body, meter)
        await withStoreErrors(() => renameDraft(folder, draft, path))
        return result
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      } finally {
        await handle.close()
      }
    },
    async *get(key, meter) {
      const path = toPath(key)
      const file = await withStoreErrors(async () => {
        await walkFolders(folder, path, throwMissing)
        return open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
      })
      try {
        const buffer = Buffer.alloc(256 * 1024)
        for (;;) {
          const { bytesRead } = await withStoreErrors(() => file.read(buffer, 0, buffer.length))
          if (bytesRead === 0) return
          await meter(bytesRead)
          yield new Uint8Array(buffer.subarray(0, bytesRead))
        }
      } finally {
        await file.close()
      }
    },
    async *list(prefix) {
      const keys = await withStoreErrors(() => listKeys(folder))
      for (const key of keys.filter((listedKey) => listedKey.startsWith(prefix)).toSorted(compareBytes)) {
        const object = await withStoreErrors(() => readObject(folder, key))
        if (object) yield object
      }
    },
    async remove(key) {
      const path = toPath(key)
      await withStoreErrors(async () => {
        if (!(await exists(path))) return
        await walkFolders(folder, path, throwMissing)
        await rm(path, { force: true })
        await syncToDisk(dirname(path))
      })
    },
    async cleanUp(olderThanMs) {
      return withStoreErrors(async () => {
        const names = await readdir(join(folder, draftsFolder)).catch(emptyIfMissing)
        const cutoff = Date.now() - olderThanMs
        const stats = await Promise.all(names.map((name) => lstat(join(folder, draftsFolder, name)).catch(() => null)))
        const oldNames = names.filter((_, index) => (stats[index]?.mtimeMs ?? cutoff) < cutoff)
        for (const name of oldNames) await rm(join(folder, draftsFolder, name), { force: true })
        return oldNames.length
      })
    },
    close: async () => undefined,
  }
}

async function renameDraft(folder: string, draft: string, path: string): Promise<void> {
  await walkFolders(folder, path, makeFolder)
  await rename(draft, path)
  await syncToDisk(dirname(path))
}

/** Creates a folder and syncs its parent. Otherwise the folder could be lost in a power failure. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) =>
    getErrorCode(error) === 'EEXIST' ? undefined : rethrow(error),
  )
  await syncToDisk(dirname(path))
}

/** Visits the folders between the store and a file. Refuses symbolic links, which could lead outside the store. */
async function walkFolders(folder: string, path: string, onMissing: (path: string) => Promise<void>): Promise<void> {
  const names = relative(folder, dirname(path)).split(sep).filter(Boolean)
  let currentFolder = folder
  for (const name of names) {
    currentFolder = join(currentFolder, name)
    if (!(await exists(currentFolder))) await onMissing(currentFolder)
    if (!(await lstat(currentFolder)).isDirectory())
      throw new StoreError('refused', `${currentFolder} is not a folder inside ${folder}.`)
  }
}

const throwMissing = async (path: string): Promise<never> => {
  throw new StoreError('missing', `The file ${path} does not exist.`)
}

async function listKeys(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(emptyIfMissing)
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
    .filter((key) => !key.startsWith('.'))
}

async function readObject(folder: string, key: string): Promise<StoredObject | null> {
  const stat = await lstat(join(folder, key)).catch((error: unknown) =>
    getErrorCode(error) === 'ENOENT' ? null : rethrow(error),
  )
  return stat && { key, bytes: stat.size, modifiedAt: Math.trunc(stat.mtimeMs) }
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    (error: unknown) => (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error)) ? false : rethrow(error)),
  )

const emptyIfMissing = (error: unknown): [] => (getErrorCode(error) === 'ENOENT' ? [] : rethrow(error))
const compareBytes = (a: string, b: string) => (a < b ? -1 : 1)

function rethrow(error: unknown): never {
  throw error
}
