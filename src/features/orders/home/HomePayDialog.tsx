import type { DueItem } from '#features/orders/dues/due-items.ts'
import { toPayableOrder } from '#features/orders/payment/payable.ts'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { PayDialog } from '#features/orders/dialogs/PayDialog.tsx'

interface Props {
  item: DueItem
  onClose: () => void
  onPaid: () => void
}

/** The payment over the home page. Loaded when it is first opened. */
export const HomePayDialog = ({ item: { row, due }, ...handlers }: Props) => (
  <>
    <OrderStyles />
    <PayDialog row={row} order={toPayableOrder(due)} {...handlers} />
  </>
)
