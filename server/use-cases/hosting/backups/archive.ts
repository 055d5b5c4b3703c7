/**
 * Writes and reads archives of an instance's data: JSON rows, gzip and age, so that `age -d` and `gunzip` open an archive
 * (docs/operating.md). The first row names the source, and the last one has the digest of the others and a seal. Somebody who knows only
 * the public recipient cannot make the seal.
 */
import { Encrypter, identityToRecipient } from 'age-encryption'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { LineError, splitLines } from '#server/drivers/hosting/data-lines.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { BackupArchiveError, createDamagedError } from '#server/use-cases/hosting/backups/archive-error.ts'
import {
  type ArchiveHead,
  ArchiveLineReader,
  formatFirstLine,
  formatLastLine,
} from '#server/use-cases/hosting/backups/archive-lines.ts'
import { ContentCounter, type BackupContents, requireContents } from '#server/use-cases/hosting/backups/digest.ts'
import { unpackArchive } from '#server/use-cases/hosting/backups/unpack-archive.ts'

interface WrittenArchive extends AsyncIterable<Uint8Array> {
  getContents(): BackupContents
}

interface ReadArchive extends AsyncIterable<DataPiece> {
  /** Returns null until the first piece was read. */
  getHead(): ArchiveHead | null
  /** Throws if the pieces were not read to the end. */
  getContents(): BackupContents
}

/** Maximum length of a row in bytes. A longer row cannot be read, so it is not written either. */
const defaultLimits = { maxLine: 128 * 2 ** 20 }
const chunkChars = 64 * 1024

/** Returns the bytes of an archive, which can be read once. `identity` is the company's secret key. Rethrows the errors of `pieces`. */
export function writeArchive(
  head: ArchiveHead,
  pieces: AsyncIterable<DataPiece>,
  identity: string,
  { maxLine } = defaultLimits,
): WrittenArchive {
  let contents: BackupContents | null = null
  async function* writeLines(): AsyncGenerator<string> {
    const counter = new ContentCounter()
    const firstLine = formatFirstLine(head)
    yield `${firstLine}\n`
    for await (const piece of pieces) for (const line of counter.toLines(piece)) yield requireLineLength(line, maxLine)
    const writtenContents = counter.finish()
    yield `${formatLastLine(identity, firstLine, writtenContents)}\n`
    contents = writtenContents
  }
  return {
    async *[Symbol.asyncIterator]() {
      const age = new Encrypter()
      age.addRecipient(await identityToRecipient(identity))
      const gzip = createGzip()
      // `pipeline` passes an error of either stream to the other one and to the reader.
      pipeline(Readable.from(toChunks(writeLines())), gzip, () => undefined)
      yield* await age.encrypt(Readable.toWeb(gzip) as ReadableStream<Uint8Array>)
    },
    getContents: () => requireContents(contents),
  }
}

function requireLineLength(line: string, maxLine: number): string {
  if (line.length <= maxLine && Buffer.byteLength(line) <= maxLine) return line
  throw new BackupArchiveError('too_large', 'A row is larger than the limit of an archive.')
}

/** Groups rows into larger chunks, because otherwise each row would be a separate call of the compressor. */
async function* toChunks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let buffered = ''
  for await (const line of lines) {
    buffered += line
    if (buffered.length < chunkChars) continue
    yield Buffer.from(buffered)
    buffered = ''
  }
  yield Buffer.from(buffered)
}

/**
 * Returns the pieces of an archive, which can be read once. If the archive was cut or changed, reading throws a BackupArchiveError,
 * possibly after some pieces. So the pieces are valid only after the end was reached. Rethrows the errors of `bytes`.
 */
export function readArchive(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
  { maxLine } = defaultLimits,
): ReadArchive {
  const archive = new ArchiveLineReader(identities)
  return {
    async *[Symbol.asyncIterator]() {
      for await (const line of readLines(unpackArchive(bytes, identities), maxLine)) yield* archive.readLine(line)
      archive.finish()
    },
    getHead: () => archive.head,
    getContents: () => requireContents(archive.contents),
  }
}

async function* readLines(bytes: AsyncIterable<Uint8Array>, maxLine: number): AsyncGenerator<string> {
  try {
    yield* splitLines(bytes, maxLine)
  } catch (error) {
    throw error instanceof LineError ? createDamagedError(error.message, error) : error
  }
}
