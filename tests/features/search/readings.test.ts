import { afterEach, expect, it, vi } from 'vitest'
import { createReadings } from '#features/search/index/readings.ts'

/** The events of a page, without the page. */
function simulateConnection() {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  return () => void page.dispatchEvent(new Event('online'))
}
afterEach(() => void vi.unstubAllGlobals())

it('Readings that cannot be loaded are loaded again when the connection is back', async () => {
  const connect = simulateConnection()
  const load = vi.fn(() => Promise.resolve(true)).mockResolvedValueOnce(false)
  const onLoaded = vi.fn()
  const readings = createReadings({ onLoaded, load })
  await readings.wait()
  await readings.wait()
  expect([readings.isLoaded(), load.mock.calls.length]).toEqual([false, 1])
  connect()
  await expect.poll(() => onLoaded.mock.calls.length).toBe(1)
  connect()
  expect(load).toHaveBeenCalledTimes(2)
})

it('Readings that never arrive do not stop the indexing, and are ignored after the end', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const onLoaded = vi.fn()
  const readings = createReadings({ onLoaded, load: () => promise, waitMs: 0 })
  await readings.wait()
  expect(readings.isLoaded()).toBe(false)
  readings.stop()
  resolve(true)
  await promise
  await new Promise((resolveTurn) => setImmediate(resolveTurn))
  expect(onLoaded).not.toHaveBeenCalled()
})
