/**
 * Stores an upload in a bucket as pieces: one object for each run of received bytes, named by its offset. A piece is written once and never
 * changed, so bytes that were acknowledged stay, whatever is killed. The upload is the chain of pieces from offset 0.
 */
import { hashBody, toBody } from '#server/drivers/file-store/bodies.ts'
import type { FileStore, StoredObject } from '#server/drivers/file-store/file-store.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

const uploadsPrefix = 'uploads/'
/** Size of a piece in bytes. Each active upload uses about twice as much memory. */
const pieceBytes = 4 * 2 ** 20
/** Maximum number of pieces of an upload. The page sends pieces of 64 kB or more, so its largest upload has some 1,000. */
const maxPieces = 10_000
const offsetDigits = 12

const buildKey = (id: string, name: string) => `${uploadsPrefix}${id}/${name}`
const buildPieceKey = (id: string, offset: number) => buildKey(id, String(offset).padStart(offsetDigits, '0'))
export const buildInfoKey = (id: string) => buildKey(id, 'info.json')

/** Lists the pieces in their order. Throws TOO_LARGE if they are too many. */
export async function listPieces(files: FileStore, id: string): Promise<StoredObject[]> {
  const pieces: StoredObject[] = []
  let offset = 0
  for await (const object of files.list(buildKey(id, ''))) {
    // The key after the last piece belongs to no chain: the bytes between are missing.
    if (object.key !== buildPieceKey(id, offset)) continue
    pieces.push(object)
    offset += object.bytes
    if (pieces.length > maxPieces) throw new ProblemError('TOO_LARGE')
  }
  return pieces
}

export const countBytes = (pieces: readonly StoredObject[]): number => pieces.reduce((sum, { bytes }) => sum + bytes, 0)

export async function* readPieces(files: FileStore, id: string): AsyncGenerator<Uint8Array> {
  for (const { key } of await listPieces(files, id)) yield* files.get(key)
}

/**
 * Writes the bytes from `startOffset` on, and returns the offset of their end. If the body fails, the bytes before the failure are stored.
 * Throws STATE_CONFLICT if another request has written other bytes at this offset.
 */
export async function writePieces(
  files: FileStore,
  id: string,
  startOffset: number,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  let offset = startOffset
  let chunks: Uint8Array[] = []
  let length = 0
  async function storePiece(): Promise<void> {
    if (length === 0) return
    const data = Buffer.concat(chunks)
    chunks = []
    length = 0
    await putPiece(files, buildPieceKey(id, offset), data)
    offset += data.length
  }
  let isStoring = false
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      isStoring = length >= pieceBytes
      if (isStoring) await storePiece()
      isStoring = false
    }
  } catch (error) {
    if (!isStoring) await storePiece()
    throw error
  }
  await storePiece()
  return offset
}

async function putPiece(files: FileStore, key: string, data: Buffer): Promise<void> {
  const { isWritten, sha256 } = await files.put(key, toBody(data), { onlyIfAbsent: true })
  // After a lost response the repeated request finds the piece that the first one has written.
  if (!isWritten && (await hashBody(files.get(key))) !== sha256)
    throw new ProblemError('STATE_CONFLICT', { why: 'offset' })
}

export async function removePieces(files: FileStore, id: string): Promise<void> {
  const keys: string[] = []
  for await (const { key } of files.list(buildKey(id, ''))) keys.push(key)
  // The last piece first: after a kill in between, the rest is still a chain from offset 0.
  for (const key of keys.toReversed()) await files.remove(key)
}

/** Returns the names below `uploads/`, with the time of the last write by the clock of the store, in epoch ms. */
export async function listUploadTimes(files: FileStore): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for await (const { key, modifiedAt } of files.list(uploadsPrefix)) {
    const id = key.split('/')[1] ?? ''
    times.set(id, Math.max(times.get(id) ?? 0, modifiedAt))
  }
  return times
}

/** Returns the time of the store's clock, in epoch ms, which may differ from the clock of this machine. */
export async function readStoreTime(files: FileStore): Promise<number> {
  const key = `${uploadsPrefix}time`
  await files.put(key, toBody('time'))
  return (await files.stat(key))?.modifiedAt ?? 0
}
