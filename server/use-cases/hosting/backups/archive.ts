/**
 * An archive of an instance's data: lines of JSON, gzip, and an age file around them, so that `age -d` and `gunzip` open it
 * (docs/operating.md). The first line says what it is of; then come the lines that the digest is of; the last one has the digest and
 * a seal, which nobody can make who knows the recipient alone.
 */
import { Encrypter, identityToRecipient } from 'age-encryption'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'
import { ArchiveError } from '#server/use-cases/hosting/backups/archive-error.ts'
import { type ArchiveHead, ArchiveLines, firstLine, lastLine } from '#server/use-cases/hosting/backups/archive-lines.ts'
import { ContentCounter, type Contents, known } from '#server/use-cases/hosting/backups/digest.ts'
import { splitLines, unpacked } from '#server/use-cases/hosting/backups/unpack-archive.ts'

interface WrittenArchive extends AsyncIterable<Uint8Array> {
  /** Throws before the last byte was taken. */
  contents(): Contents
}

interface ReadArchive extends AsyncIterable<DataPiece> {
  /** Null before the first piece was taken. */
  head(): ArchiveHead | null
  /** Throws before the end. */
  contents(): Contents
}

/** In bytes: what is longer is not read, and so not written. A row is a line. */
const usual = { maxLine: 128 * 2 ** 20 }
const signsAtATime = 64 * 1024

/** To be read once. `identity`: of the company, and secret. Errors of the pieces are thrown on. */
export function writeArchive(
  head: ArchiveHead,
  pieces: AsyncIterable<DataPiece>,
  identity: string,
  { maxLine } = usual,
): WrittenArchive {
  let contents: Contents | null = null
  async function* lines(): AsyncGenerator<string> {
    const counter = new ContentCounter()
    const first = firstLine(head)
    yield `${first}\n`
    for await (const piece of pieces) for (const line of counter.linesOf(piece)) yield short(line, maxLine)
    const found = counter.finish()
    yield `${lastLine(identity, first, found)}\n`
    contents = found
  }
  return {
    async *[Symbol.asyncIterator]() {
      const age = new Encrypter()
      age.addRecipient(await identityToRecipient(identity))
      const gzip = createGzip()
      // An error of either reaches the other, and whoever reads.
      pipeline(Readable.from(inChunks(lines())), gzip, () => undefined)
      yield* await age.encrypt(Readable.toWeb(gzip) as ReadableStream<Uint8Array>)
    },
    contents: () => known(contents),
  }
}

function short(line: string, maxLine: number): string {
  if (line.length <= maxLine && Buffer.byteLength(line) <= maxLine) return line
  throw new ArchiveError('too_large', 'A row is larger than an archive takes.')
}

/** Each line by itself would be a call of the compressor. */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = ''
  for await (const line of lines) {
    held += line
    if (held.length < signsAtATime) continue
    yield Buffer.from(held)
    held = ''
  }
  yield Buffer.from(held)
}

/**
 * To be read once. Ends with an ArchiveError, after what was given out already, wherever it was cut or changed: nothing of it counts
 * before its end. Errors of `bytes` are thrown on.
 */
export function readArchive(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
  { maxLine } = usual,
): ReadArchive {
  const archive = new ArchiveLines(identities)
  return {
    async *[Symbol.asyncIterator]() {
      for await (const line of splitLines(unpacked(bytes, identities), maxLine)) yield* archive.take(line)
      archive.finish()
    },
    head: () => archive.head,
    contents: () => known(archive.contents),
  }
}
