import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { TrailRange } from '#features/audit-trail/list/trail-view.ts'

/** Number of days of each offered range, both ends included. Null: any time. */
const dayCounts = { any: null, today: 1, week: 7, month: 30, quarter: 90 } as const
export type DatePreset = keyof typeof dayCounts
export const datePresets = Object.keys(dayCounts) as DatePreset[]

/** Ranges that end today have no last day, so that entries after midnight are included. `today` is in the business time zone. */
export function toPresetRange(preset: DatePreset, today: PlainDate): TrailRange {
  const dayCount = dayCounts[preset]
  if (dayCount === null) return { dateFrom: null, dateTo: null }
  return { dateFrom: addDays(today, 1 - dayCount), dateTo: dayCount === 1 ? today : null }
}

/** Returns the preset with this range, or null if the user chose other days. */
export const findPreset = ({ dateFrom, dateTo }: TrailRange, today: PlainDate): DatePreset | null =>
  datePresets.find((preset) => {
    const range = toPresetRange(preset, today)
    return range.dateFrom === dateFrom && range.dateTo === dateTo
  }) ?? null
