import { type ReactNode, useId } from 'react'
import { BarTable } from '#features/money/overview/BarTable.tsx'
import { type CurrencySum, formatSum, groupByCurrency } from '#features/money/overview/sums.ts'

interface BarCardProps<S extends CurrencySum> {
  title: string
  /** Header of the column of labels. */
  header: string
  rows: readonly S[]
  getKey: (row: S) => string
  getLabel: (row: S) => string
  emptyText: string
  children?: ReactNode
}

/** A card with the sum of each currency and its parts as bars. */
export function BarCard<S extends CurrencySum>({ title, header, rows, emptyText, children, ...of }: BarCardProps<S>) {
  const id = useId()
  return (
    <section className="card money-card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {rows.length === 0 && <p className="field-help">{emptyText}</p>}
      {groupByCurrency(rows).map((group) => (
        <div key={group.currency} className="money-currency">
          <p className="money-total amount">{formatSum({ currency: group.currency, amount: group.total })}</p>
          <BarTable
            caption={`${title}, ${group.currency}`}
            header={header}
            currency={group.currency}
            rows={group.rows.map((row) => ({ ...row, key: of.getKey(row), label: of.getLabel(row) }))}
          />
        </div>
      ))}
      {children}
    </section>
  )
}
