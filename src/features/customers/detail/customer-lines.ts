/** The lines of a customer's overview. The record may be old, so what its lines say is computed for today. */
import { maxReminderDays } from '#domain/contracts.ts'
import { countPayableDays, type PaymentDue, sumDues } from '#domain/dues.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { CustomerDetailsRow } from '#features/customers/detail/CustomerDetails.tsx'

type DuesFields = Pick<CustomerDetailsRow, 'dues' | 'unpaid' | 'unpaid_count'>

interface CustomerDueLine {
  /** The contract that the item belongs to. */
  id: number
  code: string
  due: PaymentDue
  /** Days from today. Negative if overdue. */
  days: number
}

/** Lists what the customer can still pay, soonest first. `moreCount` is the number of items that the server left out of a long list. */
export function listCustomerDues({ dues: orders, unpaid, unpaid_count: unpaidCount }: DuesFields, today: PlainDate) {
  const lines = orders
    .flatMap(({ id, code, dues }) =>
      dues.flatMap((due): CustomerDueLine[] => {
        const days = countPayableDays(due, today)
        return days === null ? [] : [{ id, code, due, days }]
      }),
    )
    .toSorted((a, b) => a.days - b.days)
  const knownCount = orders.reduce((count, { dues }) => count + dues.length, 0)
  const moreCount = Math.max(0, unpaidCount - knownCount)
  const dues = lines.map(({ due }) => due)
  const sums = sumDues(dues).map((sum) => ({
    ...sum,
    count: dues.filter(({ currency }) => currency === sum.currency).length,
  }))
  return { lines, moreCount, sums: moreCount > 0 ? unpaid : sums }
}

type EndingFields = Pick<CustomerDetailsRow, 'ending' | 'effective_contracts'>

/** Lists the contracts that end soon. `isCut`: the server may have left out further ones. */
export function listEndingContracts({ ending, effective_contracts: effectiveCount }: EndingFields, today: PlainDate) {
  const isSoon = ({ days }: { days: number }) => days <= maxReminderDays.beforeExpiry
  const contracts = ending.map((contract) => ({ ...contract, days: countDaysLeft(today, contract.expired_date) }))
  return {
    lines: contracts.filter((contract) => contract.days >= 0 && isSoon(contract)),
    isCut: effectiveCount > contracts.length && contracts.every(isSoon),
  }
}
