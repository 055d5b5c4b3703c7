/** Tests of the folder store that depend on the file system. */
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'
import { describeStore, splitIntoPieces, listKeys, readObject } from '#tests/server/drivers/file-store/stores.ts'

const hasRoom = async () => true

describeStore('a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-store-'))
  const store = createFolderStore({ folder: join(folder, 'new', 'backups'), hasRoom })
  return { store, close: () => rm(folder, { recursive: true }) }
})

describe('the folder store', () => {
  let outsideDir: string
  let folder: string
  beforeAll(() => {
    outsideDir = mkdtempSync(join(tmpdir(), 'portal-store-'))
    folder = join(outsideDir, 'backups')
  })
  afterAll(() => rm(outsideDir, { recursive: true }))

  it('is accessible only to its owner', async () => {
    const store = createFolderStore({ folder, hasRoom })
    await store.put('shop/1', splitIntoPieces(Buffer.from('x')))
    for (const path of ['.', 'shop', '.drafts', 'shop/1'])
      expect((await stat(join(folder, path))).mode & 0o077, path).toBe(0)
  })

  it('does not follow links', async () => {
    const store = createFolderStore({ folder, hasRoom })
    await mkdir(join(outsideDir, 'elsewhere'))
    await writeFile(join(outsideDir, 'elsewhere', 'secret'), 'not ours')
    await symlink(join(outsideDir, 'elsewhere'), join(folder, 'link'))
    await symlink(join(outsideDir, 'elsewhere', 'secret'), join(folder, 'file'))
    const refusedError = { name: 'StoreError', fault: 'refused' }
    for (const key of ['link/secret', 'link/deeper/new', 'file']) await expect(readObject(store, key)).rejects.toThrow()
    await expect(store.put('link/new', splitIntoPieces(Buffer.from('x')))).rejects.toMatchObject(refusedError)
    await expect(store.put('link/deeper/new', splitIntoPieces(Buffer.from('x')))).rejects.toMatchObject(refusedError)
    await expect(readObject(store, 'link/secret')).rejects.toMatchObject(refusedError)
    await expect(readObject(store, 'file')).rejects.toMatchObject(refusedError)
    await expect(store.remove('link/secret')).rejects.toMatchObject(refusedError)
    expect(await listKeys(store, '')).toEqual(['shop/1'])
    expect(await readdir(join(outsideDir, 'elsewhere'))).toEqual(['secret'])
    await rm(join(folder, 'link'))
    await rm(join(folder, 'file'))
  })

  it('stops before the disk is full, even in the middle of an object, and leaves nothing behind', async () => {
    let checkCount = 0
    const store = createFolderStore({ folder, hasRoom: async () => ++checkCount < 3 })
    const largeWrite = store.put('large', splitIntoPieces(Buffer.alloc(60 * 2 ** 20)))
    await expect(largeWrite).rejects.toMatchObject({ name: 'StoreError', fault: 'no_room' })
    expect(checkCount).toBe(3)
    expect(await readdir(join(folder, '.drafts'))).toEqual([])
    await expect(store.put('small', splitIntoPieces(Buffer.from('x')))).rejects.toMatchObject({
      fault: 'no_room',
    })
    expect(await listKeys(store, '')).toEqual(['shop/1'])
  })

  it('removes old drafts of a killed portal', async () => {
    const store = createFolderStore({ folder, hasRoom })
    const [oldPath, newPath] = ['old', 'fresh'].map((name) => join(folder, '.drafts', name))
    for (const path of [oldPath, newPath]) await writeFile(path ?? '', 'half')
    const hourAgoSeconds = (Date.now() - 3_600_000) / 1000
    await utimes(oldPath ?? '', hourAgoSeconds, hourAgoSeconds)
    expect(await store.cleanUp(1_800_000, '')).toBe(1)
    expect(await readdir(join(folder, '.drafts'))).toEqual(['fresh'])
    expect(await listKeys(store, '')).toEqual(['shop/1'])
  })

  it('reports the fault "refused" if its folder cannot be created', async () => {
    await writeFile(join(outsideDir, 'file'), '')
    const store = createFolderStore({ folder: join(outsideDir, 'file', 'backups'), hasRoom })
    const write = store.put('one', splitIntoPieces(Buffer.from('x')))
    await expect(write).rejects.toMatchObject({ name: 'StoreError', fault: 'refused' })
  })
})
