import { useDispatch } from '#state/use-store.ts'
import { fetchPoNumber, type PayableOrder, toPaidItems } from '#features/orders/payment/payment-api.ts'
import { useCardFields } from '#features/orders/payment/useCardFields.ts'
import { usePoNumber } from '#features/orders/po-number/usePoNumber.ts'
import { usePaymentOffer } from '#features/orders/payment/usePaymentOffer.ts'
import { useProforma } from '#features/orders/bank-transfer/useProforma.ts'
import { useSendPayment } from '#features/orders/payment/useSendPayment.ts'

export type PaymentState = ReturnType<typeof usePayment>

/** Returns the methods, the card fields and the running payment of an order. Rendered by `PaymentPanel` and `PaymentDialog`. */
export function usePayment(order: PayableOrder, onPaid: () => void) {
  const offer = usePaymentOffer(order)
  const card = useCardFields(offer)
  const dispatch = useDispatch()
  const poNumber = usePoNumber(() => dispatch(fetchPoNumber(order)))
  const payment = useSendPayment(order, { card: card.form, poNumber: poNumber.value, offer }, onPaid)
  const proforma = useProforma(
    toPaidItems(order.items ?? [{ id: order.id, contractType: order.contractType ?? 'CONTRACT' }]),
    offer.adoptCover,
  )
  return { order, offer, card, poNumber, payment, proforma }
}
