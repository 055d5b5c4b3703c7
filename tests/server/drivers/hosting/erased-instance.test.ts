/** Tests that nothing of an instance is written after it was erased. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { getInstancesFolder } from '#server/drivers/hosting/local/instances/files.ts'
import { InstanceRegistry } from '#server/drivers/hosting/local/instances/instances.ts'
import { sampleProgram } from '#tests/support/hosting/hosting.ts'

const folder = mkdtempSync(join(tmpdir(), 'erased-instance-'))
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

it('An erased instance leaves no folder, also if lines of its log are still counted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const registry = new InstanceRegistry({
    folder,
    program: sampleProgram,
    memoryMb: 0,
    users: null,
    times: {},
    getAddress: () => ({ url: '', adminUrl: '' }),
    onChange: () => undefined,
  })
  const instance = registry.get({ serviceId: 1, code: 'alpha1' })
  await instance.prepare({ name: 'Alpha', config: { memoryMb: 0, tasks: 0 } }, { fence: 1 })
  // The third and fourth start write the same line, so its repetition is written later.
  for (const fence of [1, 2, 3, 4]) await instance.start({ fresh: true }, { fence })
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  await instance.erase({ fence: 5 })
  vi.advanceTimersByTime(60_000)
  expect(existsSync(getInstancesFolder(folder))).toBe(true)
  expect(readdirSync(getInstancesFolder(folder))).toEqual([])
})
