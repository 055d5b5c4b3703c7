import { useTranslation } from 'react-i18next'
import { findInstant, type Timestamp } from '#domain/time.ts'
import { useBusinessZone } from '#ui/page/business-clock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** From this age on, the date says more than a number of days. */
const maxDays = 30

export type SessionAge = { kind: 'now' | 'date' } | { kind: 'minutes' | 'hours' | 'days'; count: number }

/** Returns the age in its largest full unit. An age below zero, from a clock that was corrected, is "now". */
export function getSessionAge(ageMs: number): SessionAge {
  if (ageMs < minuteMs) return { kind: 'now' }
  if (ageMs < hourMs) return { kind: 'minutes', count: Math.floor(ageMs / minuteMs) }
  if (ageMs < dayMs) return { kind: 'hours', count: Math.floor(ageMs / hourMs) }
  const count = Math.floor(ageMs / dayMs)
  return count > maxDays ? { kind: 'date' } : { kind: 'days', count }
}

/** Returns a function that formats when a session was last used: "Active 4 min ago". `now` is server time in epoch ms. */
export function useLastUse(): (lastTime: Timestamp, now: number) => string {
  const { t } = useTranslation('sessions')
  const zone = useBusinessZone()
  return (lastTime, now) => {
    const instant = findInstant(zone, lastTime)
    const age: SessionAge = instant === null ? { kind: 'date' } : getSessionAge(now - instant)
    if ('count' in age) return t(`active.${age.kind}`, { count: age.count })
    return age.kind === 'now' ? t('active.now') : t('active.date', { date: lastTime.slice(0, 10) })
  }
}
