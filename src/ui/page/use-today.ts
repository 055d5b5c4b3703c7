import { useSyncExternalStore } from 'react'
import { toPlainDate, type PlainDate } from '#domain/time.ts'
import { getBusinessNow, getBusinessZone, subscribeToBusinessClock } from '#ui/page/business-clock.ts'

const minuteMs = 60_000

function subscribe(listener: () => void) {
  const timer = setInterval(listener, minuteMs)
  const stop = subscribeToBusinessClock(listener)
  return () => {
    clearInterval(timer)
    stop()
  }
}

/** Returns today's date in the business time zone (D31). The value changes after midnight on an open page. */
export const useToday = (zone: string | null | undefined): PlainDate =>
  useSyncExternalStore(subscribe, () => toPlainDate(zone ?? getBusinessZone(), getBusinessNow()))
