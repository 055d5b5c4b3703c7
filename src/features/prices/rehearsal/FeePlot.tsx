import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { type Currency, groupThousands, type Hundredths, writeAmount } from '#domain/money.ts'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { subscribeToTheme } from '#ui/display/theme.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

const Chart = lazy(() => import(/* chunk: trail-chart */ '#ui/prime/Chart.tsx'))

interface PlotLine {
  label: string
  fees: readonly (Hundredths | null)[]
}

interface Props {
  currency: Currency
  edges: readonly number[]
  lines: readonly PlotLine[]
}

/** Plots the annual fee against the number of users. A table below has the same numbers for screen readers. */
export function FeePlot({ currency, edges, lines }: Props) {
  const { t } = useTranslation('prices')
  const chartStyle = useChartStyle()
  const data = useMemo(
    () => ({
      datasets: lines.map(({ label, fees }, index) => ({
        label,
        data: edges.flatMap((x, edgeIndex) =>
          fees[edgeIndex] === null || fees[edgeIndex] === undefined ? [] : [{ x, y: Number(fees[edgeIndex]) / 100 }],
        ),
        borderColor: chartStyle.lines[index],
        backgroundColor: chartStyle.lines[index],
        borderDash: index === 0 ? [] : [6, 4],
        borderWidth: 2,
        pointRadius: 2,
      })),
    }),
    [edges, lines, chartStyle],
  )
  const options = useMemo(
    () => ({
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'nearest', intersect: false },
      plugins: {
        legend: {
          position: 'bottom',
          labels: { color: chartStyle.text, font: chartStyle.font, usePointStyle: true, pointStyle: 'line' },
        },
      },
      scales: {
        x: { type: 'linear', ...buildAxis(chartStyle, t('plot.users')) },
        y: { beginAtZero: true, ...buildAxis(chartStyle, t('plot.fee', { currency })) },
      },
    }),
    [chartStyle, t, currency],
  )
  return (
    <>
      <div className="price-plot" aria-hidden="true">
        <Suspense fallback={null}>
          <Chart type="line" data={data} options={options} />
        </Suspense>
      </div>
      <details className="price-numbers">
        <summary>{t('plot.numbers')}</summary>
        <div className="price-scroll">
          <table className="price-figures">
            <caption>{t('plot.caption', { currency })}</caption>
            <thead>
              <tr>
                <th scope="col">{t('plot.users')}</th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col">
                    <TextWithDates text={label} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {edges.map((users, n) => (
                <tr key={users}>
                  <th scope="row">{formatNumber(users)}</th>
                  {lines.map(({ label, fees }) => {
                    const fee = fees[n]
                    return (
                      <td key={label}>
                        {fee === null || fee === undefined ? t('plot.none') : groupThousands(writeAmount(fee))}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  )
}

interface ChartStyle {
  text: string
  grid: string
  lines: readonly string[]
  font: { family: string; size: number }
}

const buildAxis = ({ text, grid, font }: ChartStyle, title: string) => ({
  title: { display: true, text: title, color: text, font },
  ticks: { color: text, font },
  grid: { color: grid },
})

function readChartStyle(): ChartStyle {
  const style = getComputedStyle(document.documentElement)
  const readToken = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: readToken('--muted'),
    grid: readToken('--line'),
    lines: [readToken('--accent'), readToken('--warning')],
    font: { family: getComputedStyle(document.body).fontFamily, size: Number.parseFloat(style.fontSize) * 0.8 },
  }
}

/** A canvas cannot use CSS variables, so its colours are read again when the theme changes. */
function useChartStyle(): ChartStyle {
  const [chartStyle, setChartStyle] = useState(readChartStyle)
  useEffect(() => subscribeToTheme(() => setChartStyle(readChartStyle())), [])
  return chartStyle
}
