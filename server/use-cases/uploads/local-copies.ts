/**
 * Keeps files of a bucket on this machine while programs read them: in `DATA_DIR/cache`, which may be deleted while the server is stopped.
 * Only the bucket has the originals.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { mappLimits } from '#domain/catalogue/mapp.ts'
import type { AppContext } from '#server/context/context.ts'
import { withStoreErrors } from '#server/drivers/file-store/disk-errors.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'

/** Maximum size of the cached packages. Packages that were used within `minUnusedMs` stay, because a program may be reading them. */
const maxCacheBytes = 2 * 2 ** 30
const minUnusedMs = 3_600_000

type LocalContext = Pick<AppContext, 'config'>

const cacheFolders = ['forms', 'readings', 'packages'] as const

export const getCacheFolder = ({ config }: LocalContext, name: (typeof cacheFolders)[number]): string =>
  join(config.dataDir, 'cache', name)

/** Writes the body to a temporary file for `work`. Throws StoreError: `damaged` if it is larger than a package may be. */
export async function withTemporaryCopy<T>(
  app: LocalContext,
  body: AsyncIterable<Uint8Array>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(getCacheFolder(app, 'readings'), randomUUID())
  try {
    await writeCopy(path, body)
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}

/** Returns the path of a copy with this SHA-256, which `readBody` is called for if there is none yet. Throws StoreError. */
export async function cachePackage(
  app: LocalContext,
  sha256: string,
  readBody: () => AsyncIterable<Uint8Array>,
): Promise<string> {
  const folder = getCacheFolder(app, 'packages')
  const path = join(folder, `${sha256}.mapp`)
  if ((await hashFile(path)) === sha256) {
    const now = new Date()
    await utimes(path, now, now).catch(() => undefined)
    return path
  }
  // Another process may cache the same package: each writes a draft of its own, and both have the same content.
  const draftPath = join(folder, `${sha256}.${randomUUID()}.part`)
  try {
    const actualHash = await writeCopy(draftPath, readBody())
    if (actualHash !== sha256)
      throw new StoreError('damaged', `The package ${sha256} in the file store has the SHA-256 ${actualHash}.`)
    await withStoreErrors(() => rename(draftPath, path))
  } finally {
    await rm(draftPath, { force: true })
  }
  await removeOldPackages(folder, maxCacheBytes)
  return path
}

/** Removes the copies that a killed process has left behind. Returns how many files were removed. */
export async function removeOldCopies(app: LocalContext): Promise<number> {
  let removedCount = await removeOldPackages(getCacheFolder(app, 'packages'), maxCacheBytes)
  for (const name of cacheFolders) {
    const files = await listFiles(getCacheFolder(app, name))
    const remains = files.filter(({ path, unusedMs }) => unusedMs > minUnusedMs && !path.endsWith('.mapp'))
    for (const { path } of remains) await rm(path, { force: true })
    removedCount += remains.length
  }
  return removedCount
}

/** Removes the packages that were not used for the longest time, until the rest has at most `maxBytes`. */
export async function removeOldPackages(folder: string, maxBytes: number): Promise<number> {
  const packages = (await listFiles(folder)).filter(({ path }) => path.endsWith('.mapp'))
  let totalBytes = packages.reduce((sum, { bytes }) => sum + bytes, 0)
  let removedCount = 0
  for (const { path, bytes, unusedMs } of packages.toSorted((a, b) => b.unusedMs - a.unusedMs)) {
    if (totalBytes <= maxBytes || unusedMs < minUnusedMs) break
    await rm(path, { force: true })
    totalBytes -= bytes
    removedCount += 1
  }
  return removedCount
}

async function listFiles(folder: string): Promise<{ path: string; bytes: number; unusedMs: number }[]> {
  const names = await readdir(folder).catch(() => [])
  const files = names.map(async (name) => {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => null)
    // File times come from the clock of the file system. In tests the server's clock may differ from it.
    return stats?.isFile() ? [{ path, bytes: stats.size, unusedMs: Date.now() - stats.mtimeMs }] : []
  })
  return (await Promise.all(files)).flat()
}

/** Returns the SHA-256 in hex. */
async function writeCopy(path: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  const file = await withStoreErrors(async () => {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    return open(path, 'wx', 0o600)
  })
  try {
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > mappLimits.packed) throw new StoreError('damaged', 'The file is larger than a package may be.')
      hash.update(chunk)
      await withStoreErrors(() => file.writeFile(chunk))
    }
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/** Returns null if there is no such file. */
async function hashFile(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    return hash.digest('hex')
  } catch {
    // An unreadable copy is replaced.
    return null
  }
}
