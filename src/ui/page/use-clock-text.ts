/** Texts that follow the clock, such as "Updated 2 min ago". */
import { useSyncExternalStore } from 'react'
import { getBusinessNow, subscribeToBusinessClock } from '#ui/page/business-clock.ts'

/** Interval at which all texts are formatted again, in ms. A text is late by at most this time. */
const tickMs = 10_000

const listeners = new Set<() => void>()
let stop: (() => void) | null = null

function notifyListeners() {
  if (document.visibilityState === 'visible') for (const listener of listeners) listener()
}

/** One timer serves all texts of the page. It rests while the page is hidden or shows no such text. */
function start(): () => void {
  const timer = setInterval(notifyListeners, tickMs)
  const stopClock = subscribeToBusinessClock(notifyListeners)
  document.addEventListener('visibilitychange', notifyListeners)
  return () => {
    clearInterval(timer)
    stopClock()
    document.removeEventListener('visibilitychange', notifyListeners)
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  stop ??= start()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stop?.()
    stop = null
  }
}

/** Returns the text at the current server time (epoch ms). The component is rendered again only when the text changes. */
export const useClockText = (format: (now: number) => string): string =>
  useSyncExternalStore(subscribe, () => format(getBusinessNow()))
