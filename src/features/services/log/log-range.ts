/** The time range of a log, as it is typed: minutes in the business time zone (contracts 5, D31, D64). */
import { logDays } from '#domain/hosting.ts'
import { addDays, isMinute } from '#domain/plain-dates.ts'

/** `yyyy-MM-dd HH:mm`. `to` empty: up to now, where the end may be left open. */
export interface ServiceLogRange {
  from: string
  to: string
}

/** The first minute of which the server has a log. `currentMinute`: in the business time zone. */
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

/** Faults by end; an empty object: none. Where the ends cross, both are wrong: the one that was changed shows it. */
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

/** The beginning of a span that ends now. `formatMinute`: an instant (epoch ms) as `yyyy-MM-dd HH:mm`. */
export function getSpanStart(span: QuickSpan, nowMs: number, formatMinute: (instant: number) => string): string {
  if (span === 'hour') return formatMinute(nowMs - 60 * minuteMs)
  if (span === 'day') return `${formatMinute(nowMs).slice(0, 10)} 00:00`
  return formatMinute(nowMs - 7 * 24 * 60 * minuteMs)
}

/** As the calls have it. `nextMinute`: the end of an open range. */
export const toTimestamps = ({ from, to }: ServiceLogRange, nextMinute: string) => ({
  from: `${from}:00`,
  to: `${to === '' ? nextMinute : to}:00`,
})
