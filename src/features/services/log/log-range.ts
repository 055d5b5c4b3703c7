/** The span of a log, as it is typed: minutes in the business time zone (contracts 5, D31, D64). */
import { logDays } from '#domain/hosting.ts'
import { addDays, isMinute } from '#domain/plain-dates.ts'

/** `yyyy-MM-dd HH:mm`. `to` empty: up to now, where the end may be left open. */
export interface ServiceLogRange {
  from: string
  to: string
}

/** The first minute of which a log is kept. `now`: this minute, in the business time zone. */
export const getEarliestMinute = (currentMinute: string): string =>
  `${addDays(currentMinute.slice(0, 10), -logDays)} 00:00`

export type RangeFault = 'missing' | 'notTime' | 'tooEarly' | 'crosses'

/** What is wrong with either end; an empty object: nothing. Both ends are wrong where they cross: it is said of the one that was changed. */
export function checkRange(
  { from, to }: ServiceLogRange,
  currentMinute: string,
  isEndOpen = true,
): Partial<Record<keyof ServiceLogRange, RangeFault>> {
  const faults: Partial<Record<keyof ServiceLogRange, RangeFault>> = {}
  if (from === '') faults.from = 'missing'
  else if (!isMinute(from)) faults.from = 'notTime'
  else if (from < getEarliestMinute(currentMinute)) faults.from = 'tooEarly'
  if (to === '') {
    if (!isEndOpen) faults.to = 'missing'
  } else if (!isMinute(to)) faults.to = 'notTime'
  const end = to === '' ? currentMinute : to
  if (!faults.from && !faults.to && from >= end) return { from: 'crosses', to: 'crosses' }
  return faults
}

export const quickSpans = ['hour', 'day', 'week'] as const
export type QuickSpan = (typeof quickSpans)[number]

const minuteMs = 60_000

/** The beginning of a span that ends now. `formatMinute`: an instant (epoch ms) as `yyyy-MM-dd HH:mm`. */
export function getSpanStart(span: QuickSpan, nowMs: number, formatMinute: (instant: number) => string): string {
  if (span === 'hour') return formatMinute(nowMs - 60 * minuteMs)
  if (span === 'day') return `${formatMinute(nowMs).slice(0, 10)} 00:00`
  return formatMinute(nowMs - 7 * 24 * 60 * minuteMs)
}

/** As the calls take it: before the end. `nextMinute`: the end of one that is left open. */
export const toTimestamps = ({ from, to }: ServiceLogRange, nextMinute: string) => ({
  from: `${from}:00`,
  to: `${to === '' ? nextMinute : to}:00`,
})
