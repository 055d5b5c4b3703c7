import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followLostWorker } from '#app/pwa/worker-recovery.ts'

const fields: { type: string; value: string }[] = []
const entries: { responseStatus: number }[] = []
const reload = vi.fn()
const asked = vi.fn<(path: string, init: RequestInit) => Promise<Response>>()
let events: EventTarget

const control = (controller: object | null, registration?: object) =>
  vi.stubGlobal('navigator', { serviceWorker: { controller, getRegistration: () => Promise.resolve(registration) } })

beforeEach(() => {
  vi.useFakeTimers()
  events = new EventTarget()
  vi.setSystemTime(Date.UTC(2026, 0, 1))
  const stored = new Map<string, string>()
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  control({}, { active: {} })
  vi.stubGlobal('document', { querySelectorAll: () => fields })
  vi.stubGlobal('performance', { getEntriesByType: () => entries })
  vi.stubGlobal('location', { reload })
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
  })
  vi.stubGlobal('fetch', asked)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  reload.mockReset()
  asked.mockReset()
  fields.length = 0
  entries.length = 0
})

const lost = () => Promise.reject<Response>(new TypeError('no line'))
const missed = async () => {
  events.dispatchEvent(new Event('vite:preloadError'))
  await vi.advanceTimersByTimeAsync(0)
}

describe('a worker that went away under the page', () => {
  it('is missed when code does not come: the page is loaded again, once a minute', async () => {
    asked.mockImplementation(lost)
    followLostWorker()
    await missed()
    expect(reload).toHaveBeenCalledTimes(1)
    await missed()
    expect(reload).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(60_000)
    await missed()
    expect(reload).toHaveBeenCalledTimes(2)
  })

  it('and when something was lost before the first script ran', async () => {
    asked.mockImplementation(lost)
    entries.push({ responseStatus: 200 }, { responseStatus: 0 })
    followLostWorker()
    await vi.advanceTimersByTimeAsync(0)
    expect(reload).toHaveBeenCalledTimes(1)
  })

  it('and when nothing is ever answered, after a few seconds', async () => {
    const given = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const end = new AbortController()
      setTimeout(() => end.abort(), ms)
      return end.signal
    })
    asked.mockImplementation((_, { signal }) => new Promise((_, no) => signal?.addEventListener('abort', no)))
    followLostWorker()
    await vi.advanceTimersByTimeAsync(4_900)
    expect(asked).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(10_200)
    expect(given).toHaveBeenCalled()
    expect(reload).toHaveBeenCalledTimes(1)
  })

  it('is left where something stands in a form', async () => {
    asked.mockImplementation(lost)
    fields.push({ type: 'checkbox', value: 'on' }, { type: 'text', value: 'typed' })
    followLostWorker()
    await missed()
    expect(asked).toHaveBeenCalled()
    expect(reload).not.toHaveBeenCalled()
  })
})

describe('no reason to load the page again is', () => {
  it('a file that is missing while the worker answers', async () => {
    asked.mockResolvedValue(new Response())
    followLostWorker()
    await missed()
    expect(asked).toHaveBeenCalledTimes(1)
    expect(reload).not.toHaveBeenCalled()
  })

  it.each([
    ['a first visit, which has no worker', null, undefined],
    ['a worker that has been taken away (W-11): the next load would find none', {}, undefined],
  ])('%s', async (_, controller, registration) => {
    control(controller, registration)
    asked.mockImplementation(lost)
    followLostWorker()
    await missed()
    expect(asked).not.toHaveBeenCalled()
    expect(reload).not.toHaveBeenCalled()
  })
})
