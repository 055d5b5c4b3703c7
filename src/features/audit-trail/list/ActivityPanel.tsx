import { lazy, Suspense } from 'react'
import { trailActivity } from '#contract/audit-trail.ts'
import type { InputOf, OutputOf } from '#contract/endpoint.ts'
import { isOffline } from '#contract/problem.ts'
import type { PlainDate } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { type TrailRange, type TrailView, trailView } from '#features/audit-trail/list/trail-view.ts'
import { useDrawnRange } from '#features/audit-trail/list/useDrawnRange.ts'
import { useStoredSwitch } from '#ui/display/useStoredSwitch.ts'
import { useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'

const ActivityChart = lazy(async () => ({
  default: (await import('#features/audit-trail/list/ActivityChart.tsx')).ActivityChart,
}))

interface ActivityProps {
  view: TrailView
  onRange: (range: TrailRange) => void
}

/**
 * Returns whether the chart is open. On a small screen it starts closed, to leave the space to the list. Once a user has closed it, it stays
 * closed on this device.
 */
export const useChartSwitch = () =>
  useStoredSwitch('portal.trailChart', () => !matchMedia('(width < 48rem), (height < 49rem)').matches)

interface ActivityPanelProps extends ActivityProps {
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}

/** Shows the number of entries by day, for the filters of the list. Requests and draws nothing while it is closed. */
export function ActivityPanel({ isOpen, onToggle, ...activityProps }: ActivityPanelProps) {
  const { t } = useTranslation('audit')
  return (
    <details className="trail-activity" open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
      <summary>{t('activity.title')}</summary>
      {isOpen && (
        <div className="trail-activity-body">
          <Activity {...activityProps} />
        </div>
      )}
    </details>
  )
}

function Activity({ view, onRange }: ActivityProps) {
  const { t } = useTranslation('audit')
  const { drawnRange, wideRange } = useDrawnRange(view)
  const { response, previousResponse, problem, refetch } = useTrailResponse(trailActivity, {
    query: trailView.toFilterQuery({ ...view, ...drawnRange }),
  } as InputOf<typeof trailActivity>)
  if (problem && !response)
    return isOffline(problem) ? (
      <p className="trail-activity-note">{t('activity.notHere')}</p>
    ) : (
      <LoadProblem problem={problem} onRetry={refetch} />
    )
  const activity = (response ?? previousResponse)?.output
  if (!activity) return null
  if (activity.days.length === 0) return <p className="trail-activity-note">{t('activity.none')}</p>
  return (
    <ActivityFigures
      activity={activity}
      drawnRange={drawnRange}
      selectedDay={view.dateFrom === view.dateTo ? view.dateFrom : null}
      onDay={(day) => onRange({ dateFrom: day, dateTo: day })}
      onAllDays={() => onRange(wideRange ?? { dateFrom: null, dateTo: null })}
    />
  )
}

interface ActivityFiguresProps {
  activity: OutputOf<typeof trailActivity>
  drawnRange: TrailRange
  selectedDay: PlainDate | null
  onDay: (day: PlainDate) => void
  onAllDays: () => void
}

function ActivityFigures({ activity, drawnRange, selectedDay, onDay, onAllDays }: ActivityFiguresProps) {
  const { t } = useTranslation('audit')
  const { days, from } = activity
  return (
    <div className="trail-activity-room">
      <p className="trail-activity-note">
        <span>{selectedDay === null ? t('activity.hint') : t('activity.chosen', { day: selectedDay })}</span>
        {selectedDay !== null && (
          <Button kind="plain" onClick={onAllDays}>
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
          onDay={onDay}
        />
      </Suspense>
      {from !== null && <p className="trail-since">{t('activity.since', { day: from })}</p>}
    </div>
  )
}
