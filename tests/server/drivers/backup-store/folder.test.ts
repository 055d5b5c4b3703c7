/** The folder in place of a bucket: what the disk does to it. */
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderStore } from '#server/drivers/backup-store/folder-store.ts'
import { describeStore, inPieces, keysOf, quiet, read } from '#tests/server/drivers/backup-store/stores.ts'

const hasRoom = async () => true

describeStore('the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-store-'))
  const store = folderStore({ folder: join(folder, 'new', 'backups'), hasRoom })
  return { store, end: () => rm(folder, { recursive: true }) }
})

describe('the folder of backups', () => {
  let outside: string
  let folder: string
  beforeAll(() => {
    outside = mkdtempSync(join(tmpdir(), 'portal-store-'))
    folder = join(outside, 'backups')
  })
  afterAll(() => rm(outside, { recursive: true }))

  it('is for its owner alone', async () => {
    const store = folderStore({ folder, hasRoom })
    await store.put('shop/1', inPieces(Buffer.from('x')), quiet)
    for (const path of ['.', 'shop', '.drafts', 'shop/1'])
      expect((await stat(join(folder, path))).mode & 0o077, path).toBe(0)
  })

  it('is not left over a link, whoever made it', async () => {
    const store = folderStore({ folder, hasRoom })
    await mkdir(join(outside, 'elsewhere'))
    await writeFile(join(outside, 'elsewhere', 'secret'), 'not ours')
    await symlink(join(outside, 'elsewhere'), join(folder, 'link'))
    await symlink(join(outside, 'elsewhere', 'secret'), join(folder, 'file'))
    const refused = { name: 'StoreError', fault: 'refused' }
    for (const key of ['link/secret', 'link/deeper/new', 'file']) await expect(read(store, key)).rejects.toThrow()
    await expect(store.put('link/new', inPieces(Buffer.from('x')), quiet)).rejects.toMatchObject(refused)
    await expect(store.put('link/deeper/new', inPieces(Buffer.from('x')), quiet)).rejects.toMatchObject(refused)
    await expect(read(store, 'link/secret')).rejects.toMatchObject(refused)
    await expect(read(store, 'file')).rejects.toMatchObject(refused)
    await expect(store.remove('link/secret')).rejects.toMatchObject(refused)
    expect(await keysOf(store, '')).toEqual(['shop/1'])
    expect(await readdir(join(outside, 'elsewhere'))).toEqual(['secret'])
    await rm(join(folder, 'link'))
    await rm(join(folder, 'file'))
  })

  it('stops before the disk is full, also in the middle, and leaves nothing', async () => {
    let looks = 0
    const store = folderStore({ folder, hasRoom: async () => ++looks < 3 })
    const large = store.put('large', inPieces(Buffer.alloc(60 * 2 ** 20)), quiet)
    await expect(large).rejects.toMatchObject({ name: 'StoreError', fault: 'no_room' })
    expect(looks).toBe(3)
    expect(await readdir(join(folder, '.drafts'))).toEqual([])
    await expect(store.put('small', inPieces(Buffer.from('x')), quiet)).rejects.toMatchObject({ fault: 'no_room' })
    expect(await keysOf(store, '')).toEqual(['shop/1'])
  })

  it('loses what a killed portal had begun, once it is old', async () => {
    const store = folderStore({ folder, hasRoom })
    const [old, fresh] = ['old', 'fresh'].map((name) => join(folder, '.drafts', name))
    for (const path of [old, fresh]) await writeFile(path ?? '', 'half')
    const hourAgo = (Date.now() - 3_600_000) / 1000
    await utimes(old ?? '', hourAgo, hourAgo)
    expect(await store.tidy(1_800_000)).toBe(1)
    expect(await readdir(join(folder, '.drafts'))).toEqual(['fresh'])
    expect(await keysOf(store, '')).toEqual(['shop/1'])
  })

  it('says so where it cannot be', async () => {
    await writeFile(join(outside, 'file'), '')
    const store = folderStore({ folder: join(outside, 'file', 'backups'), hasRoom })
    const put = store.put('one', inPieces(Buffer.from('x')), quiet)
    await expect(put).rejects.toMatchObject({ name: 'StoreError', fault: 'refused' })
  })
})
