/** Unpacks the program of the image into a folder and runs it there, without the rest of the repository. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { completeEntries, hashEntries, type ImageEntry, packEntries } from '#demo/sample-image/image-entry.ts'
import { listProgramFiles, programFolder } from '#demo/sample-image/program-files.ts'
import { openContractInstance } from '#tests/support/hosting/contract-instance.ts'
import { packBareApp } from '#tests/support/uploads/packages.ts'

const folder = mkdtempSync(join(tmpdir(), 'sample-image-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const program = join(folder, programFolder, 'demo/sample-instance/main.ts')
const systemEntries: ImageEntry[] = [
  { path: 'tmp', kind: 'folder', mode: 0o1777 },
  { path: 'bin/sh', kind: 'link', target: 'bash' },
  { path: 'bin/health', kind: 'text', mode: 0o755, text: '#!/bin/bash\n' },
]

describe('the image of the sample instance', () => {
  const entries = completeEntries([...systemEntries, ...listProgramFiles('7.8.9')])
  beforeAll(async () => {
    const tar = spawn('tar', ['-x', '-p', '-C', folder], { stdio: ['pipe', 'ignore', 'inherit'] })
    await Promise.all([pipeline(packEntries(entries), tar.stdin), once(tar, 'close')])
  })

  it.each([
    { kind: 'folder', url: null },
    { kind: 'database', url: inject('postgresUrl') ?? null },
  ])('contains all files that the program needs with its data in a $kind', async ({ kind, url }) => {
    const instance = await openContractInstance(url, program)
    try {
      const task = await instance.startTask()
      const info = await (await task.control('GET', '')).json()
      expect(info).toMatchObject({ version: '7.8.9', storage: kind })
      // Packages and drafts are checked by programs of their own.
      const bytes = await packBareApp()
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      expect((await task.control('PUT', `/packages/${sha256}`, bytes)).status).toBe(204)
      const data = await (await task.control('GET', '/data')).text()
      expect((await task.control('POST', '/drafts', data)).status).toBe(201)
      expect((await fetch(`${task.url}/sign-in`)).status).toBe(200)
      expect((await fetch(`${task.url}/style.css`)).status).toBe(200)
    } finally {
      await instance.end()
    }
  })

  it('contains only what the program needs', () => {
    const paths = entries.map(({ path }) => path)
    expect(
      paths.filter((path) => /\.(?:map|d\.ts|test\.ts|env)$|\/tests?\/|server\/db\/|src\/features/.test(path)),
    ).toEqual([])
    expect(paths.filter((path) => path.startsWith(`${programFolder}/`)).length).toBeLessThan(400)
  })

  it('has the modes and links that were given, and the same bytes each time', async () => {
    const readMode = (path: string) => lstatSync(join(folder, path)).mode & 0o7777
    expect([readMode('tmp'), readMode('bin/health'), readMode('app'), readMode('app/package.json')]).toEqual([
      0o1777, 0o755, 0o755, 0o644,
    ])
    expect(readlinkSync(join(folder, 'bin/sh'))).toBe('bash')
    const [first, second] = await Promise.all([buffer(packEntries(entries)), buffer(packEntries(entries))])
    expect(first.equals(second)).toBe(true)
    const hash = await hashEntries(entries)
    expect(await hashEntries(completeEntries([...systemEntries, ...listProgramFiles('7.8.9')]))).toBe(hash)
    expect(await hashEntries(completeEntries([...systemEntries, ...listProgramFiles('7.9.0')]))).not.toBe(hash)
    expect(() => completeEntries([...systemEntries, ...systemEntries])).toThrow(/two files tmp/)
  })
})
