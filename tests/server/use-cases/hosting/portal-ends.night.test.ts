/** What becomes of running services when the portal ends: they go on, are taken over by the next start, and end with Ctrl-C. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endHosting, processesOf, supervisorsOf, tasksOf, until } from '#tests/support/hosting/hosting.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'

it('a restart of the portal leaves the demo world’s services running; Ctrl-C ends all of it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-'))
  const folder = join(dataDir, 'hosting')
  const env = { HOSTING: 'local', DEMO: '1', DATA_DIR: dataDir, FREE_SPACE_MARK_MB: '1' }
  onTestFinished(async () => {
    await endHosting(folder)
    rmSync(dataDir, { recursive: true, force: true })
  })
  const pids = () => tasksOf(folder).map(({ pid }) => pid)
  await layDataFolder(dataDir)
  const first = startProcess(env)
  await first.ready
  const before = await until('three services', () => (pids().length === 3 ? pids() : null), 60_000)
  expect(await first.kill('SIGTERM')).toBe(0)
  expect(pids()).toEqual(before)

  const second = startProcess(env)
  await second.ready
  expect(supervisorsOf(folder)).toHaveLength(1)
  expect(pids()).toEqual(before)
  expect(await second.kill('SIGINT')).toBe(0)
  expect(processesOf(folder)).toEqual([])
}, 240_000)
