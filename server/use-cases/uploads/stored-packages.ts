/** Stores published packages by SHA-256. They are never deleted, and every node can read them. */
import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppContext } from '#server/context/context.ts'
import { getUploadPath } from '#server/use-cases/uploads/upload-files.ts'
import { syncToDisk } from '#server/drivers/sync-to-disk.ts'

type FilesContext = Pick<AppContext, 'config'>

const getPackageFolder = ({ config }: FilesContext) => join(config.filesDir, 'packages')
const hashShape = /^[0-9a-f]{64}$/

/** Throws if the text is not a SHA-256, because it becomes part of the path. */
export function getPackagePath(app: FilesContext, sha256: string): string {
  if (!hashShape.test(sha256)) throw new Error('the SHA-256 of the package is invalid')
  return join(getPackageFolder(app), `${sha256}.mapp`)
}

/** Returns null if no file is stored, because the app was published before packages were stored. */
export async function findStoredPackage(
  app: FilesContext,
  sha256: string | null,
): Promise<{ path: string; sha256: string } | null> {
  if (sha256 === null) return null
  const path = getPackagePath(app, sha256)
  return (await fileExists(path)) ? { path, sha256 } : null
}

/**
 * Stores the file of an upload before the publishing is recorded. The upload keeps its file, so it can be published again if the
 * transaction fails. When the promise resolves, the file is on the disk.
 */
export async function storeUploadedPackage(app: AppContext, uploadId: string, sha256: string): Promise<void> {
  const [sourcePath, targetPath] = [getUploadPath(app, uploadId), getPackagePath(app, sha256)]
  if (await fileExists(targetPath)) return
  await mkdir(getPackageFolder(app), { recursive: true, mode: 0o700 })
  await syncToDisk(sourcePath)
  try {
    await link(sourcePath, targetPath)
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return
    if (!hasErrorCode(error, 'EPERM', 'ENOTSUP', 'EXDEV', 'EMLINK')) throw error
    // The file system does not support hard links.
    await writeDurably(targetPath, (draftPath) => copyFile(sourcePath, draftPath))
  }
  await syncToDisk(getPackageFolder(app))
}

export async function storePackage(app: FilesContext, sha256: string, bytes: Uint8Array): Promise<void> {
  const targetPath = getPackagePath(app, sha256)
  if (await fileExists(targetPath)) return
  await mkdir(getPackageFolder(app), { recursive: true, mode: 0o700 })
  await writeDurably(targetPath, async (draftPath) => {
    const file = await open(draftPath, 'w', 0o600)
    try {
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
  })
  await syncToDisk(getPackageFolder(app))
}

/** Writes under another name first and renames at the end, so a file with its final name is complete. */
async function writeDurably(targetPath: string, write: (draftPath: string) => Promise<void>): Promise<void> {
  const draftPath = `${targetPath}.${randomBytes(6).toString('hex')}.part`
  try {
    await write(draftPath)
    await syncToDisk(draftPath)
    await rename(draftPath, targetPath)
  } finally {
    await rm(draftPath, { force: true })
  }
}

const fileExists = (path: string) =>
  stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  )
const hasErrorCode = (error: unknown, ...codes: string[]) => codes.includes((error as NodeJS.ErrnoException).code ?? '')
