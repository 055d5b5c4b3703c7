import { useCallback, useEffect, useState } from 'react'
import { type PlainDate, toTimestamp } from '#domain/time.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { getBusinessNow, formatBusinessTime } from '#ui/page/business-clock.ts'

/** Returns the business time zone (D31), the current minute and the next one. Null if the zone is not known yet. */
export function useBusinessNow() {
  const timeZone = useSettings()?.time_zone ?? null
  const [instant, setInstant] = useState(getBusinessNow)
  useEffect(() => {
    const timer = setInterval(() => setInstant(getBusinessNow()), 15_000)
    return () => clearInterval(timer)
  }, [])
  const toMinute = useCallback(
    (instantMs: number) => (timeZone === null ? '' : toTimestamp(timeZone, instantMs).slice(0, 16)),
    [timeZone],
  )
  return timeZone === null
    ? null
    : { timeZone, currentMinute: toMinute(instant), nextMinute: toMinute(instant + 60_000), formatMinute: toMinute }
}

/** Returns today in the business time zone, or in the device's zone until the business time zone is known. */
export function useBusinessDay(): PlainDate {
  const businessClock = useBusinessNow()
  const [deviceTime] = useState(() => formatBusinessTime(getBusinessNow()))
  return (businessClock?.currentMinute ?? deviceTime).slice(0, 10)
}
