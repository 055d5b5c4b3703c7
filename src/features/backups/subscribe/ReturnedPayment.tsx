import { useLocation } from 'react-router-dom'
import { findPayableRow, toOrderPayable, toTrafficPayable } from '#features/backups/payables.ts'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import type { BackupCharges } from '#features/backups/backup-hooks.ts'

interface ReturnedPaymentProps {
  charges: BackupCharges
  PaymentReturn: OrderParts['PaymentReturn']
  onSettled: () => void
}

/** Shows the result of a payment after the return from a gateway. The address names the paid row (`paid=TRAFFIC-12`). */
export function ReturnedPayment({ charges, PaymentReturn, onSettled }: ReturnedPaymentProps) {
  const { search } = useLocation()
  const payable = findReturnedPayable(new URLSearchParams(search).get('paid'), charges)
  return payable && <PaymentReturn order={payable} onSettled={onSettled} />
}

/** Returns the payable of the row in the address. If the row is already paid, its amount is the one that was paid. */
function findReturnedPayable(paidParam: string | null, charges: BackupCharges): BackupPayable | null {
  const match = /^(PDBORDER|TRAFFIC)-(\d{1,10})$/.exec(paidParam ?? '')
  if (!match) return null
  const contractType = match[1] as BackupPayable['contractType']
  const id = Number(match[2])
  const { order, month } = findPayableRow(charges, { contractType, id })
  const settledPayable = { contractType, id, due: null }
  if (order)
    return toOrderPayable(order) ?? { ...settledPayable, currency: order.currency, pay_amount: order.pay_amount }
  if (!month) return null
  const { currency, amount, pay_amount: paidAmount } = month
  return toTrafficPayable(month) ?? { ...settledPayable, currency, pay_amount: paidAmount ?? amount }
}
