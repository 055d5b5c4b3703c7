import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { type Currency, grouped, type Hundredths, writeAmount } from '#domain/money.ts'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

const Chart = lazy(() => import(/* chunk: trail-chart */ '#ui/prime/Chart.tsx'))

interface Line {
  label: string
  /** At each of `edges`; null: no price. */
  fees: readonly (Hundredths | null)[]
}

interface Props {
  currency: Currency
  /** Numbers of users. */
  edges: readonly number[]
  lines: readonly Line[]
}

/** The fee of a year against the number of users, with its numbers as a table below: a picture alone says nothing to a reader. */
export function FeePlot({ currency, edges, lines }: Props) {
  const { t } = useTranslation('prices')
  const look = useLook()
  const data = useMemo(
    () => ({
      datasets: lines.map(({ label, fees }, at) => ({
        label,
        data: edges.flatMap((x, n) =>
          fees[n] === null || fees[n] === undefined ? [] : [{ x, y: Number(fees[n]) / 100 }],
        ),
        borderColor: look.lines[at],
        backgroundColor: look.lines[at],
        borderDash: at === 0 ? [] : [6, 4],
        borderWidth: 2,
        pointRadius: 2,
      })),
    }),
    [edges, lines, look],
  )
  const options = useMemo(
    () => ({
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'nearest', intersect: false },
      plugins: {
        legend: {
          position: 'bottom',
          labels: { color: look.text, font: look.font, usePointStyle: true, pointStyle: 'line' },
        },
      },
      scales: {
        x: { type: 'linear', ...axis(look, t('plot.users')) },
        y: { beginAtZero: true, ...axis(look, t('plot.fee', { currency })) },
      },
    }),
    [look, t, currency],
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
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {edges.map((users, n) => (
                <tr key={users}>
                  <th scope="row">{number(users)}</th>
                  {lines.map(({ label, fees }) => {
                    const fee = fees[n]
                    return (
                      <td key={label}>
                        {fee === null || fee === undefined ? t('plot.none') : grouped(writeAmount(fee))}
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

interface Look {
  text: string
  grid: string
  lines: readonly string[]
  font: { family: string; size: number }
}

const axis = ({ text, grid, font }: Look, title: string) => ({
  title: { display: true, text: title, color: text, font },
  ticks: { color: text, font },
  grid: { color: grid },
})

function readLook(): Look {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: token('--muted'),
    grid: token('--line'),
    lines: [token('--accent'), token('--warning')],
    font: { family: getComputedStyle(document.body).fontFamily, size: Number.parseFloat(style.fontSize) * 0.8 },
  }
}

/** A canvas knows no tokens: its colours are read again when the theme is another. */
function useLook(): Look {
  const [look, setLook] = useState(readLook)
  useEffect(() => {
    const watch = new MutationObserver(() => setLook(readLook()))
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => watch.disconnect()
  }, [])
  return look
}
