import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { Rehearsed } from '#features/prices/rehearsal/slice.ts'

type Props = Rehearsed['currencies'][number]
type Bar = Props['histogram'][number]

/** How many contracts would change by how much: bars whose lengths stand beside them as numbers. */
export function Histogram({ currency, histogram, more, less, same }: Props) {
  const { t } = useTranslation('prices')
  const highest = Math.max(1, ...histogram.map(({ contracts }) => contracts))
  const rangeWords = ({ from, to }: Bar) => {
    if (from === 0 && to === 0) return t('histogram.same')
    if (from === null) return t('histogram.below', { to: to === null ? '' : signedPercent(to) })
    return to === null
      ? t('histogram.above', { from: signedPercent(from) })
      : t('histogram.between', { from: signedPercent(from), to: signedPercent(to) })
  }
  return (
    <section>
      <h3>{t('histogram.title', { currency })}</h3>
      <p className="price-sub">
        {t('histogram.counts', { more: number(more), less: number(less), same: number(same) })}
      </p>
      <ol className="price-histogram">
        {histogram.map((bar) => (
          <li key={`${bar.from} ${bar.to}`} className={bar.contracts === 0 ? 'none' : undefined}>
            <span className="price-bar-name">{rangeWords(bar)}</span>
            <span className="price-bar" aria-hidden="true">
              <span style={{ inlineSize: `${(bar.contracts / highest) * 100}%` }} />
            </span>
            <span className="figure">{number(bar.contracts)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

const signedPercent = (percent: number) => `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${Math.abs(percent)} %`
