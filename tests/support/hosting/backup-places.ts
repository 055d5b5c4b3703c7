/** Simulates backup stores in memory. Their archives can be inspected, damaged and deleted, and their calls can be made to fail. */
import { createHash } from 'node:crypto'
import type { BackupDestinations } from '#server/context/backup-destinations.ts'
import { StoreError, type StoreFault } from '#server/drivers/file-store/store-error.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'

export interface BackupPlacesUnderTest extends BackupDestinations {
  archives: Map<string, Buffer>
  copies: BackupDestinations['copies'] & { piecesByPath: Map<string, DataPiece[]> }
  /** If set, every call throws this fault. */
  fault: StoreFault | null
  /** If set, puts and writes wait for this promise. */
  blockedUntil: Promise<unknown> | null
  /** Age in ms of the archives that are written. */
  ageMs: number
}

export function createMemoryPlaces(): BackupPlacesUnderTest {
  const archives = new Map<string, Buffer>()
  const piecesByPath = new Map<string, DataPiece[]>()
  function throwIfFaulty(): void {
    if (places.fault) throw new StoreError(places.fault, 'as the test wishes')
  }
  const places: BackupPlacesUnderTest = {
    archives,
    fault: null,
    blockedUntil: null,
    ageMs: 0,
    store: {
      location: { kind: 'folder', folder: '' },
      async put(key, body, { meter } = {}) {
        throwIfFaulty()
        const parts: Uint8Array[] = []
        for await (const chunk of body) {
          parts.push(chunk)
          await meter?.(chunk.length)
        }
        await places.blockedUntil
        throwIfFaulty()
        const archive = Buffer.concat(parts)
        archives.set(key, archive)
        return { bytes: archive.length, sha256: createHash('sha256').update(archive).digest('hex'), isWritten: true }
      },
      async *get(key, { meter } = {}) {
        throwIfFaulty()
        const archive = archives.get(key)
        if (!archive) throw new StoreError('missing', key)
        for (let offset = 0; offset < archive.length; offset += 10_000) {
          const chunk = archive.subarray(offset, offset + 10_000)
          await meter?.(chunk.length)
          yield new Uint8Array(chunk)
        }
      },
      stat: async (key) => (await Array.fromAsync(places.store.list(key))).find((object) => object.key === key) ?? null,
      async *list(prefix) {
        throwIfFaulty()
        for (const [key, { length }] of [...archives].toSorted())
          if (key.startsWith(prefix)) yield { key, bytes: length, modifiedAt: Date.now() - places.ageMs }
      },
      async remove(key) {
        throwIfFaulty()
        archives.delete(key)
      },
      cleanUp: async () => 0,
      close: async () => undefined,
    },
    copies: {
      name: 'embedded',
      piecesByPath,
      async write(path, source) {
        throwIfFaulty()
        const pieces = await Array.fromAsync(source)
        await places.blockedUntil
        piecesByPath.set(path, pieces)
        return { bytes: pieces.length }
      },
      async *read(path) {
        throwIfFaulty()
        const pieces = piecesByPath.get(path)
        if (!pieces) throw new StoreError('missing', path)
        yield* pieces
      },
      list: async (prefix) => [...piecesByPath.keys()].filter((name) => name.startsWith(prefix)).toSorted(),
      async remove(path) {
        throwIfFaulty()
        piecesByPath.delete(path)
      },
      close: async () => undefined,
    },
    close: async () => undefined,
  }
  return places
}
