import { type KeyboardEvent, lazy, Suspense, useMemo, useState } from 'react'
import type { PlainDate } from '#domain/time.ts'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { type Day, everyDay } from '#features/audit-trail/list/activity-days.ts'
import type { Range } from '#features/audit-trail/list/list-url.ts'
import { type Look, useLook } from '#features/audit-trail/list/useLook.ts'

const Chart = lazy(() => import(/* chunk: trail-chart */ '#ui/prime/Chart.tsx'))

interface Props {
  days: readonly Day[]
  /** What was counted. */
  range: Range
  /** The only day that is shown; null: all of them. */
  chosen: PlainDate | null
  onDay: (day: PlainDate) => void
}

/**
 * Bars by day, what failed over what was done. A click chooses a day; by keys the drawing is one control with the days as its
 * values; whoever cannot see it has the numbers as a table.
 */
export function ActivityChart({ days: given, range: { dateFrom, dateTo }, chosen, onDay }: Props) {
  const { t } = useTranslation('audit')
  const days = useMemo(() => everyDay(given, { dateFrom, dateTo }), [given, dateFrom, dateTo])
  const [reached, setReached] = useState<PlainDate | null>(null)
  const placeOf = (day: PlainDate | null) => days.findIndex((one) => one.day === day)
  const at = Math.max(
    0,
    placeOf(reached) < 0 ? (placeOf(chosen) < 0 ? days.length - 1 : placeOf(chosen)) : placeOf(reached),
  )
  const now = days[at]
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: days.length - 1,
    }
    const next = to[event.key as keyof typeof to]
    if (next !== undefined) setReached(days[Math.min(Math.max(next, 0), days.length - 1)]?.day ?? null)
    else if (event.key === 'Enter' && now) onDay(now.day)
    else return
    event.preventDefault()
  }
  const spoken = now && t('activity.day', { day: now.day, done: number(now.done), failed: number(now.failed) })
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
        aria-valuenow={at + 1}
        aria-valuetext={spoken}
        onKeyDown={onKeyDown}
        onBlur={() => setReached(null)}
      >
        <Drawn days={days} marked={reached ?? chosen} onDay={onDay} />
      </div>
      <p className="trail-reached" aria-hidden="true">
        {reached !== null && spoken}
      </p>
      <Numbers days={given} onDay={onDay} />
    </>
  )
}

function Drawn({ days, marked, onDay }: { days: readonly Day[]; marked: PlainDate | null; onDay: Props['onDay'] }) {
  const { t } = useTranslation('audit')
  const look = useLook()
  const [done, failed] = [t('activity.done'), t('activity.failed')]
  const data = useMemo(() => {
    const bars = (label: string, key: 'done' | 'failed', colour: string) => ({
      label,
      data: days.map((one) => one[key]),
      // The others step back, where one day is meant.
      backgroundColor: days.map(({ day }) => (marked === null || day === marked ? colour : `${colour}55`)),
      maxBarThickness: 28,
    })
    return {
      labels: days.map(({ day }) => day),
      datasets: [bars(done, 'done', look.done), bars(failed, 'failed', look.failed)],
    }
  }, [days, marked, look, done, failed])
  const options = useMemo(() => optionsOf(look, days, onDay), [look, days, onDay])
  return (
    <div aria-hidden="true">
      <Suspense fallback={null}>
        <Chart type="bar" data={data} options={options} />
      </Suspense>
    </div>
  )
}

/** As Chart.js tells of a click: the bars under it, or nearest to it along the days. */
type Hit = readonly { index: number }[]

function optionsOf({ text, grid, font }: Look, days: readonly Day[], onDay: Props['onDay']) {
  const ticks = { color: text, font }
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'index', intersect: false },
    onClick: (_event: unknown, [hit]: Hit) => {
      const day = hit && days[hit.index]
      if (day) onDay(day.day)
    },
    // Named beside the heading, in the page's own letters.
    plugins: { legend: { display: false } },
    scales: {
      x: { stacked: true, ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 }, grid: { display: false } },
      y: { stacked: true, beginAtZero: true, ticks: { ...ticks, precision: 0 }, grid: { color: grid } },
    },
  }
}

function Numbers({ days, onDay }: Pick<Props, 'days' | 'onDay'>) {
  const { t } = useTranslation('audit')
  const [open, setOpen] = useState(false)
  const sorted = useMemo(() => days.toSorted((a, b) => (a.day < b.day ? 1 : -1)), [days])
  return (
    <details className="trail-numbers" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('activity.numbers')}</summary>
      {open && (
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
              {sorted.map(({ day, done, failed }) => (
                <tr key={day}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => onDay(day)}>
                      <span className="sr-only">{t('activity.only', { day })}</span>
                      <span aria-hidden="true">{day}</span>
                    </button>
                  </th>
                  <td>{number(done)}</td>
                  <td>{number(failed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}
