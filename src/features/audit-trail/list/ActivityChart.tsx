import { type KeyboardEvent, lazy, Suspense, useMemo, useState } from 'react'
import type { PlainDate } from '#domain/time.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { type ActivityDay, fillDays } from '#features/audit-trail/list/activity-days.ts'
import type { TrailRange } from '#features/audit-trail/list/trail-view.ts'
import { type ChartStyle, useChartStyle } from '#features/audit-trail/list/useChartStyle.ts'

const Chart = lazy(() => import(/* chunk: trail-chart */ '#ui/prime/Chart.tsx'))

interface ActivityChartProps {
  days: readonly ActivityDay[]
  range: TrailRange
  selectedDay: PlainDate | null
  onDay: (day: PlainDate) => void
}

/**
 * Shows a bar per day, with failed entries stacked on the others. A click selects a day. For the keyboard, the chart is one slider whose
 * values are the days. Users who cannot see it get the numbers as a table.
 */
export function ActivityChart({
  days: countedDays,
  range: { dateFrom, dateTo },
  selectedDay,
  onDay,
}: ActivityChartProps) {
  const { t } = useTranslation('audit')
  const days = useMemo(() => fillDays(countedDays, { dateFrom, dateTo }), [countedDays, dateFrom, dateTo])
  const [focusedDay, setFocusedDay] = useState<PlainDate | null>(null)
  const getIndex = (day: PlainDate | null) => days.findIndex((candidate) => candidate.day === day)
  const selectedIndex = [focusedDay, selectedDay].map(getIndex).find((index) => index >= 0)
  const currentIndex = Math.max(0, selectedIndex ?? days.length - 1)
  const currentDay = days[currentIndex]
  const onKeyDown = (event: KeyboardEvent) => {
    const indexByKey = {
      ArrowLeft: currentIndex - 1,
      ArrowDown: currentIndex - 1,
      ArrowRight: currentIndex + 1,
      ArrowUp: currentIndex + 1,
      Home: 0,
      End: days.length - 1,
    }
    const nextIndex = indexByKey[event.key as keyof typeof indexByKey]
    if (nextIndex !== undefined) setFocusedDay(days[Math.min(Math.max(nextIndex, 0), days.length - 1)]?.day ?? null)
    else if (event.key === 'Enter' && currentDay) onDay(currentDay.day)
    else return
    event.preventDefault()
  }
  const announcement =
    currentDay &&
    t('activity.day', {
      day: currentDay.day,
      done: formatNumber(currentDay.done),
      failed: formatNumber(currentDay.failed),
    })
  return (
    <>
      {/* biome-ignore lint: Enter chooses the day that was reached, beyond what a slider does */}
      <div
        className="trail-plot"
        role="slider"
        tabIndex={0}
        aria-label={t('activity.keys')}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={currentIndex + 1}
        aria-valuetext={announcement}
        onKeyDown={onKeyDown}
        onBlur={() => setFocusedDay(null)}
      >
        <ActivityBars days={days} highlightedDay={focusedDay ?? selectedDay} onDay={onDay} />
      </div>
      <p className="trail-reached" aria-hidden="true">
        {focusedDay !== null && announcement}
      </p>
      <ActivityTable days={countedDays} onDay={onDay} />
    </>
  )
}

function ActivityBars({
  days,
  highlightedDay,
  onDay,
}: {
  days: readonly ActivityDay[]
  highlightedDay: PlainDate | null
  onDay: ActivityChartProps['onDay']
}) {
  const { t } = useTranslation('audit')
  const style = useChartStyle()
  const [doneLabel, failedLabel] = [t('activity.done'), t('activity.failed')]
  const data = useMemo(() => {
    const buildDataset = (label: string, key: 'done' | 'failed', colour: string) => ({
      label,
      data: days.map((activityDay) => activityDay[key]),
      backgroundColor: days.map(({ day }) =>
        highlightedDay === null || day === highlightedDay ? colour : `${colour}55`,
      ),
      maxBarThickness: 28,
    })
    return {
      labels: days.map(({ day }) => day),
      datasets: [
        buildDataset(doneLabel, 'done', style.doneColour),
        buildDataset(failedLabel, 'failed', style.failedColour),
      ],
    }
  }, [days, highlightedDay, style, doneLabel, failedLabel])
  const options = useMemo(() => buildChartOptions(style, days, onDay), [style, days, onDay])
  return (
    <div aria-hidden="true">
      <Suspense fallback={null}>
        <Chart type="bar" data={data} options={options} />
      </Suspense>
    </div>
  )
}

/** Argument of Chart.js's click handler: the bars under the pointer, or the nearest ones along the axis of days. */
type ChartHits = readonly { index: number }[]

function buildChartOptions(
  { text, grid, font }: ChartStyle,
  days: readonly ActivityDay[],
  onDay: ActivityChartProps['onDay'],
) {
  const ticks = { color: text, font }
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    onClick: (_event: unknown, [hit]: ChartHits) => {
      const day = hit && days[hit.index]
      if (day) onDay(day.day)
    },
    // The legend is next to the heading, in the font of the page.
    plugins: { legend: { display: false } },
    scales: {
      x: { stacked: true, ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 }, grid: { display: false } },
      y: { stacked: true, beginAtZero: true, ticks: { ...ticks, precision: 0 }, grid: { color: grid } },
    },
  }
}

function ActivityTable({ days, onDay }: Pick<ActivityChartProps, 'days' | 'onDay'>) {
  const { t } = useTranslation('audit')
  const [isOpen, setIsOpen] = useState(false)
  const sortedDays = useMemo(() => days.toSorted((a, b) => (a.day < b.day ? 1 : -1)), [days])
  return (
    <details className="trail-numbers" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('activity.numbers')}</summary>
      {isOpen && (
        <div className="trail-scroll">
          <table className="trail-figures">
            <caption className="sr-only">{t('activity.caption')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('activity.dayColumn')}</th>
                <th scope="col">{t('activity.done')}</th>
                <th scope="col">{t('activity.failed')}</th>
              </tr>
            </thead>
            <tbody>
              {sortedDays.map(({ day, done, failed }) => (
                <tr key={day}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => onDay(day)}>
                      <span className="sr-only">{t('activity.only', { day })}</span>
                      <span aria-hidden="true">{day}</span>
                    </button>
                  </th>
                  <td>{formatNumber(done)}</td>
                  <td>{formatNumber(failed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}
