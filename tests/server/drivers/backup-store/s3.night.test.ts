/** The bucket: what a real one does to us, over HTTP. */
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BackupStore } from '#server/drivers/backup-store/driver.ts'
import { bucketStore } from '#server/drivers/backup-store/s3/store.ts'
import { describeStore, inPieces, keysOf, quiet, read } from '#tests/server/drivers/backup-store/stores.ts'
import { byDay, nightly } from '#tests/support/runner/nightly.ts'
import { type Effect, flip, type Operation, type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'

const mega = 2 ** 20
const options = { partBytes: 5 * mega, tries: 3 }

describeStore('the bucket', async () => {
  const server = await startS3({ pageSize: 2 })
  const store = bucketStore(server.settings(), options)
  return {
    store,
    end: async () => {
      await store.close()
      await server.close()
    },
  }
})

describe('a bucket that fails', () => {
  let server: S3Server
  let store: BackupStore
  const data = randomBytes(12 * mega)
  beforeAll(async () => {
    server = await startS3({ pageSize: 2 })
    store = bucketStore(server.settings(), options)
  })
  beforeEach(() => {
    server.content.objects.clear()
    server.content.uploads.clear()
    server.calls.length = 0
    Object.assign(server.moved, { in: 0, out: 0 })
  })
  afterAll(async () => {
    await store.close()
    await server.close()
  })
  const isWhole = () => server.content.objects.get('one')?.data.equals(data) === true

  const passing: readonly [Operation, Effect][] = [
    ['UploadPart', 'busy'],
    ['UploadPart', 'cut'],
    ['UploadPart', 'lose'],
    ['CompleteMultipartUpload', 'lose'],
    ['CreateMultipartUpload', 'busy'],
    ['UploadPart', 'slow'],
    ['CompleteMultipartUpload', 'busy'],
  ]
  it.each(byDay(passing, 4))('is asked again: %s, %s', async (operation, effect) => {
    server.disturb(operation, effect)
    await store.put('one', inPieces(data), quiet)
    expect(isWhole()).toBe(true)
    expect(server.content.uploads.size).toBe(0)
  })

  nightly('counts a part again that went over the line again, and half of one that was cut in the middle', async () => {
    let sent = 0
    server.disturb('UploadPart', 'lose')
    await store.put('one', inPieces(data), (bytes) => void (sent += bytes))
    expect(sent).toBe(17 * mega)
    expect(server.moved.in).toBe(sent)
    server.disturb('UploadPart', 'cut')
    sent = 0
    Object.assign(server.moved, { in: 0 })
    await store.put('one', inPieces(data), (bytes) => void (sent += bytes))
    expect(sent).toBeGreaterThanOrEqual(server.moved.in)
    expect(sent).toBeGreaterThan(14 * mega)
    expect(sent).toBeLessThanOrEqual(17 * mega)
  })

  const lasting: readonly [Operation, Effect, string][] = [
    ['UploadPart', 'flip', 'damaged'],
    ['UploadPart', 'denied', 'refused'],
    ['UploadPart', 'full', 'no_room'],
    ['CompleteMultipartUpload', 'denied', 'refused'],
    ['UploadPart', 'busy', 'unreachable'],
    ['CreateMultipartUpload', 'busy', 'unreachable'],
    ['UploadPart', 'cut', 'unreachable'],
    ['CompleteMultipartUpload', 'busy', 'unreachable'],
  ]
  it.each(byDay(lasting, 5))('leaves nothing where it does not stop: %s, %s', async (operation, effect, fault) => {
    server.disturb(operation, effect, Infinity)
    await expect(store.put('one', inPieces(data), quiet)).rejects.toMatchObject({ name: 'StoreError', fault })
    expect(server.content.objects.size).toBe(0)
    expect(server.content.uploads.size).toBe(0)
    server.disturb(operation, effect, 0)
  })

  it('is sent no further part once one was refused for good', async () => {
    let sent = 0
    server.disturb('UploadPart', 'denied', Infinity)
    const large = inPieces(Buffer.alloc(60 * mega))
    await expect(store.put('one', large, (bytes) => void (sent += bytes))).rejects.toMatchObject({ fault: 'refused' })
    server.disturb('UploadPart', 'denied', 0)
    expect(sent).toBeLessThan(25 * mega)
  })

  it('is read on from where the line was cut, and each byte counts once', async () => {
    await store.put('one', inPieces(data), quiet)
    server.disturb('GetObject', 'cut', 3)
    let received = 0
    const back = await read(store, 'one', (bytes) => (received += bytes))
    expect(back.equals(data)).toBe(true)
    expect(received).toBe(data.length)
    expect(server.moved.out).toBe(data.length)
    expect(server.calls.filter((call) => call === 'GetObject')).toHaveLength(4)
  })

  it('is not asked for ever: each answer without a byte is a try', async () => {
    await store.put('one', inPieces(Buffer.from('x')), quiet)
    server.disturb('GetObject', 'cut', Infinity)
    await expect(read(store, 'one')).rejects.toMatchObject({ fault: 'unreachable' })
    server.disturb('GetObject', 'cut', 0)
  })

  it('does not go on in another object that took the place of the one that is read', async () => {
    await store.put('one', inPieces(data), quiet)
    server.disturb('GetObject', 'cut')
    const reading = store.get('one', quiet)[Symbol.asyncIterator]()
    await reading.next()
    server.content.put('one', randomBytes(data.length))
    const rest = Array.fromAsync({ [Symbol.asyncIterator]: () => reading })
    await expect(rest).rejects.toMatchObject({ fault: 'damaged' })
  })

  it('is found out where a bit went over on the line, or lies otherwise than it was sent', async () => {
    for (const size of [3 * mega, 12 * mega]) {
      await store.put('one', inPieces(data.subarray(0, size)), quiet)
      server.disturb('GetObject', 'flip')
      await expect(read(store, 'one')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
      flip(server.content.get('one').data)
      await expect(read(store, 'one')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
    }
  })

  nightly('is found out after the line was cut, too', async () => {
    await store.put('one', inPieces(data), quiet)
    server.content.get('one').data.writeUInt8(server.content.get('one').data.readUInt8(9 * mega) ^ 1, 9 * mega)
    server.disturb('GetObject', 'cut')
    await expect(read(store, 'one')).rejects.toMatchObject({ fault: 'damaged' })
  })

  it('has its old uploads ended, and keeps those that go on', async () => {
    const { content } = server
    const ids = ['a', 'b', 'c', 'd', 'e'].map((key) => content.begin(key))
    for (const id of ids.slice(0, 3)) content.upload(id).initiated = new Date(Date.now() - 3_600_000)
    expect(await store.tidy(1_800_000)).toBe(3)
    expect([...content.uploads.values()].map(({ key }) => key).toSorted()).toEqual(['d', 'e'])
  })

  it('refuses a wrong key, a wrong bucket and a stranger', async () => {
    const wrong = { accessKeyId: 'AKTEST', secretAccessKey: 'another' }
    const others = [{ credentials: wrong }, { credentials: { ...wrong, accessKeyId: 'AKNONE' } }, { bucket: 'none' }]
    for (const other of others) {
      const stranger = bucketStore(server.settings(other), options)
      const refused = { name: 'StoreError', fault: 'refused' }
      await expect(stranger.put('one', inPieces(data), quiet)).rejects.toMatchObject(refused)
      await expect(keysOf(stranger, '')).rejects.toMatchObject(refused)
      await expect(stranger.remove('one')).rejects.toMatchObject(refused)
      await expect(stranger.tidy(0)).rejects.toMatchObject(refused)
      await stranger.close()
    }
  })

  it('may be where nobody answers', async () => {
    const nobody = bucketStore(server.settings({ endpoint: 'http://127.0.0.1:9' }), { ...options, tries: 2 })
    const unreachable = { name: 'StoreError', fault: 'unreachable' }
    await expect(nobody.put('one', inPieces(data), quiet)).rejects.toMatchObject(unreachable)
    await expect(read(nobody, 'one')).rejects.toMatchObject(unreachable)
    await nobody.close()
  })
})

describe('the bucket of the tests', () => {
  it('takes a body in chunks whose checksum stands behind it, and refuses one that does not fit', async () => {
    const server = await startS3()
    const { credentials, endpoint, region } = server.settings()
    const client = new S3Client({
      region,
      endpoint: endpoint ?? '',
      forcePathStyle: true,
      ...(credentials === null ? {} : { credentials }),
      maxAttempts: 1,
    })
    const put = (Body: Readable, ContentLength: number) =>
      client.send(new PutObjectCommand({ Bucket: 'backups', Key: 'chunked', Body, ContentLength }))
    const data = randomBytes(200_000)
    await put(Readable.from(inPieces(data, 50_000)), data.length)
    expect(server.content.get('chunked').data.equals(data)).toBe(true)
    server.disturb('PutObject', 'flip')
    await expect(put(Readable.from(inPieces(data, 50_000)), data.length)).rejects.toMatchObject({ name: 'BadDigest' })
    client.destroy()
    await server.close()
  })
})
