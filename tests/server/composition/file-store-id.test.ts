import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFolderId } from '#server/composition/file-store-id.ts'
import { StartProblem } from '#server/config/config.ts'

let parent = ''
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'portal-store-id-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

describe('the id of a folder of files', () => {
  test('is the same for all nodes that start at the same time, by any path', async () => {
    const folder = join(parent, 'shared', 'files')
    const ids = await Promise.all(Array.from({ length: 8 }, () => readFolderId(folder)))
    expect(new Set(ids).size).toBe(1)
    await symlink(folder, join(parent, 'mounted'))
    expect(await readFolderId(join(parent, 'mounted'))).toBe(ids[0])
    expect(await readFile(join(folder, '.store-id'), 'utf8')).toBe(ids[0])
  })

  test('differs between folders', async () => {
    expect(await readFolderId(join(parent, 'one'))).not.toBe(await readFolderId(join(parent, 'two')))
  })

  test('is read again if another node is just writing it', async () => {
    const folder = join(parent, 'slow')
    const id = await readFolderId(folder)
    await writeFile(join(folder, '.store-id'), '')
    const idPromise = readFolderId(folder)
    await writeFile(join(folder, '.store-id'), id)
    expect(await idPromise).toBe(id)
  })

  test('cannot be read in a folder that cannot be created, or if it is damaged', async () => {
    await writeFile(join(parent, 'file'), '')
    await expect(readFolderId(join(parent, 'file'))).rejects.toThrow(StartProblem)
    await expect(readFolderId(join(parent, 'file', 'below'))).rejects.toThrow(
      /^The file \S+ in FILES_DIR cannot be read or written \(ENOTDIR\): set FILES_DIR to [^\n]*\.$/,
    )
    const folder = join(parent, 'damaged')
    await readFolderId(folder)
    await writeFile(join(folder, '.store-id'), 'x'.repeat(36))
    await expect(readFolderId(folder)).rejects.toThrow(/is damaged: stop all nodes and delete it\.$/)
  })
})
