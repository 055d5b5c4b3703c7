/** Tests of the bucket store that are fast enough for every run: conditions, prefixes and faults. `s3.night.test.ts` has the other ones. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { requireConditionalWrites } from '#server/drivers/file-store/conditional-writes.ts'
import { hashBody, readObject, toBody } from '#server/drivers/file-store/bodies.ts'
import { createBucketStore } from '#server/drivers/file-store/s3/store.ts'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'
import { listKeys } from '#tests/server/drivers/file-store/stores.ts'

describe('the bucket store', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3({ pageSize: 2 })
  })
  afterEach(() => {
    server.content.objects.clear()
    server.content.uploads.clear()
  })
  afterAll(() => server.close())
  const openStore = (prefix = '') => createBucketStore(server.settings(), { prefix, tries: 2 })

  it('separates installations by their prefixes', async () => {
    const [first, second, outer] = [openStore('one/'), openStore('two/'), openStore()]
    for (const store of [first, second])
      expect(await store.put('packages/x', toBody(store === first ? '1' : '2'), { onlyIfAbsent: true })).toMatchObject({
        isWritten: true,
      })
    expect([String(await readObject(first, 'packages/x')), String(await readObject(second, 'packages/x'))]).toEqual([
      '1',
      '2',
    ])
    expect([await listKeys(first, ''), await listKeys(first, 'packages/'), await listKeys(outer, '')]).toEqual([
      ['packages/x'],
      ['packages/x'],
      ['one/packages/x', 'two/packages/x'],
    ])
    server.content.begin('two/packages/y')
    server.content.begin('one/packages/y')
    expect([await first.cleanUp(-1, 'uploads/'), await first.cleanUp(-1, 'packages/')]).toEqual([0, 1])
    expect([...server.content.uploads.values()].map(({ key }) => key)).toEqual(['two/packages/y'])
    await first.remove('packages/x')
    expect(await listKeys(outer, '')).toEqual(['two/packages/x'])
  })

  it('continues an interrupted download of a part', async () => {
    const store = openStore()
    const data = Buffer.from('0123456789'.repeat(40_000))
    await store.put('one', toBody(data))
    server.disturb('GetObject', 'cut', 2)
    const range = { start: 5, length: 300_000 }
    expect(await hashBody(store.get('one', { range }))).toBe(await hashBody(toBody(data.subarray(5, 300_005))))
  })

  it('accepts a bucket with conditional writes after one check, and leaves nothing of it', async () => {
    const store = requireConditionalWrites(openStore())
    server.disturb('PutObject', 'busy', 2)
    await expect(store.put('one', toBody('x'))).rejects.toMatchObject({ fault: 'unreachable' })
    await store.put('one', toBody('x'))
    server.calls.length = 0
    await store.put('two', toBody('x'))
    expect(server.calls).toEqual(['PutObject'])
    expect(await listKeys(store, '')).toEqual(['one', 'two'])
  })
})

it('writes nothing to a bucket that ignores conditions', async () => {
  const server = await startS3({ hasConditions: false })
  try {
    const store = requireConditionalWrites(createBucketStore(server.settings()))
    for (let time = 0; time < 2; time++)
      await expect(store.put('one', toBody('x'))).rejects.toMatchObject({
        fault: 'refused',
        message: expect.stringContaining('conditional writes'),
      })
    expect(server.content.objects.size).toBe(0)
  } finally {
    await server.close()
  }
})
