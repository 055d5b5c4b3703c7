/** Stores published packages by SHA-256. They are never deleted, and every node can read them. */
import { createHash } from 'node:crypto'
import type { AppContext } from '#server/context/context.ts'
import { toBody } from '#server/drivers/file-store/bodies.ts'
import { getLocalPath } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { cachePackage } from '#server/use-cases/uploads/local-copies.ts'
import { readUploadBytes } from '#server/use-cases/uploads/upload-files.ts'

type FilesContext = Pick<AppContext, 'config' | 'files'>

const hashShape = /^[0-9a-f]{64}$/

/** Throws if the text is not a SHA-256, because it becomes part of the key. */
export function buildPackageKey(sha256: string): string {
  if (!hashShape.test(sha256)) throw new Error('the SHA-256 of the package is invalid')
  return `packages/${sha256}.mapp`
}

/**
 * Returns a file of this machine with the package: in a bucket's case a verified copy, which stays for an hour or longer. Returns null if
 * no file is stored, because the app was published before packages were stored. Throws StoreError.
 */
export async function findStoredPackage(
  app: FilesContext,
  sha256: string | null,
): Promise<{ path: string; sha256: string } | null> {
  if (sha256 === null) return null
  const key = buildPackageKey(sha256)
  if (!(await app.files.stat(key))) return null
  const path = getLocalPath(app.files, key) ?? (await cachePackage(app, sha256, () => app.files.get(key)))
  return { path, sha256 }
}

/**
 * Stores the file of an upload before the publishing is recorded. The upload keeps its file, so it can be published again if the
 * transaction fails. When the promise resolves, the package is stored durably. Throws StoreError.
 */
export const storeUploadedPackage = (app: AppContext, uploadId: string, sha256: string): Promise<void> =>
  storeOnce(app, sha256, () => readUploadBytes(app, uploadId))

export const storePackage = (app: FilesContext, sha256: string, bytes: Uint8Array): Promise<void> =>
  storeOnce(app, sha256, () => toBody(bytes))

async function storeOnce(
  { files }: FilesContext,
  sha256: string,
  readBody: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  const key = buildPackageKey(sha256)
  if (!(await files.stat(key))) await files.put(key, verifyBody(readBody(), sha256), { onlyIfAbsent: true })
}

/** Throws `damaged` at the end of other bytes, so that they are not stored under this SHA-256. */
async function* verifyBody(body: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
  const actualHash = hash.digest('hex')
  if (actualHash !== sha256) throw new StoreError('damaged', `The file has the SHA-256 ${actualHash}, not ${sha256}.`)
}
