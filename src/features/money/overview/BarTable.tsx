import { useTranslation } from 'react-i18next'
import { groupThousands } from '#domain/money.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { calculateBarLengths } from '#features/money/overview/sums.ts'

interface BarTableProps {
  caption: string
  /** Header of the column of labels. */
  header: string
  /** All of one currency. */
  currency: string
  rows: readonly { key: string; label: string; amount: string; count: number }[]
}

/** A table with a bar in each row, so that the picture and its numbers are one thing. */
export function BarTable({ caption, header, currency, rows }: BarTableProps) {
  const { t } = useTranslation('money-page')
  const lengths = calculateBarLengths(rows.map(({ amount }) => amount))
  return (
    <table className="money-bars">
      <caption className="sr-only">{caption}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{header}</th>
          <th scope="col">{t('column.amount', { currency })}</th>
          <th scope="col">{t('column.count')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, amount, count }, index) => (
          <tr key={key}>
            <th scope="row">
              <span>{label}</span>
              <span className="money-bar" aria-hidden="true">
                <span style={{ inlineSize: `${lengths[index]}%` }} />
              </span>
            </th>
            <td className="amount">{groupThousands(amount)}</td>
            <td className="figure">{formatNumber(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
