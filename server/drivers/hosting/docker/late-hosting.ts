/**
 * Opens a driver when its platform is ready, so that the portal starts although the platform is down. Until then every call fails as
 * `unreachable`, and the driver is not even created.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { HostingError, type HostingDriver, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'

export interface LateHostingOptions {
  name: string
  /** Called until it succeeds, one at a time. Its errors are the reason why calls fail. */
  open: () => Promise<HostingDriver>
  /** Called after each attempt. Null means that it has succeeded. */
  onAttempt: (error: unknown) => void
  /** Times in ms until the next attempt: the first, and the longest. They double. */
  retryMs?: { first: number; max: number }
}

export interface LateHosting {
  driver: HostingDriver
  /** Makes the first attempt and returns when it has ended. Further attempts run in the background. */
  start(): Promise<void>
}

type ChangeCallback = (ref: InstanceRef) => void

export function createLateHosting({
  name,
  open,
  onAttempt,
  retryMs = { first: 2000, max: 30_000 },
}: LateHostingOptions): LateHosting {
  let openedDriver: HostingDriver | null = null
  let reason = 'the portal is starting'
  let attempt: Promise<void> | null = null
  const closeController = new AbortController()
  /** Callbacks of `watch`, with their stop functions of the opened driver. */
  const watchers = new Map<ChangeCallback, (() => void) | null>()

  async function tryToOpen(): Promise<void> {
    try {
      const newDriver = await open()
      if (closeController.signal.aborted) return await newDriver.close()
      openedDriver = newDriver
      for (const onChange of watchers.keys()) watchers.set(onChange, newDriver.watch(onChange))
      onAttempt(null)
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
      if (!closeController.signal.aborted) onAttempt(error)
    }
  }

  async function retry(): Promise<void> {
    for (let ms = retryMs.first; openedDriver === null; ms = Math.min(ms * 2, retryMs.max)) {
      await wait(ms, undefined, { ref: false, signal: closeController.signal })
      attempt = tryToOpen()
      await attempt
    }
  }

  async function getDriver(): Promise<HostingDriver> {
    await attempt
    if (openedDriver) return openedDriver
    throw new HostingError('unreachable', reason)
  }

  const driver: HostingDriver = {
    name,
    prepare: async (...args) => (await getDriver()).prepare(...args),
    install: async (...args) => (await getDriver()).install(...args),
    configure: async (...args) => (await getDriver()).configure(...args),
    start: async (...args) => (await getDriver()).start(...args),
    switchOver: async (...args) => (await getDriver()).switchOver(...args),
    rollBack: async (...args) => (await getDriver()).rollBack(...args),
    stop: async (...args) => (await getDriver()).stop(...args),
    setPassword: async (...args) => (await getDriver()).setPassword(...args),
    remove: async (...args) => (await getDriver()).remove(...args),
    erase: async (...args) => (await getDriver()).erase(...args),
    async *readData(...args) {
      yield* (await getDriver()).readData(...args)
    },
    replaceData: async (...args) => (await getDriver()).replaceData(...args),
    look: async (...args) => (await getDriver()).look(...args),
    lookAll: async () => (await getDriver()).lookAll(),
    async *readLog(...args) {
      yield* (await getDriver()).readLog(...args)
    },
    upkeep: async () => openedDriver?.upkeep?.(),
    watch(onChange) {
      // A function of its own, because the same callback may be passed twice.
      const callback: ChangeCallback = (ref) => onChange(ref)
      watchers.set(callback, openedDriver?.watch(callback) ?? null)
      return () => {
        watchers.get(callback)?.()
        watchers.delete(callback)
      }
    },
    async close() {
      closeController.abort()
      await attempt
      await openedDriver?.close()
    },
  }

  return {
    driver,
    async start() {
      attempt = tryToOpen()
      await attempt
      // Ends with an AbortError when the driver is closed.
      if (openedDriver === null) retry().catch(() => undefined)
    },
  }
}
