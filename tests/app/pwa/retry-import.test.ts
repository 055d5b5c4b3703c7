import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { retryImport } from '#app/pwa/retry-import.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', new EventTarget())
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Returns an import that fails `failures` times, as without a connection, and then succeeds. */
function createFailingImport(failures: number) {
  let loadCount = 0
  const load = () =>
    Promise.resolve().then(() => (++loadCount > failures ? 'here' : Promise.reject(new TypeError('no line'))))
  return { load, countLoads: () => loadCount }
}

it('retryImport loads the code again when the browser reports that the network is back', async () => {
  const { load, countLoads } = createFailingImport(1)
  const result = retryImport(load)
  await vi.advanceTimersByTimeAsync(100)
  expect(countLoads()).toBe(1)
  window.dispatchEvent(new Event('online'))
  expect(await result).toBe('here')
  await vi.runAllTimersAsync()
  expect(countLoads()).toBe(2)
})

it('retryImport loads the code again after some time if the browser reports nothing', async () => {
  const { load, countLoads } = createFailingImport(2)
  const result = retryImport(load)
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await result).toBe('here')
  expect(countLoads()).toBe(3)
})
