import { lazy, Suspense, useEffect, useState } from 'react'
import { trailActivity } from '#contract/audit-trail.ts'
import { isOffline } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { keepDrawn, readDrawn } from '#features/audit-trail/list/drawn-days.ts'
import { drawnRange, filtersOf, type Range, type View } from '#features/audit-trail/list/list-url.ts'
import { useAnswer } from '#features/audit-trail/list/useAnswer.ts'

const ActivityChart = lazy(async () => ({
  default: (await import('#features/audit-trail/list/ActivityChart.tsx')).ActivityChart,
}))

interface Props {
  view: View
  onRange: (range: Range) => void
}

/** How much was done on which day, by the filters of the list. Nothing is asked or drawn while it is folded away. */
export function ActivityPanel({ view, onRange }: Props) {
  const { t } = useTranslation('audit')
  // A small screen is the list's.
  const [open, setOpen] = useState(() => !matchMedia('(width < 48rem), (height < 49rem)').matches)
  return (
    <details className="trail-activity" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('activity.title')}</summary>
      {open && <Activity view={view} onRange={onRange} />}
    </details>
  )
}

function Activity({ view, onRange }: Props) {
  const { t } = useTranslation('audit')
  const chosen = view.dateFrom === view.dateTo ? view.dateFrom : null
  const [wide, setWide] = useState(readDrawn)
  const drawn = drawnRange(view, wide)
  if (chosen === null && (wide?.dateFrom !== view.dateFrom || wide.dateTo !== view.dateTo)) setWide(drawn)
  useEffect(() => {
    if (wide) keepDrawn(wide)
  }, [wide])
  const { answer, earlier, problem, refetch } = useAnswer(trailActivity, { query: filtersOf({ ...view, ...drawn }) })
  const shown = answer ?? earlier
  if (problem && !answer)
    return isOffline(problem) ? (
      <p className="trail-activity-note">{t('activity.notHere')}</p>
    ) : (
      <LoadProblem problem={problem} onRetry={refetch} />
    )
  if (!shown) return <Skeleton lines={4} />
  const { days, from } = shown.output
  if (days.length === 0) return <p className="trail-activity-note">{t('activity.none')}</p>
  return (
    <div className="trail-activity-room">
      <p className="trail-activity-note">
        <span>{chosen === null ? t('activity.hint') : t('activity.chosen', { day: chosen })}</span>
        {chosen !== null && (
          <Button kind="plain" onClick={() => onRange(wide ?? { dateFrom: null, dateTo: null })}>
            {t('activity.allDays')}
          </Button>
        )}
        <span className="trail-legend" aria-hidden="true">
          <span className="done">{t('activity.done')}</span>
          <span className="failed">{t('activity.failed')}</span>
        </span>
      </p>
      <Suspense fallback={<div className="trail-plot" />}>
        <ActivityChart
          days={days}
          range={{ ...drawn, dateFrom: from ?? drawn.dateFrom }}
          chosen={chosen}
          onDay={(day) => onRange({ dateFrom: day, dateTo: day })}
        />
      </Suspense>
      {from !== null && <p className="trail-since">{t('activity.since', { day: from })}</p>}
    </div>
  )
}
