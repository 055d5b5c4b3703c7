import { type DueGroup, toPayableGroup } from '#features/orders/dues/due-groups.ts'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { PayDialog } from '#features/orders/dialogs/PayDialog.tsx'

interface Props {
  group: DueGroup
  onClose: () => void
  onPaid: () => void
}

/** The payment of one item or of several over the home page. Loaded when it is first opened. */
export const HomePayDialog = ({ group, ...handlers }: Props) => (
  <>
    <OrderStyles />
    <PayDialog row={group[0].row} order={toPayableGroup(group)} {...handlers} />
  </>
)
