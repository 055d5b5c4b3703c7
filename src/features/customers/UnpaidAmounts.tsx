import type { CustomerRow } from '#contract/staff/customers.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { useTranslation } from 'react-i18next'

/** Shows the unpaid amount of each currency, with the number of items if there are several. */
export function UnpaidAmounts({ unpaid }: Pick<CustomerRow, 'unpaid'>) {
  const { t } = useTranslation('customers')
  if (unpaid.length === 0) return <NoValue />
  return (
    <span className="customer-unpaid">
      {unpaid.map(({ currency, amount, count }) => (
        <span key={currency}>
          <Amount currency={currency} amount={amount} />
          {count > 1 && (
            <span className="customer-count">
              {' '}
              <span className="customer-dot">·</span> {t('items', { count })}
            </span>
          )}
        </span>
      ))}
    </span>
  )
}
