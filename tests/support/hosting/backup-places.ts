/** Places of backups in this process's memory: what lies there can be looked at, damaged and taken away, and each call made to fail. */
import { createHash } from 'node:crypto'
import type { BackupPlaces } from '#server/context/backup-places.ts'
import { StoreError, type StoreFault } from '#server/drivers/backup-store/driver.ts'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'

export interface PlacesUnderTest extends BackupPlaces {
  archives: Map<string, Buffer>
  copies: BackupPlaces['copies'] & { all: Map<string, DataPiece[]> }
  /** What each call throws as long as it stands. */
  fails: StoreFault | null
  /** Waited for before a put or a write ends. */
  held: Promise<unknown> | null
  /** Ms that archives are older than now. */
  age: number
}

export function memoryPlaces(): PlacesUnderTest {
  const archives = new Map<string, Buffer>()
  const all = new Map<string, DataPiece[]>()
  function look(): void {
    if (the.fails) throw new StoreError(the.fails, 'as the test wishes')
  }
  const the: PlacesUnderTest = {
    archives,
    fails: null,
    held: null,
    age: 0,
    store: {
      name: 'local',
      async put(key, body, meter) {
        look()
        const parts: Uint8Array[] = []
        for await (const part of body) {
          parts.push(part)
          await meter(part.length)
        }
        await the.held
        look()
        const whole = Buffer.concat(parts)
        archives.set(key, whole)
        return { bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') }
      },
      async *get(key, meter) {
        look()
        const found = archives.get(key)
        if (!found) throw new StoreError('missing', key)
        for (let at = 0; at < found.length; at += 10_000) {
          const part = found.subarray(at, at + 10_000)
          await meter(part.length)
          yield new Uint8Array(part)
        }
      },
      async *list(prefix) {
        look()
        for (const [key, { length }] of [...archives].toSorted())
          if (key.startsWith(prefix)) yield { key, bytes: length, modified: Date.now() - the.age }
      },
      async remove(key) {
        look()
        archives.delete(key)
      },
      tidy: async () => 0,
      close: async () => undefined,
    },
    copies: {
      name: 'embedded',
      all,
      async write(place, given) {
        look()
        const pieces = await Array.fromAsync(given)
        await the.held
        all.set(place, pieces)
        return { bytes: pieces.length }
      },
      async *read(place) {
        look()
        const found = all.get(place)
        if (!found) throw new StoreError('missing', place)
        yield* found
      },
      list: async (prefix) => [...all.keys()].filter((name) => name.startsWith(prefix)).toSorted(),
      async remove(place) {
        look()
        all.delete(place)
      },
      close: async () => undefined,
    },
    close: async () => undefined,
  }
  return the
}
