/** Tests that services keep running when the portal ends, and that the next start takes them over. With Ctrl-C they end too. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endHosting, findProcesses, findSupervisors, findTasks, waitUntil } from '#tests/support/hosting/hosting.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

it('The demo services survive a restart of the portal and end with Ctrl-C', async () => {
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
