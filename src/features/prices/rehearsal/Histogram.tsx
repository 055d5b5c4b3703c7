import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { RehearsalOutput } from '#features/prices/rehearsal/rehearsal-slice.ts'

type Props = RehearsalOutput['currencies'][number]
type HistogramBar = Props['histogram'][number]

export function Histogram({ currency, histogram, more, less, same }: Props) {
  const { t } = useTranslation('prices')
  const maxContracts = Math.max(1, ...histogram.map(({ contracts }) => contracts))
  const formatRange = ({ from, to }: HistogramBar) => {
    if (from === 0 && to === 0) return t('histogram.same')
    if (from === null) return t('histogram.below', { to: to === null ? '' : formatSignedPercent(to) })
    return to === null
      ? t('histogram.above', { from: formatSignedPercent(from) })
      : t('histogram.between', { from: formatSignedPercent(from), to: formatSignedPercent(to) })
  }
  return (
    <section>
      <h3>{t('histogram.title', { currency })}</h3>
      <p className="price-sub">
        {t('histogram.counts', { more: formatNumber(more), less: formatNumber(less), same: formatNumber(same) })}
      </p>
      <ol className="price-histogram">
        {histogram.map((bar) => (
          <li key={`${bar.from} ${bar.to}`} className={bar.contracts === 0 ? 'none' : undefined}>
            <span className="price-bar-name">{formatRange(bar)}</span>
            <span className="price-bar" aria-hidden="true">
              <span style={{ inlineSize: `${(bar.contracts / maxContracts) * 100}%` }} />
            </span>
            <span className="figure">{formatNumber(bar.contracts)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

const formatSignedPercent = (percent: number) => `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${Math.abs(percent)} %`
