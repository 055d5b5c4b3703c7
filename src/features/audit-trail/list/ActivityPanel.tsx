import { lazy, Suspense, useEffect, useState } from 'react'
import { trailActivity } from '#contract/audit-trail.ts'
import { isOffline } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { storeDrawnRange, readDrawnRange } from '#features/audit-trail/list/drawn-range.ts'
import { toDrawnRange, toFilterQuery, type TrailRange, type TrailView } from '#features/audit-trail/list/trail-view.ts'
import { useTrailResponse } from '#features/audit-trail/list/useTrailResponse.ts'

const ActivityChart = lazy(async () => ({
  default: (await import('#features/audit-trail/list/ActivityChart.tsx')).ActivityChart,
}))

interface ActivityPanelProps {
  view: TrailView
  onRange: (range: TrailRange) => void
}

/** How much was done on which day, by the filters of the list. Nothing is asked or drawn while it is folded away. */
export function ActivityPanel({ view, onRange }: ActivityPanelProps) {
  const { t } = useTranslation('audit')
  // A small screen is the list's.
  const [isOpen, setIsOpen] = useState(() => !matchMedia('(width < 48rem), (height < 49rem)').matches)
  return (
    <details className="trail-activity" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('activity.title')}</summary>
      {isOpen && <Activity view={view} onRange={onRange} />}
    </details>
  )
}

function Activity({ view, onRange }: ActivityPanelProps) {
  const { t } = useTranslation('audit')
  const selectedDay = view.dateFrom === view.dateTo ? view.dateFrom : null
  const [wideRange, setWideRange] = useState(readDrawnRange)
  const drawnRange = toDrawnRange(view, wideRange)
  if (selectedDay === null && (wideRange?.dateFrom !== view.dateFrom || wideRange.dateTo !== view.dateTo))
    setWideRange(drawnRange)
  useEffect(() => {
    if (wideRange) storeDrawnRange(wideRange)
  }, [wideRange])
  const { response, previousResponse, problem, refetch } = useTrailResponse(trailActivity, {
    query: toFilterQuery({ ...view, ...drawnRange }),
  })
  const displayedResponse = response ?? previousResponse
  if (problem && !response)
    return isOffline(problem) ? (
      <p className="trail-activity-note">{t('activity.notHere')}</p>
    ) : (
      <LoadProblem problem={problem} onRetry={refetch} />
    )
  if (!displayedResponse) return <Skeleton lines={4} />
  const { days, from } = displayedResponse.output
  if (days.length === 0) return <p className="trail-activity-note">{t('activity.none')}</p>
  return (
    <div className="trail-activity-room">
      <p className="trail-activity-note">
        <span>{selectedDay === null ? t('activity.hint') : t('activity.chosen', { day: selectedDay })}</span>
        {selectedDay !== null && (
          <Button kind="plain" onClick={() => onRange(wideRange ?? { dateFrom: null, dateTo: null })}>
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
          range={{ ...drawnRange, dateFrom: from ?? drawnRange.dateFrom }}
          selectedDay={selectedDay}
          onDay={(day) => onRange({ dateFrom: day, dateTo: day })}
        />
      </Suspense>
      {from !== null && <p className="trail-since">{t('activity.since', { day: from })}</p>}
    </div>
  )
}
