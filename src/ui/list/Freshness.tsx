import { useTranslation } from 'react-i18next'

/** How true a list is: what `local/view.ts` answers with it. */
export interface Fresh {
  /** Server time of the oldest reading it rests on; null: never read. */
  asOf: number | null
  /** Rows of this filter on the device, and what the server last counted. */
  here: number
  total: number | null
  complete: boolean
}

const two = (value: number) => String(value).padStart(2, '0')

/** `yyyy-MM-dd HH:mm:ss` in the reader's own zone. By hand: the browser's formats cost a first drawing 30 ms. */
export function ownTime(instant: number): string {
  const at = new Date(instant)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** 14:05 today, otherwise with its date; the reader's own zone, for it says when this device heard it. */
export function readingTime(asOf: number, now = Date.now()): string {
  const [then, today] = [ownTime(asOf), ownTime(now)]
  return then.slice(0, 10) === today.slice(0, 10) ? then.slice(11, 16) : then.slice(0, 16)
}

/** "as of 14:05 · 240 of 8,431 on this device" (P-12). */
export function Freshness({ fresh }: { fresh: Fresh }) {
  const { t } = useTranslation('ui')
  if (fresh.asOf === null) return <span className="freshness">{t('fresh.never')}</span>
  const at = readingTime(fresh.asOf)
  const partly = !fresh.complete && fresh.total !== null && fresh.here < fresh.total
  return (
    <span className="freshness">
      <time dateTime={new Date(fresh.asOf).toISOString()} title={ownTime(fresh.asOf)}>
        {t('fresh.asOf', { at })}
      </time>
      {partly && (
        <>
          {' · '}
          {t('fresh.partly', { here: number(fresh.here), total: number(fresh.total ?? 0) })}
        </>
      )}
    </span>
  )
}

/** Whole numbers with thousands separators, alike in both languages (I-09). */
export const number = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
