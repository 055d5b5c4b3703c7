/** Packages that were published, by their SHA-256: what services are set up from. They stay for good, and every node has them. */
import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppContext } from '#server/context/context.ts'
import { uploadPath } from '#server/use-cases/uploads/upload-files.ts'

type Place = Pick<AppContext, 'config'>

const packageFolder = ({ config }: Place) => join(config.filesDir, 'packages')
const hashShape = /^[0-9a-f]{64}$/

/** Where it lies, or would. Throws for what is no SHA-256: it is part of a path. */
export function packagePath(app: Place, sha256: string): string {
  if (!hashShape.test(sha256)) throw new Error('no SHA-256')
  return join(packageFolder(app), `${sha256}.mapp`)
}

/** Null: it was published before packages were kept. */
export async function keptPackage(app: Place, sha256: string | null): Promise<{ path: string; sha256: string } | null> {
  if (sha256 === null) return null
  const path = packagePath(app, sha256)
  return (await isThere(path)) ? { path, sha256 } : null
}

/**
 * Keeps the file of an upload, which has that SHA-256, before anything says that it is published. The upload still has it: should
 * its transaction come to nothing, it can be published again. On the disk when it resolves; done again it does nothing.
 */
export async function keepUpload(app: AppContext, uploadId: string, sha256: string): Promise<void> {
  const [from, to] = [uploadPath(app, uploadId), packagePath(app, sha256)]
  if (await isThere(to)) return
  await mkdir(packageFolder(app), { recursive: true, mode: 0o700 })
  await sync(from)
  try {
    await link(from, to)
  } catch (error) {
    if (isCode(error, 'EEXIST')) return
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EXDEV', 'EMLINK')) throw error
    // A file system without a second name for a file.
    await put(to, (draft) => copyFile(from, draft))
  }
  await sync(packageFolder(app))
}

/** The same of one that we made ourselves. */
export async function keepPackage(app: Place, sha256: string, bytes: Uint8Array): Promise<void> {
  const to = packagePath(app, sha256)
  if (await isThere(to)) return
  await mkdir(packageFolder(app), { recursive: true, mode: 0o700 })
  await put(to, async (draft) => {
    const file = await open(draft, 'w', 0o600)
    try {
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
  })
  await sync(packageFolder(app))
}

/** Under another name first: a file with its own name is whole. */
async function put(to: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${to}.${randomBytes(6).toString('hex')}.part`
  try {
    await write(draft)
    await sync(draft)
    await rename(draft, to)
  } finally {
    await rm(draft, { force: true })
  }
}

async function sync(path: string): Promise<void> {
  // Windows opens no folder, and needs none of this.
  if (process.platform === 'win32') return
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const isThere = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
const isCode = (error: unknown, ...codes: string[]) => codes.includes((error as NodeJS.ErrnoException).code ?? '')
