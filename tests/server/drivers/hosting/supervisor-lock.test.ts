/** Who may supervise a folder: one, whoever held it before, and wherever that one was. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { identityOf } from '#server/drivers/hosting/local/process-identity.ts'
import { takeLock } from '#server/drivers/hosting/local/supervisor/lock.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'lock-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const times = { renewMs: 20, watchMs: 150, oldMs: 60_000 }
const files = () => readdirSync(folder).toSorted()
const write = (number: number, holder: object) => {
  const path = join(folder, `supervisor.lock.${number}`)
  writeFileSync(path, JSON.stringify(holder))
  return path
}

it('is held by one until that one lets go', async () => {
  const release = await takeLock(folder, times)
  expect([release === null, await takeLock(folder, times), files()]).toEqual([false, null, ['supervisor.lock.1']])
  release?.()
  const again = await takeLock(folder, times)
  expect(again).not.toBeNull()
  again?.()
  expect(files()).toEqual([])
})

it('passes from a process that was killed to one of many that want it', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  write(7, identityOf(child.pid ?? 0) ?? {})
  expect(await takeLock(folder, times)).toBeNull()
  child.kill('SIGKILL')
  await once(child, 'close')
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeLock(folder, times)))
  expect(taken.filter((release) => release !== null)).toHaveLength(1)
  expect(files()).toEqual(['supervisor.lock.8'])
  for (const release of taken) release?.()
})

it('is not taken for that of a process which has the same number by now', async () => {
  const own = identityOf(process.pid)
  write(1, { ...own, started: own?.started.replace(/^\d+/, '1') })
  const release = await takeLock(folder, times)
  expect(release).not.toBeNull()
  release?.()
})

it('is left to a holder of another machine as long as that one renews it', async () => {
  const path = write(3, { pid: 1, started: '1 another-boot pid:[1]' })
  const renewing = setInterval(() => utimesSync(path, new Date(), new Date()), 30)
  expect(await takeLock(folder, times)).toBeNull()
  clearInterval(renewing)
  const release = await takeLock(folder, times)
  expect(JSON.parse(readFileSync(join(folder, 'supervisor.lock.4'), 'utf8'))).toEqual(identityOf(process.pid))
  release?.()
  // After a boot nobody waits for what is long over.
  const old = write(5, { pid: 1, started: '1 another-boot pid:[1]' })
  utimesSync(old, new Date(0), new Date(0))
  const from = performance.now()
  const next = await takeLock(folder, { ...times, watchMs: 60_000 })
  expect([next === null, performance.now() - from < 5000]).toEqual([false, true])
  next?.()
})
