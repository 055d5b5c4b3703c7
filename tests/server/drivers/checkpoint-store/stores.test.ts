/**
 * Tests the checkpoint store as a file and as an S3 object: a stored document is always complete, and a writer can replace only the version
 * that it has read.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { createFileStore } from '#server/drivers/checkpoint-store/file-store.ts'
import { createS3Store } from '#server/drivers/checkpoint-store/s3-store.ts'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'

const key = 'portal/audit-checkpoints.json'
let folder: string
let bucket: S3Server
beforeAll(async () => {
  bucket = await startS3()
})
afterAll(() => bucket.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-store-'))
})
afterEach(async () => {
  bucket.content.objects.clear()
  await rm(folder, { recursive: true, force: true })
})

const file = () => join(folder, 'deep', 'checkpoints.json')
const kinds: [string, () => CheckpointStore][] = [
  ['a file', () => createFileStore(file())],
  ['an object', () => createS3Store(bucket.settings(), key)],
]

describe.each(kinds)('the checkpoint store as %s', (_, openStore) => {
  it('is empty at first, and can be replaced only by a writer that has read the current version (fault 13d)', async () => {
    const [firstStore, secondStore] = [openStore(), openStore()]
    expect(await firstStore.read()).toBeNull()
    expect(await firstStore.replace('first 一', null)).toBe(true)
    expect(await secondStore.replace('a second first', null)).toBe(false)
    const storedDocument = await secondStore.read()
    expect(storedDocument?.text).toBe('first 一')
    expect(await secondStore.replace('second', storedDocument?.version ?? '')).toBe(true)
    expect(await firstStore.replace('late', storedDocument?.version ?? '')).toBe(false)
    expect((await firstStore.read())?.text).toBe('second')
    await Promise.all([firstStore.close(), secondStore.close()])
  })

  it('loses no concurrent write (fault 13d)', async () => {
    const stores = Array.from({ length: 6 }, openStore)
    async function addLine(store: CheckpointStore, line: string): Promise<void> {
      for (;;) {
        const document = await store.read()
        if (await store.replace(`${document?.text ?? ''}${line}\n`, document?.version ?? null)) return
      }
    }
    await Promise.all(stores.map((store, index) => addLine(store, `line ${index}`)))
    const lines = (await stores[0]?.read())?.text.trimEnd().split('\n')
    expect(lines?.toSorted()).toEqual(stores.map((_store, index) => `line ${index}`))
    await Promise.all(stores.map((store) => store.close()))
  })
})

describe('the checkpoint file', () => {
  it('leaves no temporary files, and takes over the lock of a killed process (fault 13d)', async () => {
    const store = createFileStore(file())
    await store.replace('first', null)
    await writeFile(`${file()}.lock`, 'somebody')
    const minuteAgo = new Date(Date.now() - 60_000)
    await utimes(`${file()}.lock`, minuteAgo, minuteAgo)
    expect(await store.replace('second', (await store.read())?.version ?? '')).toBe(true)
    expect(await readdir(join(folder, 'deep'))).toEqual(['checkpoints.json'])
    expect(await readFile(file(), 'utf8')).toBe('second')
  })

  it('is reported as refused if its path is a folder (fault 13d)', async () => {
    await mkdir(file(), { recursive: true })
    await expect(createFileStore(file()).read()).rejects.toMatchObject({ name: 'StoreError', fault: 'refused' })
  })
})

describe('the checkpoint object', () => {
  it('throws if the bucket is unreachable or refuses, and returns false if the response was lost (fault 13d)', async () => {
    const closedServer = await startS3()
    await closedServer.close()
    const unreachableStore = createS3Store(bucket.settings({ endpoint: closedServer.url }), key)
    await expect(unreachableStore.read()).rejects.toMatchObject({ name: 'StoreError', fault: 'unreachable' })
    await unreachableStore.close()
    const store = createS3Store(bucket.settings(), key)
    bucket.disturb('GetObject', 'denied')
    await expect(store.read()).rejects.toMatchObject({ fault: 'refused' })
    // The first request succeeded but its response was lost. The retry finds the new version and returns false. A caller that reads again
    // sees its own text.
    bucket.disturb('PutObject', 'lose')
    expect(await store.replace('first', null)).toBe(false)
    expect((await store.read())?.text).toBe('first')
    await store.close()
  })
})
