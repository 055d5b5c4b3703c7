import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { getBusinessNow, formatBusinessTime, useBusinessZone } from '#ui/page/business-clock.ts'

/** How true a list is: what `local/lists/list-view.ts` answers with it. */
export interface ListFreshness {
  /** Server time of the oldest reading it rests on; null: never read. */
  asOf: number | null
  /** Rows of this filter on the device, and what the server last counted. */
  cachedCount: number
  total: number | null
  complete: boolean
  /** What a filter was looked for in where that is not all the server has: rows here, of how many; null: not counted. */
  searchScope?: { cachedCount: number; total: number | null } | null
  /** Waiting writes of the list. */
  pendingCount?: number
  /** The last asking brought nothing from the server: nothing more is to be waited for. */
  isCached?: boolean
  /** Rows of the page that the server could not show. */
  leftOutCount?: number
}

/** 14:05 today, otherwise with its date; in the business time zone. `asOf`: server time, epoch ms. */
export function formatReadingTime(asOf: number, now = getBusinessNow()): string {
  const [time, today] = [formatBusinessTime(asOf), formatBusinessTime(now)]
  return time.slice(0, 10) === today.slice(0, 10) ? time.slice(11, 16) : time.slice(0, 16)
}

/** "as of 14:05 · 240 of 8,431 on this device"; "3 found among 10 of 58 saved on this device" (P-12). `found`: rows shown. */
export function Freshness({
  freshness,
  matchCount = freshness.cachedCount,
}: {
  freshness: ListFreshness
  matchCount?: number
}) {
  const { t } = useTranslation('ui')
  const zone = useBusinessZone()
  const { asOf, searchScope, pendingCount = 0, leftOutCount = 0 } = freshness
  if (asOf === null) return <span className="freshness">{t('fresh.never')}</span>
  const details = [
    formatCachedPart(t, freshness),
    searchScope && formatSearched(t, searchScope, matchCount),
    pendingCount > 0 && t('fresh.pending', { count: pendingCount }),
    leftOutCount > 0 && t('fresh.leftOut', { count: leftOutCount }),
  ]
  return (
    <span className="freshness">
      <time dateTime={new Date(asOf).toISOString()} title={`${formatBusinessTime(asOf)} ${zone}`}>
        {t('fresh.asOf', { at: formatReadingTime(asOf) })}
      </time>
      {details.map((detail) => detail && ` · ${detail}`)}
    </span>
  )
}

/** Null where the device has the complete list, or nobody counted it. */
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

/** Whole numbers with thousands separators, alike in both languages (I-09). */
export const formatNumber = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
