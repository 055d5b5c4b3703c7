import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fetchLate } from '#app/pwa/retry-import.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', new EventTarget())
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Fails so often, as an import without a line does, and then is there. */
function lost(times: number) {
  let asked = 0
  const load = () => Promise.resolve().then(() => (++asked > times ? 'here' : Promise.reject(new TypeError('no line'))))
  return { load, asked: () => asked }
}

it('what could not be fetched is asked for again when the browser says that the line is back', async () => {
  const { load, asked } = lost(1)
  const fetched = fetchLate(load)
  await vi.advanceTimersByTimeAsync(100)
  expect(asked()).toBe(1)
  window.dispatchEvent(new Event('online'))
  expect(await fetched).toBe('here')
  await vi.runAllTimersAsync()
  expect(asked()).toBe(2)
})

it('and by itself, where the browser says nothing', async () => {
  const { load, asked } = lost(2)
  const fetched = fetchLate(load)
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await fetched).toBe('here')
  expect(asked()).toBe(3)
})
