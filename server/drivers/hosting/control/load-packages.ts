/** Checks the files of packages before they are sent to an instance. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { HostingError, type InstanceApp } from '#server/drivers/hosting/hosting-driver.ts'

export interface PackageFile {
  path: string
  sha256: string
}

const hashPattern = /^[0-9a-f]{64}$/
/** Limit of the instance contract. */
const maxPackageBytes = 100 * 2 ** 20

/** Returns each package once. Throws `bad_package` if a SHA-256 is not one. */
export function listPackages(apps: readonly InstanceApp[]): PackageFile[] {
  const filesByHash = new Map<string, PackageFile>()
  for (const { package: file } of apps) {
    if (file === null) continue
    if (!isPackageHash(file.sha256)) throw new HostingError('bad_package', 'the SHA-256 of the package is invalid')
    filesByHash.set(file.sha256, file)
  }
  return [...filesByHash.values()]
}

export const isPackageHash = (text: unknown): text is string => typeof text === 'string' && hashPattern.test(text)

/** Throws `bad_package` if the file does not exist, is too large or differs from the published package. Returns its size in bytes. */
export async function checkPackage({ path, sha256 }: PackageFile): Promise<number> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of readPackage(path)) {
    size += chunk.length
    if (size > maxPackageBytes) throw new HostingError('bad_package', 'the package has more than 100 MB')
    hash.update(chunk)
  }
  const actualHash = hash.digest('hex')
  if (actualHash !== sha256)
    throw new HostingError('bad_package', `the package differs from the published one: its SHA-256 is ${actualHash}`)
  return size
}

/** Throws `bad_package` if the file cannot be read. */
export async function* readPackage(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const message =
      code === 'ENOENT' ? 'the file of the package does not exist' : `the file of the package cannot be read (${code})`
    throw new HostingError('bad_package', message, { cause })
  }
}
