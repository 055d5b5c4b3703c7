import { useSyncExternalStore } from 'react'
import { dateIn, type PlainDate } from '#domain/time.ts'

const minuteMs = 60_000

function subscribe(listener: () => void) {
  const timer = setInterval(listener, minuteMs)
  return () => clearInterval(timer)
}

/** "Today" of every rule: in the business time zone (D31), and another one after midnight on a page that stays open. */
export const useToday = (zone: string): PlainDate => useSyncExternalStore(subscribe, () => dateIn(zone, Date.now()))
