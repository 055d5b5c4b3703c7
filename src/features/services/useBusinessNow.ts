import { useCallback, useEffect, useState } from 'react'
import { getSettings } from '#contract/accounts.ts'
import { type PlainDate, timestampIn } from '#domain/time.ts'
import { readAged } from '#local/lists/responses.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { businessNow, businessTime } from '#ui/page/business-clock.ts'

/** The business time zone (D31), the minute that it is there and the one after it; they go on by themselves. Null: the zone is not known yet. */
export function useBusinessNow() {
  const { response } = useCachedResponse(readAged, getSettings, {})
  const zone = response?.output.time_zone ?? null
  const [instant, setInstant] = useState(businessNow)
  useEffect(() => {
    const timer = setInterval(() => setInstant(businessNow()), 15_000)
    return () => clearInterval(timer)
  }, [])
  const minuteIn = useCallback((at: number) => (zone === null ? '' : timestampIn(zone, at).slice(0, 16)), [zone])
  return zone === null ? null : { zone, now: minuteIn(instant), next: minuteIn(instant + 60_000), minuteIn }
}

/** Today in the business time zone; by this device's own until that is known. */
export function useBusinessDay(): PlainDate {
  const business = useBusinessNow()
  const [own] = useState(() => businessTime(businessNow()))
  return (business?.now ?? own).slice(0, 10)
}
