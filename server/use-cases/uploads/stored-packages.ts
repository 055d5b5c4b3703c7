/** Packages that were published, by their SHA-256: what services are set up from. They stay for good, and every node has them. */
import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppContext } from '#server/context/context.ts'
import { getUploadPath } from '#server/use-cases/uploads/upload-files.ts'
import { syncToDisk } from '#server/drivers/sync-to-disk.ts'

type FilesContext = Pick<AppContext, 'config'>

const getPackageFolder = ({ config }: FilesContext) => join(config.filesDir, 'packages')
const hashShape = /^[0-9a-f]{64}$/

/** Where it lies, or would. Throws for what is no SHA-256: it is part of a path. */
export function getPackagePath(app: FilesContext, sha256: string): string {
  if (!hashShape.test(sha256)) throw new Error('no SHA-256')
  return join(getPackageFolder(app), `${sha256}.mapp`)
}

/** Null: it was published before packages were kept. */
export async function findStoredPackage(
  app: FilesContext,
  sha256: string | null,
): Promise<{ path: string; sha256: string } | null> {
  if (sha256 === null) return null
  const path = getPackagePath(app, sha256)
  return (await fileExists(path)) ? { path, sha256 } : null
}

/**
 * Keeps the file of an upload, which has that SHA-256, before anything says that it is published. The upload still has it: should
 * its transaction come to nothing, it can be published again. On the disk when it resolves; done again it does nothing.
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
    // A file system without a second name for a file.
    await writeDurably(targetPath, (draftPath) => copyFile(sourcePath, draftPath))
  }
  await syncToDisk(getPackageFolder(app))
}

/** The same of one that we made ourselves. */
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

/** Under another name first: a file with its own name is whole. */
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
