import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { noHosting } from '#server/context/no-hosting.ts'
import { createLateHosting } from '#server/drivers/hosting/docker/late-hosting.ts'
import { HostingError, type HostingDriver, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'

const ref: InstanceRef = { serviceId: 1, code: 'alpha1' }
const unreachable = expect.objectContaining({
  name: 'HostingError',
  fault: 'unreachable',
  message: 'the platform is down',
})

function createPlatform() {
  const callbacks = new Set<(ref: InstanceRef) => void>()
  const close = vi.fn(async () => undefined)
  const upkeep = vi.fn(async () => undefined)
  const driver: HostingDriver = {
    ...noHosting,
    look: async () => null,
    lookAll: async () => [],
    async *readLog() {
      yield { time: 1, task: 1, level: 'info', text: 'line' }
    },
    upkeep,
    watch(onChange) {
      callbacks.add(onChange)
      return () => void callbacks.delete(onChange)
    },
    close,
  }
  return { driver, callbacks, close, upkeep, announce: () => callbacks.forEach((callback) => callback(ref)) }
}

function createHosting(open: () => Promise<HostingDriver>) {
  const attempts: unknown[] = []
  const firstSuccess = Promise.withResolvers<void>()
  const hosting = createLateHosting({
    name: 'late',
    open,
    onAttempt: (error) => {
      attempts.push(error)
      if (error === null) firstSuccess.resolve()
    },
    retryMs: { first: 1, max: 4 },
  })
  return { ...hosting, attempts, success: firstSuccess.promise }
}

const readAll = async (items: AsyncIterable<unknown>) => {
  const allItems: unknown[] = []
  for await (const item of items) allItems.push(item)
  return allItems
}

it('fails all calls with the reason until the platform is ready, and tries again by itself', async () => {
  const platform = createPlatform()
  const state = { isReady: false }
  const { driver, start, attempts, success } = createHosting(async () => {
    if (!state.isReady) throw new Error('the platform is down')
    return platform.driver
  })
  await expect(driver.lookAll()).rejects.toThrow('the portal is starting')
  await start()
  const onChange = vi.fn()
  const stopWatching = driver.watch(onChange)
  await expect(driver.lookAll()).rejects.toEqual(unreachable)
  await expect(driver.prepare(ref, { name: '', config: { memoryMb: 0, tasks: 1 } }, { fence: 1 })).rejects.toEqual(
    unreachable,
  )
  await expect(readAll(driver.readLog(ref, { from: 0, to: 1 }))).rejects.toBeInstanceOf(HostingError)
  await driver.upkeep?.()
  expect(platform.upkeep).not.toHaveBeenCalled()

  state.isReady = true
  await success
  expect([attempts.length > 1, attempts.at(-1)]).toEqual([true, null])
  expect([await driver.lookAll(), await driver.look(ref)]).toEqual([[], null])
  expect(await readAll(driver.readLog(ref, { from: 0, to: 1 }))).toHaveLength(1)
  await driver.upkeep?.()
  expect(platform.upkeep).toHaveBeenCalledOnce()
  // A callback from before is called now.
  platform.announce()
  expect(onChange.mock.calls).toEqual([[ref]])
  stopWatching()
  expect(platform.callbacks.size).toBe(0)
  await driver.close()
  expect(platform.close).toHaveBeenCalledOnce()
})

it('a call waits for the attempt that is running', async () => {
  const platform = createPlatform()
  const ready = Promise.withResolvers<HostingDriver>()
  const { driver, start } = createHosting(() => ready.promise)
  const started = start()
  const states = driver.lookAll()
  ready.resolve(platform.driver)
  expect(await states).toEqual([])
  await started
  await driver.close()
})

it('makes no further attempt after it was closed, and closes what it opened meanwhile', async () => {
  const platform = createPlatform()
  const ready = Promise.withResolvers<HostingDriver>()
  const { driver, start, attempts } = createHosting(() => ready.promise)
  const started = start()
  const closed = driver.close()
  ready.resolve(platform.driver)
  await Promise.all([started, closed])
  expect(platform.close).toHaveBeenCalledOnce()
  expect(attempts).toEqual([])

  const open = vi.fn(async () => {
    throw new Error('the platform is down')
  })
  const failing = createHosting(open)
  await failing.start()
  await failing.driver.close()
  const callCount = open.mock.calls.length
  // Several times the pause before a further attempt.
  await wait(50)
  expect(open).toHaveBeenCalledTimes(callCount)
})
