/**
 * A folder in place of a bucket, with the same layout. An object is written beside the others, reaches the disk, and only then gets its
 * name: it is whole or not there, whatever is cut off when.
 */
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type BackupStore, type Meter, type StoredObject, StoreError } from '#server/drivers/backup-store/driver.ts'
import { asStoreErrors, codeOf } from '#server/drivers/backup-store/disk-faults.ts'
import { checkedKey } from '#server/drivers/backup-store/object-key.ts'

/** No key begins with a dot. */
const drafts = '.drafts'
const lookEvery = 16 * 2 ** 20

export interface FolderSettings {
  /** Made where it is not there. */
  folder: string
  /** False: a disk that others need, too, is almost full. */
  hasRoom: () => Promise<boolean>
}

export function folderStore({ folder, hasRoom }: FolderSettings): BackupStore {
  const place = (key: string) => join(folder, checkedKey(key))

  async function writeDraft(draft: FileHandle, body: AsyncIterable<Uint8Array>, meter: Meter) {
    const hash = createHash('sha256')
    let bytes = 0
    let looked = -lookEvery
    for await (const part of body) {
      if (bytes - looked >= lookEvery) {
        if (!(await hasRoom())) throw new StoreError('no_room', `The disk of ${folder} is almost full.`)
        looked = bytes
      }
      await asStoreErrors(() => draft.writeFile(part))
      hash.update(part)
      bytes += part.length
      await meter(part.length)
    }
    await asStoreErrors(() => draft.sync())
    return { bytes, sha256: hash.digest('hex') }
  }

  return {
    name: 'local',
    async put(key, body, meter) {
      const path = place(key)
      const draft = join(folder, drafts, randomUUID())
      const handle = await asStoreErrors(async () => {
        await mkdir(join(folder, drafts), { recursive: true, mode: 0o700 })
        return open(draft, 'wx', 0o600)
      })
      try {
        const written = await writeDraft(handle, body, meter)
        await asStoreErrors(() => nameDraft(folder, draft, path))
        return written
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      } finally {
        await handle.close()
      }
    },
    async *get(key, meter) {
      const path = place(key)
      const file = await asStoreErrors(async () => {
        await enter(folder, path, notMade)
        return open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
      })
      try {
        const buffer = Buffer.alloc(256 * 1024)
        for (;;) {
          const { bytesRead } = await asStoreErrors(() => file.read(buffer, 0, buffer.length))
          if (bytesRead === 0) return
          await meter(bytesRead)
          yield new Uint8Array(buffer.subarray(0, bytesRead))
        }
      } finally {
        await file.close()
      }
    },
    async *list(prefix) {
      const keys = await asStoreErrors(() => keysIn(folder))
      for (const key of keys.filter((one) => one.startsWith(prefix)).toSorted(byBytes)) {
        const object = await asStoreErrors(() => objectAt(folder, key))
        if (object) yield object
      }
    },
    async remove(key) {
      const path = place(key)
      await asStoreErrors(async () => {
        if (!(await isThere(path))) return
        await enter(folder, path, notMade)
        await rm(path, { force: true })
        await syncFolder(dirname(path))
      })
    },
    async tidy(olderThanMs) {
      return asStoreErrors(async () => {
        const names = await readdir(join(folder, drafts)).catch(nothingThere)
        const before = Date.now() - olderThanMs
        const ages = await Promise.all(names.map((name) => lstat(join(folder, drafts, name)).catch(() => null)))
        const old = names.filter((_, at) => (ages[at]?.mtimeMs ?? before) < before)
        for (const name of old) await rm(join(folder, drafts, name), { force: true })
        return old.length
      })
    },
    close: async () => undefined,
  }
}

/** From here on it is there, also after a power cut. */
async function nameDraft(folder: string, draft: string, path: string): Promise<void> {
  await enter(folder, path, makeFolder)
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** A new folder is known to the folder that it is in alone, until that one reaches the disk. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => (codeOf(error) === 'EEXIST' ? undefined : fail(error)))
  await syncFolder(dirname(path))
}

/** Goes through the folders between the store and a file of it. One that is a link would lead elsewhere. */
async function enter(folder: string, path: string, missing: (path: string) => Promise<void>): Promise<void> {
  const names = relative(folder, dirname(path)).split(sep).filter(Boolean)
  let at = folder
  for (const name of names) {
    at = join(at, name)
    if (!(await isThere(at))) await missing(at)
    if (!(await lstat(at)).isDirectory()) throw new StoreError('refused', `${at} leads out of ${folder}.`)
  }
}

const notMade = async (path: string): Promise<never> => {
  throw new StoreError('missing', `There is no ${path}.`)
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

async function keysIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothingThere)
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
    .filter((key) => !key.startsWith('.'))
}

async function objectAt(folder: string, key: string): Promise<StoredObject | null> {
  const stat = await lstat(join(folder, key)).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? null : fail(error),
  )
  return stat && { key, bytes: stat.size, modified: Math.trunc(stat.mtimeMs) }
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    (error: unknown) => (['ENOENT', 'ENOTDIR'].includes(codeOf(error)) ? false : fail(error)),
  )

const nothingThere = (error: unknown): [] => (codeOf(error) === 'ENOENT' ? [] : fail(error))
const byBytes = (one: string, other: string) => (one < other ? -1 : 1)

function fail(error: unknown): never {
  throw error
}
