import { useEffect, useState } from 'react'
import { findInstant, type Timestamp } from '#domain/time.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { getBusinessNow, useBusinessZone } from '#ui/page/business-clock.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Older times are shown as a date, in ms. */
const maxRelativeMs = 31 * 86_400_000
const tickMs = 30_000

/** Server time in epoch ms, for texts such as "5 minutes ago". Updated while the page is visible. */
export function useServerNow(): number {
  const [now, setNow] = useState(getBusinessNow)
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(getBusinessNow()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Shows "5 minutes ago", or the day of an older time. The tooltip has the exact time in the business time zone. */
export function RelativeTime({ time, now }: { time: Timestamp; now: number }) {
  const { t } = useTranslation('customers')
  const zone = useBusinessZone()
  const instant = findInstant(zone, time)
  return (
    <BusinessTime className="customer-time" time={time}>
      {instant === null || now - instant > maxRelativeMs ? time.slice(0, 10) : formatAge(now - instant, t('justNow'))}
    </BusinessTime>
  )
}

function formatAge(ageMs: number, justNowText: string): string {
  const unit = units.find(([, ms]) => ageMs >= ms)
  if (!unit) return justNowText
  const format = new Intl.RelativeTimeFormat(getLanguage(), { numeric: 'always' })
  return format.format(-Math.floor(ageMs / unit[1]), unit[0])
}
