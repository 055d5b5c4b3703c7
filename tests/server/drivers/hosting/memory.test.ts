/** Tests the memory of services: the driver never promises more than the machine has, and enforces the limits. */
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HostingError, type InstanceConfig, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { calculateMemoryBudget } from '#server/drivers/hosting/machine-memory.ts'
import {
  waitUntilHealthy,
  type LocalUnderTest,
  openLocalHosting,
  findProcesses,
  findTasks,
} from '#tests/support/hosting/hosting.ts'

vi.setConfig({ testTimeout: 60_000 })

const gigabyte = 1024 ** 3
const withFence = (fence: number) => ({ fence })
const [shopRef, otherRef] = [
  { serviceId: 1, code: 'shop1' },
  { serviceId: 2, code: 'other' },
] as const

it.each([
  ['of the machine', 16 * gigabyte, 0, 14_043],
  ['of its control group', 16 * gigabyte, 4 * gigabyte, 3511],
  ['of the machine if its control group has no limit', 16 * gigabyte, 2 ** 64, 14_043],
  ['of a small machine', gigabyte, 0, 512],
  ['of a machine that is too small', gigabyte / 4, 0, 0],
  ['of a large machine', 512 * gigabyte, 0, 520_192],
])('The memory budget leaves a part of the memory %s to the portal (fault 15f)', (_, total, memoryLimit, budget) => {
  expect(calculateMemoryBudget(total, memoryLimit)).toBe(budget)
})

describe('local hosting', () => {
  let host: LocalUnderTest
  afterEach(() => host.end())

  const readFault = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error instanceof HostingError ? [error.fault, error.details] : error),
    )
  const prepareInstance = (ref: InstanceRef, config: InstanceConfig) =>
    readFault(host.driver.prepare(ref, { name: ref.code, config }, withFence(1)))
  const startInstance = (ref: InstanceRef, isFresh = false, fence = 1) =>
    readFault(host.driver.start(ref, { fresh: isFresh }, withFence(fence)))
  const configureInstance = (ref: InstanceRef, memoryMb: number, tasks: number) =>
    readFault(host.driver.configure(ref, { memoryMb, tasks }, withFence(3)))
  const createMemoryFault = (needed: number, free: number) => [
    'no_memory',
    expect.objectContaining({ needed: String(needed), free: String(free) }),
  ]

  it('refuses more memory than it has, and returns the free amount (fault 15f)', async () => {
    host = openLocalHosting({ memoryMb: 3000 })
    expect(await prepareInstance(shopRef, { memoryMb: 1000, tasks: 1 })).toBe(null)
    expect(await startInstance(shopRef)).toBe(null)
    expect(await configureInstance(shopRef, 8000, 4)).toEqual(createMemoryFault(32_400, 3000))
    expect(await configureInstance(shopRef, 1000, 2)).toBe(null)
    // A configuration for the next start is counted immediately.
    expect(await prepareInstance(otherRef, { memoryMb: 0, tasks: 3 })).toEqual(createMemoryFault(1068, 800))
    expect(await prepareInstance(otherRef, { memoryMb: 0, tasks: 2 })).toBe(null)
    expect(await startInstance(otherRef)).toBe(null)
    expect(await configureInstance(shopRef, 2000, 1)).toBe(null)
    expect(await startInstance(shopRef, true, 3)).toBe(null)
    // A stopped service frees its memory, and needs free memory to start again.
    await host.driver.stop(otherRef, withFence(2))
    expect(await configureInstance(shopRef, 1300, 2)).toBe(null)
    expect(await startInstance(otherRef, false, 3)).toEqual(createMemoryFault(712, 200))
    await host.driver.remove(shopRef, withFence(3))
    expect(await startInstance(otherRef, false, 3)).toBe(null)
    // A reduction is always accepted.
    expect(await configureInstance(otherRef, 0, 0)).toBe(null)
  })

  it.skipIf(!existsSync('/proc/self/oom_score_adj'))(
    'lets the system limit the memory of tasks, and end them before the portal (fault 15f)',
    async () => {
      host = openLocalHosting()
      await prepareInstance(shopRef, { memoryMb: 1000, tasks: 1 })
      await startInstance(shopRef)
      await waitUntilHealthy(host.driver, shopRef)
      const [{ pid } = { pid: 0 }] = findTasks(host.folder)
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
      expect(limits).toMatch(new RegExp(`Max data size +${2000 * 1024 * 1024} `))
      expect(limits).toMatch(/Max core file size +0 +0 /)
      expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('500')
      const niceness = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
      const [supervisor] = findProcesses(host.folder).filter(({ kind }) => kind === 'supervisor')
      const stat = readFileSync(`/proc/${supervisor?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
      expect(niceness).toBeGreaterThan(Number(stat?.[16]))
    },
  )

  it.skipIf(!existsSync('/proc/self/autogroup'))(
    'gives tasks a lower CPU priority than the portal, also with session scheduling (fault 15j)',
    async () => {
      host = openLocalHosting()
      await prepareInstance(shopRef, { memoryMb: 1000, tasks: 1 })
      await startInstance(shopRef)
      await waitUntilHealthy(host.driver, shopRef)
      const [{ pid } = { pid: 0 }] = findTasks(host.folder)
      expect(readFileSync(`/proc/${pid}/autogroup`, 'utf8')).toMatch(/ nice 5$/m)
    },
  )
})
