import { useLocation } from 'react-router-dom'
import { toOrderPayable, toTrafficPayable } from '#features/backups/payables.ts'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import type { BackupCharges } from '#features/backups/backup-hooks.ts'

interface ReturnedPaymentProps {
  charges: BackupCharges
  PaymentReturn: OrderParts['PaymentReturn']
  onSettled: () => void
}

/** What came of a payment, for whoever comes back from a gateway to this tab; the address says what was paid (`paid=TRAFFIC-12`). */
export function ReturnedPayment({ charges, PaymentReturn, onSettled }: ReturnedPaymentProps) {
  const { search } = useLocation()
  const payable = findReturnedPayable(new URLSearchParams(search).get('paid'), charges)
  return payable && <PaymentReturn order={payable} onSettled={onSettled} />
}

/** What is paid by now stands there with what was paid for it. */
function findReturnedPayable(paidParameter: string | null, { orders, months }: BackupCharges): BackupPayable | null {
  const [, contractType, number] = /^(PDBORDER|TRAFFIC)-(\d{1,10})$/.exec(paidParameter ?? '') ?? []
  const id = Number(number)
  if (contractType === 'PDBORDER') {
    const row = orders.rows?.find((candidate) => candidate.id === id)
    return row ? (toOrderPayable(row) ?? { ...toSettledPayable(row), contractType, pay_amount: row.pay_amount }) : null
  }
  if (contractType !== 'TRAFFIC') return null
  const row = months.rows?.find((candidate) => candidate.id === id)
  return row
    ? (toTrafficPayable(row) ?? { ...toSettledPayable(row), contractType, pay_amount: row.pay_amount ?? row.amount })
    : null
}

const toSettledPayable = ({ id, currency }: Pick<BackupPayable, 'id' | 'currency'>) => ({ id, currency, due: null })
