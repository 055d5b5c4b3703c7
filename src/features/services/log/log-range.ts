/** Checks and converts the typed time range of a log, in minutes of the business time zone (contracts 5, D31, D64). */
import { logDays } from '#domain/hosting.ts'
import { addDays, isMinute } from '#domain/plain-dates.ts'

/** Format `yyyy-MM-dd HH:mm`. An empty `to` means up to now, where an open end is allowed. */
export interface ServiceLogRange {
  from: string
  to: string
}

/** Returns the first minute for which the server has a log. `currentMinute` is in the business time zone. */
export const getEarliestMinute = (currentMinute: string): string =>
  `${addDays(currentMinute.slice(0, 10), -logDays)} 00:00`

export type RangeFault = 'missing' | 'notTime' | 'tooEarly' | 'crosses'

function checkStart(from: string, currentMinute: string): RangeFault | null {
  if (from === '') return 'missing'
  if (!isMinute(from)) return 'notTime'
  return from < getEarliestMinute(currentMinute) ? 'tooEarly' : null
}

function checkEnd(to: string, isEndOpen: boolean): RangeFault | null {
  if (to === '') return isEndOpen ? null : 'missing'
  return isMinute(to) ? null : 'notTime'
}

/** Returns the faults of both ends of the range. If the start is after the end, both have a fault; the changed field displays it. */
export function checkRange(
  { from, to }: ServiceLogRange,
  currentMinute: string,
  isEndOpen = true,
): Partial<Record<keyof ServiceLogRange, RangeFault>> {
  const [startFault, endFault] = [checkStart(from, currentMinute), checkEnd(to, isEndOpen)]
  if (!startFault && !endFault && from >= (to || currentMinute)) return { from: 'crosses', to: 'crosses' }
  return { ...(startFault && { from: startFault }), ...(endFault && { to: endFault }) }
}

export const quickSpans = ['hour', 'day', 'week'] as const
export type QuickSpan = (typeof quickSpans)[number]

const minuteMs = 60_000

/** Returns the start of a range that ends now. `formatMinute` formats epoch ms as `yyyy-MM-dd HH:mm`. */
export function getSpanStart(span: QuickSpan, nowMs: number, formatMinute: (instant: number) => string): string {
  if (span === 'hour') return formatMinute(nowMs - 60 * minuteMs)
  if (span === 'day') return `${formatMinute(nowMs).slice(0, 10)} 00:00`
  return formatMinute(nowMs - 7 * 24 * 60 * minuteMs)
}

/** Converts the range to the timestamps of the request. `nextMinute` is the end of an open range. */
export const toTimestamps = ({ from, to }: ServiceLogRange, nextMinute: string) => ({
  from: `${from}:00`,
  to: `${to === '' ? nextMinute : to}:00`,
})
