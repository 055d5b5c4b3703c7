import type { CustomerRow } from '#contract/staff/customers.ts'
import { sumDues } from '#domain/dues.ts'
import { useList } from '#state/use-list.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { getKnownState, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/customers/translations.ts'
import { allCustomersView, homeCustomers } from '#features/customers/home/home-customers.ts'

/** Reports to the provider's staff the number of customers and what all together have to pay. */
export function CustomerReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('customers')
  const {
    rows = [],
    freshness,
    problem,
    refetch,
  } = useList(homeCustomers, {
    scope: null,
    view: allCustomersView,
  })
  const state = getKnownState(freshness)
  const [firstSum, ...otherValues] = sumUnpaid(rows.map(({ row }) => row))
  // A sum of only some of the customers would be wrong.
  const isComplete = state === 'known' && freshness.complete
  const unpaid = { value: firstSum ?? t('home.nothing'), otherValues, note: '', freshness }
  const customers = { value: formatNumber(rows.length), note: '', freshness }
  useReport({ source: 'customers', state, duties: [], figures: isComplete ? { unpaid, customers } : {} }, onReport)
  return <LoadProblem problem={state === 'known' ? null : problem} onRetry={refetch} />
}

/** Returns the sum of each currency: "HKD 29,000.00". */
export const sumUnpaid = (customers: readonly Pick<CustomerRow, 'unpaid'>[]): string[] =>
  sumDues(customers.flatMap(({ unpaid }) => unpaid)).map(({ currency, amount }) => formatAmount(currency, amount))
