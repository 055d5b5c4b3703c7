/** The store of checkpoints, as a file and as an object of a bucket: what is there is whole, and nobody overwrites what they have not read. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import { openFileStore } from '#server/drivers/checkpoint-store/file-store.ts'
import { openS3Store } from '#server/drivers/checkpoint-store/s3-store.ts'
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
  ['a file', () => openFileStore(file())],
  ['an object', () => openS3Store(bucket.settings(), key)],
]

describe.each(kinds)('the store as %s', (_, open) => {
  it('fault 13d is empty, then holds what was written, and is only replaced by whoever has read that', async () => {
    const [one, other] = [open(), open()]
    expect(await one.read()).toBeNull()
    expect(await one.replace('first 一', null)).toBe(true)
    expect(await other.replace('a second first', null)).toBe(false)
    const read = await other.read()
    expect(read?.text).toBe('first 一')
    expect(await other.replace('second', read?.version ?? '')).toBe(true)
    expect(await one.replace('late', read?.version ?? '')).toBe(false)
    expect((await one.read())?.text).toBe('second')
    await Promise.all([one.close(), other.close()])
  })

  it('fault 13d of many that write at once none is lost', async () => {
    const stores = Array.from({ length: 6 }, open)
    async function addLine(store: CheckpointStore, line: string): Promise<void> {
      for (;;) {
        const document = await store.read()
        if (await store.replace(`${document?.text ?? ''}${line}\n`, document?.version ?? null)) return
      }
    }
    await Promise.all(stores.map((store, at) => addLine(store, `line ${at}`)))
    const lines = (await stores[0]?.read())?.text.trimEnd().split('\n')
    expect(lines?.toSorted()).toEqual(stores.map((_store, at) => `line ${at}`))
    await Promise.all(stores.map((store) => store.close()))
  })
})

describe('the file', () => {
  it('fault 13d leaves nothing beside it, and goes on over the lock of a process that was killed', async () => {
    const store = openFileStore(file())
    await store.replace('first', null)
    await writeFile(`${file()}.lock`, 'somebody')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(`${file()}.lock`, longAgo, longAgo)
    expect(await store.replace('second', (await store.read())?.version ?? '')).toBe(true)
    expect(await readdir(join(folder, 'deep'))).toEqual(['checkpoints.json'])
    expect(await readFile(file(), 'utf8')).toBe('second')
  })

  it('fault 13d that cannot be one is said to be refused', async () => {
    await mkdir(file(), { recursive: true })
    await expect(openFileStore(file()).read()).rejects.toMatchObject({ name: 'StoreError', fault: 'refused' })
  })
})

describe('the object', () => {
  it('fault 13d whose bucket cannot be reached, refuses or lost its answer', async () => {
    const closed = await startS3()
    await closed.close()
    const nowhere = openS3Store(bucket.settings({ endpoint: closed.url }), key)
    await expect(nowhere.read()).rejects.toMatchObject({ name: 'StoreError', fault: 'unreachable' })
    await nowhere.close()
    const store = openS3Store(bucket.settings(), key)
    bucket.disturb('GetObject', 'denied')
    await expect(store.read()).rejects.toMatchObject({ fault: 'refused' })
    // It is done, and the second try meets what the first one wrote: whoever reads again sees that.
    bucket.disturb('PutObject', 'lose')
    expect(await store.replace('first', null)).toBe(false)
    expect((await store.read())?.text).toBe('first')
    await store.close()
  })
})
