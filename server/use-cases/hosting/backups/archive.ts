/**
 * An archive of an instance's data: lines of JSON, gzip, and an age file around them, so that `age -d` and `gunzip` open it
 * (docs/operating.md). The first line says what it is of; then come the lines that the digest is of; the last one has the digest and
 * a seal, which nobody can make who knows the recipient alone.
 */
import { Encrypter, identityToRecipient } from 'age-encryption'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { BackupArchiveError } from '#server/use-cases/hosting/backups/archive-error.ts'
import {
  type ArchiveHead,
  ArchiveLineReader,
  formatFirstLine,
  formatLastLine,
} from '#server/use-cases/hosting/backups/archive-lines.ts'
import { ContentCounter, type BackupContents, requireContents } from '#server/use-cases/hosting/backups/digest.ts'
import { splitLines, unpackArchive } from '#server/use-cases/hosting/backups/unpack-archive.ts'

interface WrittenArchive extends AsyncIterable<Uint8Array> {
  /** Throws before the last byte was taken. */
  getContents(): BackupContents
}

interface ReadArchive extends AsyncIterable<DataPiece> {
  /** Null before the first piece was taken. */
  getHead(): ArchiveHead | null
  /** Throws before the end. */
  getContents(): BackupContents
}

/** In bytes: what is longer is not read, and so not written. A row is a line. */
const defaultLimits = { maxLine: 128 * 2 ** 20 }
const chunkChars = 64 * 1024

/** To be read once. `identity`: of the company, and secret. Errors of the pieces are thrown on. */
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
      // An error of either reaches the other, and whoever reads.
      pipeline(Readable.from(toChunks(writeLines())), gzip, () => undefined)
      yield* await age.encrypt(Readable.toWeb(gzip) as ReadableStream<Uint8Array>)
    },
    getContents: () => requireContents(contents),
  }
}

function requireLineLength(line: string, maxLine: number): string {
  if (line.length <= maxLine && Buffer.byteLength(line) <= maxLine) return line
  throw new BackupArchiveError('too_large', 'A row is larger than an archive takes.')
}

/** Each line by itself would be a call of the compressor. */
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
 * To be read once. Ends with an BackupArchiveError, after what was given out already, wherever it was cut or changed: nothing of it counts
 * before its end. Errors of `bytes` are thrown on.
 */
export function readArchive(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
  { maxLine } = defaultLimits,
): ReadArchive {
  const archive = new ArchiveLineReader(identities)
  return {
    async *[Symbol.asyncIterator]() {
      for await (const line of splitLines(unpackArchive(bytes, identities), maxLine)) yield* archive.readLine(line)
      archive.finish()
    },
    getHead: () => archive.head,
    getContents: () => requireContents(archive.contents),
  }
}
