import { useLocation } from 'react-router-dom'
import { dueOfOrder, dueOfTraffic } from '#features/backups/dues.ts'
import type { Due, OrderParts } from '#features/backups/order-parts.ts'
import type { Charged } from '#features/backups/useBackups.ts'

interface Props {
  charged: Charged
  PaymentReturn: OrderParts['PaymentReturn']
  onSettled: () => void
}

/** What came of a payment, for whoever comes back from a gateway to this tab; the address says what was paid (`paid=TRAFFIC-12`). */
export function Returned({ charged, PaymentReturn, onSettled }: Props) {
  const { search } = useLocation()
  const due = returnedTo(new URLSearchParams(search).get('paid'), charged)
  return due && <PaymentReturn order={due} onSettled={onSettled} />
}

/** What is paid by now stands there with what was paid for it. */
function returnedTo(said: string | null, { orders, months }: Charged): Due | null {
  const [, contractType, number] = /^(PDBORDER|TRAFFIC)-(\d{1,10})$/.exec(said ?? '') ?? []
  const id = Number(number)
  if (contractType === 'PDBORDER') {
    const row = orders.rows?.find((one) => one.id === id)
    return row ? (dueOfOrder(row) ?? { ...settled(row), contractType, pay_amount: row.pay_amount }) : null
  }
  if (contractType !== 'TRAFFIC') return null
  const row = months.rows?.find((one) => one.id === id)
  return row ? (dueOfTraffic(row) ?? { ...settled(row), contractType, pay_amount: row.pay_amount ?? row.amount }) : null
}

const settled = ({ id, currency }: Pick<Due, 'id' | 'currency'>) => ({ id, currency, due: null })
