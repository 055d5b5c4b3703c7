/** What becomes of running services when the portal ends: they go on, are taken over by the next start, and end with Ctrl-C. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endHosting, findProcesses, findSupervisors, findTasks, waitUntil } from '#tests/support/hosting/hosting.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

it('a restart of the portal leaves the demo world’s services running; Ctrl-C ends all of it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-'))
  const folder = join(dataDir, 'hosting')
  const env = { HOSTING: 'local', DEMO: '1', DATA_DIR: dataDir, FREE_SPACE_MARK_MB: '1' }
  onTestFinished(async () => {
    await endHosting(folder)
    rmSync(dataDir, { recursive: true, force: true })
  })
  const listPids = () => findTasks(folder).map(({ pid }) => pid)
  await createDataFolder(dataDir)
  const firstPortal = startProcess(env)
  await firstPortal.ready
  const pidsBefore = await waitUntil('three services', () => (listPids().length === 3 ? listPids() : null), 60_000)
  expect(await firstPortal.kill('SIGTERM')).toBe(0)
  expect(listPids()).toEqual(pidsBefore)

  const secondPortal = startProcess(env)
  await secondPortal.ready
  expect(findSupervisors(folder)).toHaveLength(1)
  expect(listPids()).toEqual(pidsBefore)
  expect(await secondPortal.kill('SIGINT')).toBe(0)
  expect(findProcesses(folder)).toEqual([])
}, 240_000)
