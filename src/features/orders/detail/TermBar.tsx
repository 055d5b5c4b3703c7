import { daysBetween, daysLeft, lastDay } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  start: PlainDate
  /** Exclusive (D18). */
  end: PlainDate
  /** Null: the business day is not known yet. */
  today: PlainDate | null
}

/** A term from its first day to its last, with today marked; the same in words. */
export function TermBar({ start, end, today }: Props) {
  const { t } = useTranslation('contract')
  const all = daysBetween(start, end)
  const over = today === null ? 0 : Math.min(all, Math.max(0, daysBetween(start, today)))
  const at = `${(100 * over) / all}%`
  return (
    <div className="order-term">
      <svg aria-hidden="true">
        <rect className="all" width="100%" y="5" height="6" rx="3" />
        <rect className="past" width={at} y="5" height="6" rx="3" />
        {today !== null && over < all && <line x1={at} x2={at} y1="0" y2="16" />}
      </svg>
      {today !== null && <p>{said(today)}</p>}
    </div>
  )

  function said(now: PlainDate) {
    if (now < start) return t('term.before', { start })
    const left = daysLeft(now, lastDay(end))
    if (left <= 0) return t(left === 0 ? 'term.last' : 'term.over')
    return t('term.left', { count: left, number: number(left), all: number(all) })
  }
}
