import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { businessNow, businessTime, useBusinessZone } from '#ui/page/business-clock.ts'

/** How true a list is: what `local/lists/list-view.ts` answers with it. */
export interface Fresh {
  /** Server time of the oldest reading it rests on; null: never read. */
  asOf: number | null
  /** Rows of this filter on the device, and what the server last counted. */
  here: number
  total: number | null
  complete: boolean
  /** What a filter was looked for in where that is not all the server has: rows here, of how many; null: not counted. */
  searched?: { here: number; total: number | null } | null
  /** Waiting writes of the list. */
  pending?: number
  /** The last asking brought nothing from the server: nothing more is to be waited for. */
  isKept?: boolean
  /** Rows of the page that the server could not show. */
  leftOut?: number
}

/** 14:05 today, otherwise with its date; in the business time zone. `asOf`: server time, epoch ms. */
export function readingTime(asOf: number, now = businessNow()): string {
  const [then, today] = [businessTime(asOf), businessTime(now)]
  return then.slice(0, 10) === today.slice(0, 10) ? then.slice(11, 16) : then.slice(0, 16)
}

/** "as of 14:05 · 240 of 8,431 on this device"; "3 found among 10 of 58 saved on this device" (P-12). `found`: rows shown. */
export function Freshness({ fresh, found = fresh.here }: { fresh: Fresh; found?: number }) {
  const { t } = useTranslation('ui')
  const zone = useBusinessZone()
  if (fresh.asOf === null) return <span className="freshness">{t('fresh.never')}</span>
  const at = readingTime(fresh.asOf)
  const partly = !fresh.complete && fresh.total !== null && fresh.here < fresh.total
  return (
    <span className="freshness">
      <time dateTime={new Date(fresh.asOf).toISOString()} title={`${businessTime(fresh.asOf)} ${zone}`}>
        {t('fresh.asOf', { at })}
      </time>
      {partly && (
        <>
          {' · '}
          {t('fresh.partly', { here: number(fresh.here), total: number(fresh.total ?? 0) })}
        </>
      )}
      {fresh.searched && ` · ${searchedWords(t, fresh.searched, found)}`}
      {(fresh.pending ?? 0) > 0 && ` · ${t('fresh.pending', { count: fresh.pending })}`}
      {(fresh.leftOut ?? 0) > 0 && ` · ${t('fresh.leftOut', { count: fresh.leftOut })}`}
    </span>
  )
}

function searchedWords(t: TFunction<'ui'>, { here, total }: NonNullable<Fresh['searched']>, found: number): string {
  const numbers = { found: number(found), here: number(here), total: number(total ?? 0) }
  return t(total === null || total < here ? 'fresh.foundHere' : 'fresh.foundAmong', numbers)
}

/** Whole numbers with thousands separators, alike in both languages (I-09). */
export const number = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
