/** Tests that every backup store has to pass: a bucket and a folder. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

export interface StoreUnderTest {
  store: FileStore
  close: () => Promise<void>
}

const ignoreBytes = () => undefined

export async function* splitIntoPieces(data: Uint8Array, size = 300_000): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < data.length; index += size) yield data.subarray(index, index + size)
}

export const readObject = async (store: FileStore, key: string, meter: (bytes: number) => void = ignoreBytes) =>
  Buffer.concat(await Array.fromAsync(store.get(key, { meter })))

export const listKeys = async (store: FileStore, prefix: string) =>
  (await Array.fromAsync(store.list(prefix))).map(({ key }) => key)

const megabyte = 2 ** 20
/** Sizes in bytes: zero, exactly one part, and one part plus a byte. By night also one byte, one part minus a byte, and several parts. */
const sizes = limitByDay([0, 5 * megabyte, 5 * megabyte + 1, 1, 5 * megabyte - 1, 12 * megabyte + 7], 3)

export function describeStore(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a file store`, () => {
    let fixture: StoreUnderTest
    let store: FileStore
    beforeAll(async () => {
      fixture = await openStore()
      store = fixture.store
    })
    afterAll(() => fixture.close())

    it.each(sizes)('returns %i bytes unchanged, and counts them in both directions', async (size) => {
      const data = randomBytes(size)
      let [sentBytes, receivedBytes] = [0, 0]
      const writeResult = await store.put(`sizes/${size}`, splitIntoPieces(data), {
        meter: (bytes) => void (sentBytes += bytes),
      })
      expect(writeResult).toEqual({
        bytes: size,
        sha256: createHash('sha256').update(data).digest('hex'),
        isWritten: true,
      })
      expect((await readObject(store, `sizes/${size}`, (bytes) => (receivedBytes += bytes))).equals(data)).toBe(true)
      expect([sentBytes, receivedBytes]).toEqual([size, size])
    })

    it('keeps only the last complete object of each key', async () => {
      await store.put('again/one', splitIntoPieces(Buffer.from('first')))
      await store.put('again/one', splitIntoPieces(Buffer.from('second')))
      expect(String(await readObject(store, 'again/one'))).toBe('second')
      const brokenWrite = store.put('again/one', createFailingPieces(7 * megabyte))
      await expect(brokenWrite).rejects.toThrow('the source is gone')
      expect(String(await readObject(store, 'again/one'))).toBe('second')
      expect(await listKeys(store, 'again/')).toEqual(['again/one'])
    })

    it('stores nothing if its source fails, and throws the error of the source', async () => {
      for (const size of [10, 6 * megabyte, 17 * megabyte])
        await expect(store.put('broken/one', createFailingPieces(size))).rejects.toMatchObject({
          name: 'SourceError',
        })
      await expect(readObject(store, 'broken/one')).rejects.toMatchObject({ fault: 'missing' })
      expect(await listKeys(store, 'broken/')).toEqual([])
      expect(await store.cleanUp(0, '')).toBe(0)
    })

    it("throws the error of the caller's byte counter, and leaves nothing behind", async () => {
      const throwOnBytes = (bytes: number) => {
        if (bytes > 0) throw Object.assign(new Error('not counted'), { name: 'MeterError' })
      }
      for (const size of [10, 11 * megabyte])
        await expect(
          store.put('unmetered', splitIntoPieces(Buffer.alloc(size)), { meter: throwOnBytes }),
        ).rejects.toThrow('not counted')
      expect(await listKeys(store, 'unmetered')).toEqual([])
      await store.put('metered', splitIntoPieces(Buffer.alloc(10)))
      await expect(readObject(store, 'metered', throwOnBytes)).rejects.toThrow('not counted')
    })

    it("waits for the caller's byte counter", async () => {
      let [startedCount, finishedCount] = [0, 0]
      const meter = async () => {
        startedCount++
        await new Promise((resolve) => setTimeout(resolve, 1))
        finishedCount++
      }
      await store.put('slowly', splitIntoPieces(Buffer.alloc(6 * megabyte)), { meter })
      expect(finishedCount).toBe(startedCount)
    })

    it('lists the sorted keys of a prefix with size and time', async () => {
      const keys = ['list/b/2', 'list/a/1', 'list/b-/3', 'list/a/10', 'list/c']
      for (const key of keys) await store.put(key, splitIntoPieces(Buffer.alloc(key.length)))
      expect(await listKeys(store, 'list/')).toEqual(keys.toSorted())
      expect(await listKeys(store, 'list/a/1')).toEqual(['list/a/1', 'list/a/10'])
      expect(await listKeys(store, 'none/')).toEqual([])
      const [object] = await Array.fromAsync(store.list('list/c'))
      expect(object?.bytes).toBe('list/c'.length)
      expect(Math.abs((object?.modifiedAt ?? 0) - Date.now())).toBeLessThan(60_000)
    })

    it('removes an object, and accepts repeated removal', async () => {
      await store.put('gone/one', splitIntoPieces(Buffer.from('x')))
      for (let time = 0; time < 2; time++) await store.remove('gone/one')
      await expect(readObject(store, 'gone/one')).rejects.toMatchObject({ fault: 'missing' })
      expect(await listKeys(store, 'gone/')).toEqual([])
    })

    it('ends a read if the reader stops early', async () => {
      await store.put('enough', splitIntoPieces(Buffer.alloc(6 * megabyte)))
      let count = 0
      for await (const _ of store.get('enough')) if (++count === 2) break
      expect(count).toBe(2)
    })

    it.each([
      '',
      '/',
      '/etc/passwd',
      '../out',
      'a/../../out',
      'a//b',
      'a/',
      '.drafts/x',
      'a/.hidden',
      'a\\..\\b',
      'a\0b',
      'ä',
      'x'.repeat(600),
    ])('rejects the key %j', async (key) => {
      const refusedError = { name: 'StoreError', fault: 'refused' }
      await expect(store.put(key, splitIntoPieces(Buffer.from('x')))).rejects.toMatchObject(refusedError)
      await expect(readObject(store, key)).rejects.toMatchObject(refusedError)
      await expect(store.remove(key)).rejects.toMatchObject(refusedError)
    })
  })
}

/** Yields this number of bytes, and then throws. */
export async function* createFailingPieces(size: number): AsyncGenerator<Uint8Array> {
  yield* splitIntoPieces(randomBytes(size))
  throw Object.assign(new Error('the source is gone'), { name: 'SourceError' })
}
