/** Tests of the bucket store over HTTP with the faults of a real bucket. */
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createBucketStore } from '#server/drivers/file-store/s3/store.ts'
import { describeStore, splitIntoPieces, listKeys, readObject } from '#tests/server/drivers/file-store/stores.ts'
import { limitByDay, nightly } from '#tests/support/runner/nightly.ts'
import { type S3Effect, flip, type S3Operation, type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'

const megabyte = 2 ** 20
const options = { partBytes: 5 * megabyte, tries: 3 }

describeStore('a bucket', async () => {
  const server = await startS3({ pageSize: 2 })
  const store = createBucketStore(server.settings(), options)
  return {
    store,
    close: async () => {
      await store.close()
      await server.close()
    },
  }
})

describe('the bucket store under faults', () => {
  let server: S3Server
  let store: FileStore
  const data = randomBytes(12 * megabyte)
  beforeAll(async () => {
    server = await startS3({ pageSize: 2 })
    store = createBucketStore(server.settings(), options)
  })
  beforeEach(() => {
    server.content.objects.clear()
    server.content.uploads.clear()
    server.calls.length = 0
    Object.assign(server.transferred, { in: 0, out: 0 })
  })
  afterAll(async () => {
    await store.close()
    await server.close()
  })
  const isComplete = () => server.content.objects.get('one')?.data.equals(data) === true

  const transientFaults: readonly [S3Operation, S3Effect][] = [
    ['UploadPart', 'busy'],
    ['UploadPart', 'cut'],
    ['UploadPart', 'lose'],
    ['CompleteMultipartUpload', 'lose'],
    ['CreateMultipartUpload', 'busy'],
    ['UploadPart', 'slow'],
    ['CompleteMultipartUpload', 'busy'],
  ]
  it.each(limitByDay(transientFaults, 4))('retries after a transient fault: %s, %s', async (operation, effect) => {
    server.disturb(operation, effect)
    await store.put('one', splitIntoPieces(data))
    expect(isComplete()).toBe(true)
    expect(server.content.uploads.size).toBe(0)
  })

  nightly('counts the bytes of a repeated part twice, and of an interrupted part only the sent bytes', async () => {
    let sentBytes = 0
    server.disturb('UploadPart', 'lose')
    await store.put('one', splitIntoPieces(data), { meter: (bytes) => void (sentBytes += bytes) })
    expect(sentBytes).toBe(17 * megabyte)
    expect(server.transferred.in).toBe(sentBytes)
    server.disturb('UploadPart', 'cut')
    sentBytes = 0
    Object.assign(server.transferred, { in: 0 })
    await store.put('one', splitIntoPieces(data), { meter: (bytes) => void (sentBytes += bytes) })
    expect(sentBytes).toBeGreaterThanOrEqual(server.transferred.in)
    expect(sentBytes).toBeGreaterThan(14 * megabyte)
    expect(sentBytes).toBeLessThanOrEqual(17 * megabyte)
  })

  const permanentFaults: readonly [S3Operation, S3Effect, string][] = [
    ['UploadPart', 'flip', 'damaged'],
    ['UploadPart', 'denied', 'refused'],
    ['UploadPart', 'full', 'no_room'],
    ['CompleteMultipartUpload', 'denied', 'refused'],
    ['UploadPart', 'busy', 'unreachable'],
    ['CreateMultipartUpload', 'busy', 'unreachable'],
    ['UploadPart', 'cut', 'unreachable'],
    ['CompleteMultipartUpload', 'busy', 'unreachable'],
  ]
  it.each(limitByDay(permanentFaults, 5))(
    'leaves nothing behind after a permanent fault: %s, %s',
    async (operation, effect, fault) => {
      server.disturb(operation, effect, Infinity)
      await expect(store.put('one', splitIntoPieces(data))).rejects.toMatchObject({
        name: 'StoreError',
        fault,
      })
      expect(server.content.objects.size).toBe(0)
      expect(server.content.uploads.size).toBe(0)
      server.disturb(operation, effect, 0)
    },
  )

  it('sends no further part after the bucket has finally refused a part', async () => {
    let sentBytes = 0
    server.disturb('UploadPart', 'denied', Infinity)
    const largePieces = splitIntoPieces(Buffer.alloc(60 * megabyte))
    await expect(store.put('one', largePieces, { meter: (bytes) => void (sentBytes += bytes) })).rejects.toMatchObject({
      fault: 'refused',
    })
    server.disturb('UploadPart', 'denied', 0)
    expect(sentBytes).toBeLessThan(25 * megabyte)
  })

  it('continues an interrupted read, and counts each byte once', async () => {
    await store.put('one', splitIntoPieces(data))
    server.disturb('GetObject', 'cut', 3)
    let receivedBytes = 0
    const storedBytes = await readObject(store, 'one', (bytes) => (receivedBytes += bytes))
    expect(storedBytes.equals(data)).toBe(true)
    expect(receivedBytes).toBe(data.length)
    expect(server.transferred.out).toBe(data.length)
    expect(server.calls.filter((call) => call === 'GetObject')).toHaveLength(4)
  })

  it('gives up after several responses without a byte', async () => {
    await store.put('one', splitIntoPieces(Buffer.from('x')))
    server.disturb('GetObject', 'cut', Infinity)
    await expect(readObject(store, 'one')).rejects.toMatchObject({ fault: 'unreachable' })
    server.disturb('GetObject', 'cut', 0)
  })

  it('does not continue a read if the object was replaced meanwhile', async () => {
    await store.put('one', splitIntoPieces(data))
    server.disturb('GetObject', 'cut')
    const iterator = store.get('one')[Symbol.asyncIterator]()
    await iterator.next()
    server.content.put('one', randomBytes(data.length))
    const rest = Array.fromAsync({ [Symbol.asyncIterator]: () => iterator })
    await expect(rest).rejects.toMatchObject({ fault: 'damaged' })
  })

  it('detects a bit that changed in transit or in the bucket', async () => {
    for (const size of [3 * megabyte, 12 * megabyte]) {
      await store.put('one', splitIntoPieces(data.subarray(0, size)))
      server.disturb('GetObject', 'flip')
      await expect(readObject(store, 'one')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
      flip(server.content.get('one').data)
      await expect(readObject(store, 'one')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
    }
  })

  nightly('detects a changed bit also after an interrupted read', async () => {
    await store.put('one', splitIntoPieces(data))
    server.content.get('one').data.writeUInt8(server.content.get('one').data.readUInt8(9 * megabyte) ^ 1, 9 * megabyte)
    server.disturb('GetObject', 'cut')
    await expect(readObject(store, 'one')).rejects.toMatchObject({ fault: 'damaged' })
  })

  it('aborts old uploads, and keeps current uploads', async () => {
    const { content } = server
    const ids = ['a', 'b', 'c', 'd', 'e'].map((key) => content.begin(key))
    for (const id of ids.slice(0, 3)) content.upload(id).initiatedAt = new Date(Date.now() - 3_600_000)
    expect(await store.cleanUp(1_800_000, '')).toBe(3)
    expect([...content.uploads.values()].map(({ key }) => key).toSorted()).toEqual(['d', 'e'])
  })

  it('rejects a wrong key, a wrong bucket and missing credentials', async () => {
    const wrongCredentials = { accessKeyId: 'AKTEST', secretAccessKey: 'another' }
    const otherSettings = [
      { credentials: wrongCredentials },
      { credentials: { ...wrongCredentials, accessKeyId: 'AKNONE' } },
      { bucket: 'none' },
    ]
    for (const settings of otherSettings) {
      const otherStore = createBucketStore(server.settings(settings), options)
      const refusedError = { name: 'StoreError', fault: 'refused' }
      await expect(otherStore.put('one', splitIntoPieces(data))).rejects.toMatchObject(refusedError)
      await expect(listKeys(otherStore, '')).rejects.toMatchObject(refusedError)
      await expect(otherStore.remove('one')).rejects.toMatchObject(refusedError)
      await expect(otherStore.cleanUp(0, '')).rejects.toMatchObject(refusedError)
      await otherStore.close()
    }
  })

  it('reports the fault "unreachable" if no server responds', async () => {
    const unreachableStore = createBucketStore(server.settings({ endpoint: 'http://127.0.0.1:9' }), {
      ...options,
      tries: 2,
    })
    const unreachableError = { name: 'StoreError', fault: 'unreachable' }
    await expect(unreachableStore.put('one', splitIntoPieces(data))).rejects.toMatchObject(unreachableError)
    await expect(readObject(unreachableStore, 'one')).rejects.toMatchObject(unreachableError)
    await unreachableStore.close()
  })
})

describe('the S3 server of the tests', () => {
  it('accepts a chunked body with a trailing checksum, and rejects a wrong checksum', async () => {
    const server = await startS3()
    const { credentials, endpoint, region } = server.settings()
    const client = new S3Client({
      region,
      endpoint: endpoint ?? '',
      forcePathStyle: true,
      ...(credentials === null ? {} : { credentials }),
      maxAttempts: 1,
    })
    const putObject = (Body: Readable, ContentLength: number) =>
      client.send(new PutObjectCommand({ Bucket: 'backups', Key: 'chunked', Body, ContentLength }))
    const data = randomBytes(200_000)
    await putObject(Readable.from(splitIntoPieces(data, 50_000)), data.length)
    expect(server.content.get('chunked').data.equals(data)).toBe(true)
    server.disturb('PutObject', 'flip')
    await expect(putObject(Readable.from(splitIntoPieces(data, 50_000)), data.length)).rejects.toMatchObject({
      name: 'BadDigest',
    })
    client.destroy()
    await server.close()
  })
})
