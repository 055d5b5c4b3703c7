import type { OrderRow } from '#contract/orders.ts'
import { CalendarDialog } from '#features/orders/dialogs/CalendarDialog.tsx'
import { DeleteOrderDialog } from '#features/orders/dialogs/DeleteOrderDialog.tsx'
import { PayDialog } from '#features/orders/dialogs/PayDialog.tsx'
import { ServiceInfoDialog } from '#features/orders/dialogs/ServiceInfoDialog.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

export type OrdersDialogState =
  | { kind: 'calendar' }
  | { kind: 'info'; row: OrderRow }
  | { kind: 'pay'; row: OrderRow; order: PayableOrder }
  | { kind: 'remove'; row: OrderRow; target: 'order' | 'pending' }

interface Props {
  dialog: OrdersDialogState
  onClose: () => void
  /** Called after a row was paid or deleted. */
  onChanged: () => void
}

export function OrdersDialog({ dialog, onClose, onChanged }: Props) {
  const closeAndReload = () => {
    onClose()
    onChanged()
  }
  switch (dialog.kind) {
    case 'calendar':
      return <CalendarDialog onClose={onClose} />
    case 'info':
      return <ServiceInfoDialog order={dialog.row} onClose={onClose} />
    case 'pay':
      // One of several items may have been paid or deleted meanwhile, so the list is fetched again in any case.
      return <PayDialog {...dialog} onClose={dialog.order.items ? closeAndReload : onClose} onPaid={closeAndReload} />
    case 'remove':
      return <DeleteOrderDialog {...dialog} onClose={onClose} onDone={closeAndReload} />
  }
}
