import { Decrypter } from 'age-encryption'
import { pipeline, Readable } from 'node:stream'
import { ReadableStream as NodeStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import { BackupArchiveError, createDamagedError } from '#server/use-cases/hosting/backups/archive-error.ts'

const ageMagic = 'age-encryption.org/v1\n'
/** Maximum length of the age header in bytes. One recipient needs about 200. The library itself accepts any length. */
const maxHead = 4_096

/** Yields the decrypted and unzipped bytes of an archive. Rethrows the errors of `bytes`. Every other error is a BackupArchiveError. */
export async function* unpackArchive(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): AsyncGenerator<Buffer> {
  const source = new ArchiveSource(bytes)
  try {
    const age = new Decrypter()
    for (const identity of identities) age.addIdentity(identity)
    const cipher = NodeStream.from(await source.readFromStart()) as unknown as ReadableStream<Uint8Array>
    const plainStream = await age.decrypt(cipher)
    const gunzip = createGunzip()
    // `pipeline` passes an error of either stream to the other one and to the reader.
    pipeline(Readable.fromWeb(plainStream as unknown as NodeStream<Uint8Array>), gunzip, () => undefined)
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    throw source.failure?.error ?? toArchiveError(error)
  } finally {
    await source.close()
  }
}

function toArchiveError(error: unknown): BackupArchiveError {
  if (error instanceof BackupArchiveError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (message.startsWith('no identity matched'))
    return new BackupArchiveError('no_key', 'None of the keys can decrypt the archive.', { cause: error })
  return createDamagedError(message, error)
}

/** Reads the bytes of an archive. It stores a read error of the source, so that this is not reported as damaged content. */
class ArchiveSource {
  readonly #bytes: AsyncIterator<Uint8Array>
  failure: { error: unknown } | null = null

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes[Symbol.asyncIterator]()
  }

  /** Returns all bytes if they begin with an age header within the size limit. Otherwise throws a BackupArchiveError. */
  async readFromStart(): Promise<AsyncIterable<Uint8Array>> {
    let head = Buffer.alloc(0)
    while (!head.includes('\n---')) {
      const next = await this.#readNext()
      if (next === null || head.length > maxHead) throw createDamagedError('it is not an age file')
      head = Buffer.concat([head, next])
    }
    if (
      !head.subarray(0, maxHead).includes('\n---') ||
      !head.toString('latin1', 0, ageMagic.length).startsWith(ageMagic)
    )
      throw createDamagedError('it is not an age file')
    return this.#readAfter(head)
  }

  async *#readAfter(head: Uint8Array): AsyncGenerator<Uint8Array> {
    yield head
    for (let next = await this.#readNext(); next !== null; next = await this.#readNext()) yield next
  }

  async #readNext(): Promise<Uint8Array | null> {
    try {
      const { done, value } = await this.#bytes.next()
      return done ? null : value
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#bytes.return?.()
  }
}
