/** Receives packages: checks their SHA-256, and reads them in a process with limits. */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type ProcessLimits, runBounded } from '#server/drivers/bounded-process.ts'
import { ControlError } from '#demo/sample-instance/contract/control-error.ts'
import type { AppFile, InstanceStorage } from '#demo/sample-instance/storage/instance-storage.ts'
import { temporaryPrefix } from '#demo/sample-instance/storage/write-durably.ts'

const limits: ProcessLimits = {
  dataKb: 900_000,
  cpuSeconds: 20,
  wallMs: 60_000,
  maxOutputBytes: 20_000_000,
  heapMb: 64,
}

/** Throws ControlError 422 if the bytes have another SHA-256, or are not a package. Rethrows errors of `chunks`. */
export async function receivePackage(
  { uploadFolder, packages }: InstanceStorage,
  sha256: string,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const path = join(uploadFolder, `${temporaryPrefix}${randomBytes(8).toString('hex')}`)
  const hash = createHash('sha256')
  async function* withHash() {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  try {
    await pipeline(withHash, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const actualSha256 = hash.digest('hex')
    const isSame = actualSha256 === sha256
    if (!isSame) throw new ControlError(422, 'the package has another SHA-256')
    await packages.add(sha256, await readPackage(path))
  } finally {
    rmSync(path, { force: true })
  }
}

async function readPackage(path: string): Promise<AppFile[]> {
  const file = await open(path, 'r')
  try {
    const output = await runBounded(new URL('./read-package-process.ts', import.meta.url), [], file.fd, limits)
    if (output === null) throw new ControlError(422, 'the file is not a package, or exceeds the limits of packages')
    return JSON.parse(output.toString()) as AppFile[]
  } finally {
    await file.close()
  }
}
