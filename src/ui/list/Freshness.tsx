import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatBusinessTime, formatReadingTime } from '#ui/page/business-clock.ts'
import { useClockText } from '#ui/page/use-clock-text.ts'
import { useZoneFormatter } from '#ui/page/zone-name.ts'

/** Age and completeness of a list, as returned by `local/lists/list-view.ts`. */
export interface ListFreshness {
  /** Server time of the oldest response that the list is based on. Null if the list was never read. */
  asOf: number | null
  /** Number of rows with this filter on the device, and on the server at its last response (null: unknown). */
  cachedCount: number
  total: number | null
  complete: boolean
  /** Rows that were searched, if not all: number of rows on the device, and in total (null: unknown). */
  searchScope?: { cachedCount: number; total: number | null } | null
  pendingCount?: number
  /** True if the last request got no response from the server. Then the list does not wait for more rows. */
  isCached?: boolean
  /** Number of rows that the server could not display. */
  leftOutCount?: number
}

/** A server time (epoch ms) as a short text. The tooltip has all of it, with the time zone. */
export function ReadingTime({ instant }: { instant: number }) {
  const formatZone = useZoneFormatter()
  return (
    <time dateTime={new Date(instant).toISOString()} title={`${formatBusinessTime(instant)} · ${formatZone(instant)}`}>
      {formatReadingTime(instant)}
    </time>
  )
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Formats the age of data: "Updated 2 min ago", or its date and time after a day. Both times are server times in epoch ms. */
export function formatUpdated(t: TFunction<'ui'>, asOf: number, now: number): string {
  const age = now - asOf
  if (age < minuteMs) return t('fresh.now')
  if (age < hourMs) return t('fresh.minutes', { number: Math.floor(age / minuteMs) })
  if (age < 24 * hourMs) return t('fresh.hours', { number: Math.floor(age / hourMs) })
  return t('fresh.asOf', { at: formatReadingTime(asOf, now) })
}

/** The age of data. It counts up by itself, without rendering the list again; the tooltip has the time in the business time zone (D31). */
export function UpdatedTime({ asOf }: { asOf: number }) {
  const { t } = useTranslation('ui')
  const formatZone = useZoneFormatter()
  const text = useClockText((now) => formatUpdated(t, asOf, now))
  return (
    // Footers announce the results of filters. That a minute has passed is not announced.
    <time
      aria-live="off"
      dateTime={new Date(asOf).toISOString()}
      title={`${formatBusinessTime(asOf)} · ${formatZone(asOf)}`}
    >
      {text}
    </time>
  )
}

/** Displays "Updated 2 min ago · Showing 240 of 8,431 (saved on this device)" or "3 found among 10 of 58 saved on this device" (P-12). */
export function Freshness({
  freshness,
  matchCount = freshness.cachedCount,
  hasAge = true,
}: {
  freshness: ListFreshness
  matchCount?: number
  /** False if the age is displayed elsewhere, for several lists together. */
  hasAge?: boolean
}) {
  const { t } = useTranslation('ui')
  const { asOf, searchScope, pendingCount = 0, leftOutCount = 0 } = freshness
  if (asOf === null) return <span className="freshness">{t('fresh.never')}</span>
  const details = [
    formatCachedPart(t, freshness),
    searchScope && formatSearched(t, searchScope, matchCount),
    pendingCount > 0 && t('fresh.pending', { count: pendingCount }),
    leftOutCount > 0 && t('fresh.leftOut', { count: leftOutCount }),
  ]
  const detailText = details.filter(Boolean).join(' · ')
  if (!hasAge) return detailText === '' ? null : <span className="freshness">{detailText}</span>
  return (
    <span className="freshness">
      <UpdatedTime asOf={asOf} />
      {detailText !== '' && ` · ${detailText}`}
    </span>
  )
}

/** Returns null if the device has the complete list, or if the total is unknown. */
const formatCachedPart = (t: TFunction<'ui'>, { complete, cachedCount, total }: ListFreshness) =>
  complete || total === null || cachedCount >= total
    ? null
    : t('fresh.partly', { cachedCount: formatNumber(cachedCount), total: formatNumber(total) })

function formatSearched(
  t: TFunction<'ui'>,
  { cachedCount, total }: NonNullable<ListFreshness['searchScope']>,
  matchCount: number,
): string {
  const numbers = {
    matchCount: formatNumber(matchCount),
    cachedCount: formatNumber(cachedCount),
    total: formatNumber(total ?? 0),
  }
  return t(total === null || total < cachedCount ? 'fresh.foundHere' : 'fresh.foundAmong', numbers)
}

/** Formats whole numbers with thousands separators, the same in both languages (I-09). */
export const formatNumber = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
