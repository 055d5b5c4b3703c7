import { useCallback, useEffect, useState } from 'react'
import { type PlainDate, toTimestamp } from '#domain/time.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { getBusinessNow, formatBusinessTime } from '#ui/page/business-clock.ts'

/** The business time zone (D31) with its current and next minute, which are updated. Null: the zone is not known yet. */
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

/** Today in the business time zone; in the device's zone until that is known. */
export function useBusinessDay(): PlainDate {
  const businessClock = useBusinessNow()
  const [deviceTime] = useState(() => formatBusinessTime(getBusinessNow()))
  return (businessClock?.currentMinute ?? deviceTime).slice(0, 10)
}
