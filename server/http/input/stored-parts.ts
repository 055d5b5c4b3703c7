/** Stores files that are too large for memory: each is written to the disk while it arrives, under a generated name. */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MultipartFile } from '@fastify/multipart'
import { isDiskFull } from '#server/problems/is-disk-full.ts'
import { createUnavailableProblem, ProblemError } from '#server/problems/problem-error.ts'

/** A file on the disk. It is a class, so that received values cannot imitate it. */
export class StoredFile {
  readonly name: string
  /** Generated file name: 32 hexadecimal digits. */
  readonly id: string
  readonly path: string
  readonly size: number
  readonly sha256: string
  shouldKeep = false
  constructor({ name, id, path, size, sha256 }: Pick<StoredFile, 'name' | 'id' | 'path' | 'size' | 'sha256'>) {
    this.name = name
    this.id = id
    this.path = path
    this.size = size
    this.sha256 = sha256
  }
  async discard(): Promise<void> {
    if (!this.shouldKeep) await rm(this.path, { force: true })
  }
}

/**
 * Throws TOO_LARGE if the file exceeds the limit of its form, FILES_FULL if the disk is full, and UNAVAILABLE if the file cannot be written
 * for another reason. Removes the incomplete file after any error.
 */
export async function storeFile(part: MultipartFile, folder: string): Promise<StoredFile> {
  const id = randomBytes(16).toString('hex')
  const path = join(folder, id)
  const hasher = createHash('sha256')
  let size = 0
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      hasher.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  try {
    await pipeline(part.file, meter, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    if (part.file.truncated) throw new ProblemError('TOO_LARGE')
  } catch (error) {
    await rm(path, { force: true })
    throw toWriteProblem(error)
  }
  return new StoredFile({ name: part.filename, id, path, size, sha256: hasher.digest('base64url') })
}

/** Converts an error of the file system. Other errors are returned unchanged: they are caused by the received bytes. */
function toWriteProblem(error: unknown): unknown {
  if (isDiskFull(error)) return new ProblemError('FILES_FULL', null, 60)
  return typeof (error as NodeJS.ErrnoException).syscall === 'string' ? createUnavailableProblem(5) : error
}
