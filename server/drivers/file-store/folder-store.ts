/** Stores files in a folder. Each object is written to a draft, synced and renamed, so it is complete or missing even after a crash. */
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { ByteMeter, FileStore, GetOptions, StoredObject } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { withStoreErrors, getErrorCode } from '#server/drivers/file-store/disk-errors.ts'
import { requireObjectKey } from '#server/drivers/file-store/object-key.ts'
import { syncToDisk } from '#server/drivers/sync-to-disk.ts'

/** Folder of the drafts. Its name cannot collide with a key, because no key begins with a dot. */
const draftsFolder = '.drafts'
const spaceCheckInterval = 16 * 2 ** 20
const readBytes = 256 * 1024
const ignoreBytes = () => undefined

export interface FolderStoreSettings {
  folder: string
  /** Returns false if the disk, on which there is other data too, is almost full. */
  hasRoom: () => Promise<boolean>
}

export function createFolderStore({ folder, hasRoom }: FolderStoreSettings): FileStore {
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
    location: { kind: 'folder', folder },
    async put(key, body, { meter = ignoreBytes, onlyIfAbsent = false } = {}) {
      const path = toPath(key)
      const draft = join(folder, draftsFolder, randomUUID())
      const handle = await withStoreErrors(async () => {
        await mkdir(join(folder, draftsFolder), { recursive: true, mode: 0o700 })
        return open(draft, 'wx', 0o600)
      })
      try {
        const digest = await writeDraft(handle, body, meter)
        return { ...digest, isWritten: await withStoreErrors(() => publishDraft(folder, draft, path, onlyIfAbsent)) }
      } finally {
        await handle.close()
        await rm(draft, { force: true })
      }
    },
    async *get(key, { meter = ignoreBytes, range }: GetOptions = {}) {
      const path = toPath(key)
      const file = await withStoreErrors(async () => {
        await walkFolders(folder, path, throwMissing)
        return open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
      })
      try {
        const buffer = Buffer.alloc(readBytes)
        let position = range?.start ?? 0
        const end = range ? range.start + range.length : Infinity
        while (position < end) {
          const length = Math.min(buffer.length, end - position)
          const { bytesRead } = await withStoreErrors(() => file.read(buffer, 0, length, position))
          if (bytesRead === 0) return
          position += bytesRead
          await meter(bytesRead)
          yield new Uint8Array(buffer.subarray(0, bytesRead))
        }
      } finally {
        await file.close()
      }
    },
    async stat(key) {
      const path = toPath(key)
      try {
        return await withStoreErrors(async () => {
          await walkFolders(folder, path, throwMissing)
          return readObject(folder, key)
        })
      } catch (error) {
        if (error instanceof StoreError && error.fault === 'missing') return null
        throw error
      }
    },
    async *list(prefix) {
      const keys = await withStoreErrors(() => listKeys(folder, prefix))
      for (const key of keys.toSorted(compareBytes)) {
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

/** Gives the draft its final name. Returns false if `onlyIfAbsent` is set and there is a file of that name. */
async function publishDraft(folder: string, draft: string, path: string, onlyIfAbsent: boolean): Promise<boolean> {
  await walkFolders(folder, path, makeFolder)
  const isWritten = onlyIfAbsent ? await linkDraft(draft, path) : await rename(draft, path).then(() => true)
  await syncToDisk(dirname(path))
  return isWritten
}

/** A link, unlike a rename, fails if there is a file. Some file systems have no links: there, the last of several writers wins. */
async function linkDraft(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(getErrorCode(error))) throw error
    if (await exists(path)) return false
    await rename(draft, path)
    return true
  }
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

/** Reads only the folder that the prefix names. */
async function listKeys(folder: string, prefix: string): Promise<string[]> {
  const startKey = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
  const startFolder = startKey === '' ? folder : join(folder, requireObjectKey(startKey))
  const entries = await readdir(startFolder, { recursive: true, withFileTypes: true }).catch(emptyIfMissing)
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
    .filter((key) => !key.startsWith('.') && key.startsWith(prefix))
}

async function readObject(folder: string, key: string): Promise<StoredObject | null> {
  const stat = await lstat(join(folder, key)).catch((error: unknown) =>
    ['ENOENT', 'ENOTDIR'].includes(getErrorCode(error)) ? null : rethrow(error),
  )
  return stat?.isFile() ? { key, bytes: stat.size, modifiedAt: Math.trunc(stat.mtimeMs) } : null
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    (error: unknown) => (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error)) ? false : rethrow(error)),
  )

const emptyIfMissing = (error: unknown): [] =>
  ['ENOENT', 'ENOTDIR'].includes(getErrorCode(error)) ? [] : rethrow(error)
const compareBytes = (a: string, b: string) => (a < b ? -1 : 1)

function rethrow(error: unknown): never {
  throw error
}
