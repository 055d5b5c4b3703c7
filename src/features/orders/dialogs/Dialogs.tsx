import { useNavigate } from 'react-router-dom'
import { AlertDate } from '#features/orders/dialogs/ReminderDateDialog.tsx'
import type { ChangeProps } from '#features/orders/change/ContractEditor.tsx'
import { Extend } from '#features/orders/change/ContractExtension.tsx'
import type { Payable } from '#features/orders/payment/payment-api.ts'
import { PayDialog } from '#features/orders/dialogs/PayDialog.tsx'
import { RemoveOrder } from '#features/orders/dialogs/DeleteOrderDialog.tsx'
import { ServiceInfo } from '#features/orders/dialogs/ServiceInfoDialog.tsx'
import type { ShownOrder } from '#features/orders/change/useContract.ts'

/** `what`: the page's own order, or the one that waits beside it. */
export type Dialog =
  | { kind: 'info' }
  | { kind: 'alert' }
  | { kind: 'extend' }
  | { kind: 'pay'; order: Payable }
  | { kind: 'remove'; what: 'order' | 'pending' }

interface Props {
  dialog: Dialog | null
  order: ShownOrder
  /** The business time zone; null: not known yet. */
  zone: string | null
  /** What an order of its own takes; null: not all of it is here. */
  changing: ChangeProps | null
  onClose: () => void
  onChanged: () => void
  onEdit: () => void
}

/** What stands over the page of an order. */
export function Dialogs({ dialog, order, zone, changing, onClose, onChanged, onEdit }: Props) {
  const navigate = useNavigate()
  const { row } = order.shown
  const go = (to: string) => void navigate(to, { replace: true })
  switch (dialog?.kind) {
    case 'info':
      return <ServiceInfo order={row} onClose={onClose} />
    case 'alert':
      return zone && <AlertDate shown={order.shown} zone={zone} onClose={onClose} onSaved={onChanged} />
    case 'extend':
      return changing && <Extend {...changing} onClose={onClose} onModify={onEdit} />
    case 'pay': {
      const { id, contractType = 'CONTRACT' } = dialog.order
      const paid = () => {
        onClose()
        onChanged()
        // What takes the place of this one has a page of its own.
        if (contractType === 'CONTRACT' && id !== row.id) go(`/app/contract/${id}`)
      }
      return <PayDialog row={row} order={dialog.order} onClose={onClose} onPaid={paid} />
    }
    case 'remove': {
      const { what } = dialog
      const done = () => {
        onClose()
        if (what === 'order') go('/app/contract')
        else onChanged()
      }
      return <RemoveOrder what={what} row={row} onClose={onClose} onDone={done} />
    }
    default:
      return null
  }
}
