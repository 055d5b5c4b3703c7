import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recoverLostWorker } from '#app/pwa/worker-recovery.ts'

const fields: { type: string; value: string }[] = []
const entries: { responseStatus: number }[] = []
const reload = vi.fn()
const fakeFetch = vi.fn<(path: string, init: RequestInit) => Promise<Response>>()
let events: EventTarget
let onBeforeUnload: (event: { isTrusted: boolean }) => void

const stubServiceWorker = (controller: object | null, registration?: object) =>
  vi.stubGlobal('navigator', { serviceWorker: { controller, getRegistration: () => Promise.resolve(registration) } })

beforeEach(() => {
  vi.useFakeTimers()
  events = new EventTarget()
  vi.setSystemTime(Date.UTC(2026, 0, 1))
  const storedItems = new Map<string, string>()
  vi.stubGlobal('addEventListener', (type: string, listener: (event: unknown) => void) => {
    // Only a browser can dispatch a trusted event, so this listener is called directly.
    if (type === 'beforeunload') onBeforeUnload = listener
    else events.addEventListener(type, listener)
  })
  stubServiceWorker({}, { active: {} })
  vi.stubGlobal('document', { querySelectorAll: () => fields })
  vi.stubGlobal('performance', { getEntriesByType: () => entries })
  vi.stubGlobal('location', { reload })
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => storedItems.get(name) ?? null,
    setItem: (name: string, value: string) => storedItems.set(name, value),
  })
  vi.stubGlobal('fetch', fakeFetch)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  reload.mockReset()
  fakeFetch.mockReset()
  fields.length = 0
  entries.length = 0
})

const rejectAsOffline = () => Promise.reject<Response>(new TypeError('no line'))
const dispatchPreloadError = async () => {
  events.dispatchEvent(new Event('vite:preloadError'))
  await vi.advanceTimersByTimeAsync(0)
}

describe('recoverLostWorker, after the worker was lost', () => {
  it('reloads the page when code cannot be loaded, at most once a minute', async () => {
    fakeFetch.mockImplementation(rejectAsOffline)
    recoverLostWorker()
    await dispatchPreloadError()
    expect(reload).toHaveBeenCalledTimes(1)
    await dispatchPreloadError()
    expect(reload).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(60_000)
    await dispatchPreloadError()
    expect(reload).toHaveBeenCalledTimes(2)
  })

  it('reloads the page if a file failed to load before the first script ran', async () => {
    fakeFetch.mockImplementation(rejectAsOffline)
    entries.push({ responseStatus: 200 }, { responseStatus: 0 })
    recoverLostWorker()
    await vi.advanceTimersByTimeAsync(0)
    expect(reload).toHaveBeenCalledTimes(1)
  })

  it('reloads the page if a request gets no response for a few seconds', async () => {
    const timeoutSpy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), ms)
      return controller.signal
    })
    fakeFetch.mockImplementation(
      (_, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', reject)),
    )
    recoverLostWorker()
    await vi.advanceTimersByTimeAsync(4_900)
    expect(fakeFetch).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(10_200)
    expect(timeoutSpy).toHaveBeenCalled()
    expect(reload).toHaveBeenCalledTimes(1)
  })

  it('does not reload a page that is being left, because that would end the navigation', async () => {
    fakeFetch.mockImplementation(rejectAsOffline)
    recoverLostWorker()
    onBeforeUnload({ isTrusted: true })
    await dispatchPreloadError()
    expect(fakeFetch).toHaveBeenCalled()
    expect(reload).not.toHaveBeenCalled()
    // The navigation was cancelled, and the worker is still lost.
    await vi.advanceTimersByTimeAsync(10_000)
    await dispatchPreloadError()
    expect(reload).toHaveBeenCalledTimes(1)
  })

  it('reloads the page after a form has only asked for unsaved input', async () => {
    fakeFetch.mockImplementation(rejectAsOffline)
    recoverLostWorker()
    onBeforeUnload({ isTrusted: false })
    await dispatchPreloadError()
    expect(reload).toHaveBeenCalledTimes(1)
  })

  it('does not reload the page while a form has input', async () => {
    fakeFetch.mockImplementation(rejectAsOffline)
    fields.push({ type: 'checkbox', value: 'on' }, { type: 'text', value: 'typed' })
    recoverLostWorker()
    await dispatchPreloadError()
    expect(fakeFetch).toHaveBeenCalled()
    expect(reload).not.toHaveBeenCalled()
  })
})

describe('recoverLostWorker, if the worker was not lost', () => {
  it('does not reload the page for a missing file while the worker responds', async () => {
    fakeFetch.mockResolvedValue(new Response())
    recoverLostWorker()
    await dispatchPreloadError()
    expect(fakeFetch).toHaveBeenCalledTimes(1)
    expect(reload).not.toHaveBeenCalled()
  })

  it.each([
    ['a first visit without a worker', null, undefined],
    ['the worker was unregistered on purpose (W-11)', {}, undefined],
  ])('does not reload the page: %s', async (_, controller, registration) => {
    stubServiceWorker(controller, registration)
    fakeFetch.mockImplementation(rejectAsOffline)
    recoverLostWorker()
    await dispatchPreloadError()
    expect(fakeFetch).not.toHaveBeenCalled()
    expect(reload).not.toHaveBeenCalled()
  })
})
