/** What every store of archives does, a bucket or a folder. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BackupStore } from '#server/drivers/backup-store/driver.ts'
import { byDay } from '#tests/support/runner/nightly.ts'

export interface StoreUnderTest {
  store: BackupStore
  end: () => Promise<void>
}

export const quiet = () => undefined

export async function* inPieces(data: Uint8Array, size = 300_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size)
}

export const read = async (store: BackupStore, key: string, meter: (bytes: number) => void = quiet) =>
  Buffer.concat(await Array.fromAsync(store.get(key, meter)))

export const keysOf = async (store: BackupStore, prefix: string) =>
  (await Array.fromAsync(store.list(prefix))).map(({ key }) => key)

const mega = 2 ** 20
/** Nothing, exactly one part, one and a byte; by night less than one, and several. */
const sizes = byDay([0, 5 * mega, 5 * mega + 1, 1, 5 * mega - 1, 12 * mega + 7], 3)

export function describeStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name}, as every store,`, () => {
    let the: StoreUnderTest
    let store: BackupStore
    beforeAll(async () => {
      the = await make()
      store = the.store
    })
    afterAll(() => the.end())

    it.each(sizes)('gives back %i bytes as they were, and counts them both ways', async (size) => {
      const data = randomBytes(size)
      let [sent, received] = [0, 0]
      const written = await store.put(`sizes/${size}`, inPieces(data), (bytes) => void (sent += bytes))
      expect(written).toEqual({ bytes: size, sha256: createHash('sha256').update(data).digest('hex') })
      expect((await read(store, `sizes/${size}`, (bytes) => (received += bytes))).equals(data)).toBe(true)
      expect([sent, received]).toEqual([size, size])
    })

    it('has one object under a key: the last one that is whole', async () => {
      await store.put('again/one', inPieces(Buffer.from('first')), quiet)
      await store.put('again/one', inPieces(Buffer.from('second')), quiet)
      expect(String(await read(store, 'again/one'))).toBe('second')
      const broken = store.put('again/one', failing(7 * mega), quiet)
      await expect(broken).rejects.toThrow('the source is gone')
      expect(String(await read(store, 'again/one'))).toBe('second')
      expect(await keysOf(store, 'again/')).toEqual(['again/one'])
    })

    it('leaves nothing of what its source did not give to the end, and hands on its error', async () => {
      for (const size of [10, 6 * mega, 17 * mega])
        await expect(store.put('broken/one', failing(size), quiet)).rejects.toMatchObject({ name: 'SourceError' })
      await expect(read(store, 'broken/one')).rejects.toMatchObject({ fault: 'missing' })
      expect(await keysOf(store, 'broken/')).toEqual([])
      expect(await store.tidy(0)).toBe(0)
    })

    it('stops with the error of its meter, and leaves nothing', async () => {
      const stop = (bytes: number) => {
        if (bytes > 0) throw Object.assign(new Error('not counted'), { name: 'MeterError' })
      }
      for (const size of [10, 11 * mega])
        await expect(store.put('unmetered', inPieces(Buffer.alloc(size)), stop)).rejects.toThrow('not counted')
      expect(await keysOf(store, 'unmetered')).toEqual([])
      await store.put('metered', inPieces(Buffer.alloc(10)), quiet)
      await expect(read(store, 'metered', stop)).rejects.toThrow('not counted')
    })

    it('waits for its meter', async () => {
      let [counting, waited] = [0, 0]
      await store.put('slowly', inPieces(Buffer.alloc(6 * mega)), async () => {
        counting++
        await new Promise((done) => setTimeout(done, 1))
        waited++
      })
      expect(waited).toBe(counting)
    })

    it('lists the keys of a prefix in their order, with sizes and times', async () => {
      const keys = ['list/b/2', 'list/a/1', 'list/b-/3', 'list/a/10', 'list/c']
      for (const key of keys) await store.put(key, inPieces(Buffer.alloc(key.length)), quiet)
      expect(await keysOf(store, 'list/')).toEqual(keys.toSorted())
      expect(await keysOf(store, 'list/a/1')).toEqual(['list/a/1', 'list/a/10'])
      expect(await keysOf(store, 'none/')).toEqual([])
      const [object] = await Array.fromAsync(store.list('list/c'))
      expect(object?.bytes).toBe('list/c'.length)
      expect(Math.abs((object?.modified ?? 0) - Date.now())).toBeLessThan(60_000)
    })

    it('removes an object, again and again', async () => {
      await store.put('gone/one', inPieces(Buffer.from('x')), quiet)
      for (let time = 0; time < 2; time++) await store.remove('gone/one')
      await expect(read(store, 'gone/one')).rejects.toMatchObject({ fault: 'missing' })
      expect(await keysOf(store, 'gone/')).toEqual([])
    })

    it('lets a reader go who has had enough', async () => {
      await store.put('enough', inPieces(Buffer.alloc(6 * mega)), quiet)
      let count = 0
      for await (const _ of store.get('enough', quiet)) if (++count === 2) break
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
    ])('refuses the key %j', async (key) => {
      const refused = { name: 'StoreError', fault: 'refused' }
      await expect(store.put(key, inPieces(Buffer.from('x')), quiet)).rejects.toMatchObject(refused)
      await expect(read(store, key)).rejects.toMatchObject(refused)
      await expect(store.remove(key)).rejects.toMatchObject(refused)
    })
  })
}

/** So many bytes, and then no more. */
export async function* failing(size: number): AsyncGenerator<Uint8Array> {
  yield* inPieces(randomBytes(size))
  throw Object.assign(new Error('the source is gone'), { name: 'SourceError' })
}
