import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeFile } from '#server/http/input/stored-parts.ts'

describe('storeFile', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stored-parts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const buildPart = (file: Readable, isTruncated = false) =>
    ({ filename: 'a.zip', file: Object.assign(file, { truncated: isTruncated }) }) as unknown as MultipartFile

  it('stores the bytes under a generated name', async () => {
    const storedFile = await storeFile(buildPart(Readable.from(['ab', 'c'])), folder)
    expect(storedFile).toMatchObject({ name: 'a.zip', size: 3 })
    expect(readFileSync(storedFile.path, 'utf8')).toBe('abc')
    await storedFile.discard()
    expect(readdirSync(folder)).toEqual([])
  })

  it('throws UNAVAILABLE, not a fault of the request, if the file cannot be written', async () => {
    await expect(storeFile(buildPart(Readable.from(['ab'])), join(folder, 'missing'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  it('throws FILES_FULL if the disk is full', async () => {
    const diskFullError = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
    const file = new Readable({ read: () => file.destroy(diskFullError) })
    await expect(storeFile(buildPart(file), folder)).rejects.toMatchObject({ code: 'FILES_FULL' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('throws the error of a request that is aborted, and removes the file', async () => {
    const file = new Readable({ read: () => file.destroy(new Error('aborted')) })
    await expect(storeFile(buildPart(file), folder)).rejects.toThrow('aborted')
    await expect(storeFile(buildPart(Readable.from(['ab']), true), folder)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(readdirSync(folder)).toEqual([])
  })
})
