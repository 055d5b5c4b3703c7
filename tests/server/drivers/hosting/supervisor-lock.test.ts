import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readIdentity } from '#server/drivers/hosting/local/process-identity.ts'
import { acquireLock } from '#server/drivers/hosting/local/supervisor/supervisor-lock.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'lock-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const times = { renewMs: 20, watchMs: 150, oldMs: 60_000 }
const files = () => readdirSync(folder).toSorted()
const writeLock = (number: number, holder: object) => {
  const path = join(folder, `supervisor.lock.${number}`)
  writeFileSync(path, JSON.stringify(holder))
  return path
}

it('The supervisor lock is held by one process until it is released', async () => {
  const release = await acquireLock(folder, times)
  expect([release === null, await acquireLock(folder, times), files()]).toEqual([false, null, ['supervisor.lock.1']])
  release?.()
  const secondRelease = await acquireLock(folder, times)
  expect(secondRelease).not.toBeNull()
  secondRelease?.()
  expect(files()).toEqual([])
})

it('The supervisor lock of a killed process is acquired by exactly one contender', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  writeLock(7, readIdentity(child.pid ?? 0) ?? {})
  expect(await acquireLock(folder, times)).toBeNull()
  child.kill('SIGKILL')
  await once(child, 'close')
  const releases = await Promise.all(Array.from({ length: 8 }, () => acquireLock(folder, times)))
  expect(releases.filter((release) => release !== null)).toHaveLength(1)
  expect(files()).toEqual(['supervisor.lock.8'])
  for (const release of releases) release?.()
})

it('The supervisor lock is free if its process id now belongs to another process', async () => {
  const ownIdentity = readIdentity(process.pid)
  writeLock(1, { ...ownIdentity, started: ownIdentity?.started.replace(/^\d+/, '1') })
  const release = await acquireLock(folder, times)
  expect(release).not.toBeNull()
  release?.()
})

it('The supervisor lock of another machine is respected as long as it is renewed', async () => {
  const path = writeLock(3, { pid: 1, started: '1 another-boot pid:[1]' })
  const renewing = setInterval(() => utimesSync(path, new Date(), new Date()), 30)
  expect(await acquireLock(folder, times)).toBeNull()
  clearInterval(renewing)
  const release = await acquireLock(folder, times)
  expect(JSON.parse(readFileSync(join(folder, 'supervisor.lock.4'), 'utf8'))).toEqual(readIdentity(process.pid))
  release?.()
  // An old lock of an earlier boot is taken over without waiting.
  const oldPath = writeLock(5, { pid: 1, started: '1 another-boot pid:[1]' })
  utimesSync(oldPath, new Date(0), new Date(0))
  const startedAt = performance.now()
  const nextRelease = await acquireLock(folder, { ...times, watchMs: 60_000 })
  expect([nextRelease === null, performance.now() - startedAt < 5000]).toEqual([false, true])
  nextRelease?.()
})
