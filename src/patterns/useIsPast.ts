import { useSyncExternalStore } from 'react'
import { formatBusinessTime, getBusinessNow, subscribeToBusinessClock } from '#ui/page/business-clock.ts'

/** In ms. */
const checkIntervalMs = 10_000

function subscribe(listener: () => void) {
  const timer = setInterval(listener, checkIntervalMs)
  const stop = subscribeToBusinessClock(listener)
  return () => {
    clearInterval(timer)
    stop()
  }
}

/** Whether the server's time has reached a time in the business time zone, also without a connection. `null` is never reached. */
export const useIsPast = (timestamp: string | null): boolean =>
  useSyncExternalStore(subscribe, () => timestamp !== null && timestamp <= formatBusinessTime(getBusinessNow()))
