/** How much memory services may have: promised by what the machine has, and held to. */
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HostingError, type InstanceConfig, type InstanceRef } from '#server/drivers/hosting/driver.ts'
import { memoryBudget } from '#server/drivers/hosting/local/instances/machine-memory.ts'
import { healthy, type LocalUnderTest, openLocalHosting, processesOf, tasksOf } from '#tests/support/hosting/hosting.ts'

vi.setConfig({ testTimeout: 60_000 })

const gigabyte = 1024 ** 3
const at = (fence: number) => ({ fence })
const [shop, other] = [
  { serviceId: 1, code: 'shop1' },
  { serviceId: 2, code: 'other' },
] as const

it.each([
  ['of the machine', 16 * gigabyte, 0, 14_043],
  ['of its control group', 16 * gigabyte, 4 * gigabyte, 3511],
  ['of the machine where its control group has no limit', 16 * gigabyte, 2 ** 64, 14_043],
  ['of a small machine', gigabyte, 0, 512],
  ['of one that is too small', gigabyte / 4, 0, 0],
  ['of a large machine', 512 * gigabyte, 0, 520_192],
])('fault 15f leaves a part of the memory %s to the portal', (_, total, constrained, budget) => {
  expect(memoryBudget(total, constrained)).toBe(budget)
})

describe('local hosting', () => {
  let the: LocalUnderTest
  afterEach(() => the.end())

  const fault = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error instanceof HostingError ? [error.fault, error.details] : error),
    )
  const prepare = (ref: InstanceRef, config: InstanceConfig) =>
    fault(the.driver.prepare(ref, { name: ref.code, config }, at(1)))
  const start = (ref: InstanceRef, fresh = false, fence = 1) => fault(the.driver.start(ref, { fresh }, at(fence)))
  const configure = (ref: InstanceRef, memoryMb: number, tasks: number) =>
    fault(the.driver.configure(ref, { memoryMb, tasks }, at(3)))
  const tooLittle = (needed: number, free: number) => [
    'no_memory',
    expect.objectContaining({ needed: String(needed), free: String(free) }),
  ]

  it('fault 15f promises no more memory than there is, and says what is free', async () => {
    the = openLocalHosting({ memoryMb: 3000 })
    expect(await prepare(shop, { memoryMb: 1000, tasks: 1 })).toBe(null)
    expect(await start(shop)).toBe(null)
    expect(await configure(shop, 8000, 4)).toEqual(tooLittle(32_400, 3000))
    expect(await configure(shop, 1000, 2)).toBe(null)
    // What is set for the next start counts from now on.
    expect(await prepare(other, { memoryMb: 0, tasks: 3 })).toEqual(tooLittle(1068, 800))
    expect(await prepare(other, { memoryMb: 0, tasks: 2 })).toBe(null)
    expect(await start(other)).toBe(null)
    expect(await configure(shop, 2000, 1)).toBe(null)
    expect(await start(shop, true, 3)).toBe(null)
    // What stops makes space, and has to find it again.
    await the.driver.stop(other, at(2))
    expect(await configure(shop, 1300, 2)).toBe(null)
    expect(await start(other, false, 3)).toEqual(tooLittle(712, 200))
    await the.driver.remove(shop, at(3))
    expect(await start(other, false, 3)).toBe(null)
    // Smaller is always possible.
    expect(await configure(other, 0, 0)).toBe(null)
  })

  it.skipIf(!existsSync('/proc/self/oom_score_adj'))(
    'fault 15f lets the system hold a task to its memory, and take it before the portal when memory is out',
    async () => {
      the = openLocalHosting()
      await prepare(shop, { memoryMb: 1000, tasks: 1 })
      await start(shop)
      await healthy(the.driver, shop)
      const [{ pid } = { pid: 0 }] = tasksOf(the.folder)
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
      expect(limits).toMatch(new RegExp(`Max data size +${2000 * 1024 * 1024} `))
      expect(limits).toMatch(/Max core file size +0 +0 /)
      expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('500')
      const niceness = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
      const [supervisor] = processesOf(the.folder).filter(({ kind }) => kind === 'supervisor')
      const stat = readFileSync(`/proc/${supervisor?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
      expect(niceness).toBeGreaterThan(Number(stat?.[16]))
    },
  )

  it.skipIf(!existsSync('/proc/self/autogroup'))(
    'fault 15j lets a task come after the portal also where the kernel shares processors by session',
    async () => {
      the = openLocalHosting()
      await prepare(shop, { memoryMb: 1000, tasks: 1 })
      await start(shop)
      await healthy(the.driver, shop)
      const [{ pid } = { pid: 0 }] = tasksOf(the.folder)
      expect(readFileSync(`/proc/${pid}/autogroup`, 'utf8')).toMatch(/ nice 5$/m)
    },
  )
})
