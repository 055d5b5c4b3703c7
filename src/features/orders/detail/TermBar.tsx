import { countDaysBetween, countDaysLeft, getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  start: PlainDate
  /** Exclusive end date (D18). */
  end: PlainDate
  /** Null if the business day is not known yet. */
  today: PlainDate | null
}

/** Shows a term as a bar from its first to its last day, with today marked. Also gives the dates as text. */
export function TermBar({ start, end, today }: Props) {
  const { t } = useTranslation('contract')
  const totalDays = countDaysBetween(start, end)
  const elapsedDays = today === null ? 0 : Math.min(totalDays, Math.max(0, countDaysBetween(start, today)))
  const position = `${(100 * elapsedDays) / totalDays}%`
  return (
    <div className="order-term">
      <svg aria-hidden="true">
        <rect className="all" width="100%" y="5" height="6" rx="3" />
        <rect className="past" width={position} y="5" height="6" rx="3" />
        {today !== null && elapsedDays < totalDays && <line x1={position} x2={position} y1="0" y2="16" />}
      </svg>
      <p>{today === null ? '\u00a0' : describeTerm(today)}</p>
    </div>
  )

  function describeTerm(day: PlainDate) {
    if (day < start) return t('term.before', { start })
    const remainingDays = countDaysLeft(day, getLastDay(end))
    if (remainingDays <= 0) return t(remainingDays === 0 ? 'term.last' : 'term.over')
    return t('term.left', { count: remainingDays, number: formatNumber(remainingDays), all: formatNumber(totalDays) })
  }
}
