import { useLocation } from 'react-router-dom'
import { parseItems } from '#features/orders/dues/returned-items.ts'
import { PaymentResult } from '#features/orders/payment/PaymentResult.tsx'

/** Shows a payer who returns from a gateway whether several items were paid. Loaded only then. */
export function ReturnedPayment({ onSettled }: { onSettled: () => void }) {
  const { search } = useLocation()
  const items = parseItems(search)
  const [firstItem] = items
  if (!firstItem || items.length < 2) return null
  return <PaymentResult order={{ ...firstItem, items, pay_amount: null, due: null }} onSettled={onSettled} />
}
