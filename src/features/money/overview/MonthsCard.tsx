import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { MoneyOverview } from '#contract/staff/money.ts'
import { groupThousands } from '#domain/money.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { calculateBarLengths, type CurrencyGroup, groupByCurrency, listMonths } from '#features/money/overview/sums.ts'

type Month = MoneyOverview['months'][number]

/** What was received in each of the last twelve months: a chart for each currency, with its numbers as a table. */
export function MonthsCard({ overview: { month, months } }: { overview: MoneyOverview }) {
  const { t } = useTranslation('money-page')
  const id = useId()
  return (
    <section className="card money-card money-wide" aria-labelledby={id}>
      <h2 id={id}>{t('months.title')}</h2>
      {months.length === 0 && <p className="field-help">{t('months.none')}</p>}
      <div className="money-charts">
        {groupByCurrency(months).map((group) => (
          <MonthChart key={group.currency} group={group} months={listMonths(month)} />
        ))}
      </div>
    </section>
  )
}

/** A month without money has no row from the server. */
const noMoney = { amount: '0.00', count: 0 }

function MonthChart({ group: { currency, rows }, months }: { group: CurrencyGroup<Month>; months: readonly string[] }) {
  const { t } = useTranslation('money-page')
  const columns = months.map((month) => ({ month, ...(rows.find((row) => row.month === month) ?? noMoney) }))
  const lengths = calculateBarLengths(columns.map(({ amount }) => amount))
  const largest = Math.max(...lengths)
  const peak = columns[lengths.indexOf(largest)]
  return (
    <figure className="money-chart">
      <figcaption>
        <strong>{currency}</strong>
        {peak && largest > 0 && (
          <span className="field-help">
            {t('months.most', { month: peak.month, amount: `${currency} ${groupThousands(peak.amount)}` })}
          </span>
        )}
      </figcaption>
      <div className="money-columns" aria-hidden="true">
        {columns.map(({ month, amount }, index) => (
          <div key={month} title={`${month}: ${currency} ${groupThousands(amount)}`}>
            <span className="money-column" style={{ blockSize: `${lengths[index]}%` }} />
            <span className="money-month">{month.slice(5)}</span>
          </div>
        ))}
      </div>
      <details className="money-numbers">
        <summary>{t('months.numbers')}</summary>
        <table>
          <caption className="sr-only">{t('months.caption', { currency })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('column.month')}</th>
              <th scope="col">{t('column.amount', { currency })}</th>
              <th scope="col">{t('column.count')}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ month, amount, count }) => (
              <tr key={month}>
                <th scope="row">{month}</th>
                <td className="amount">{groupThousands(amount)}</td>
                <td className="figure">{formatNumber(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
