import { useNavigate } from 'react-router-dom'
import { ReminderDateDialog } from '#features/orders/dialogs/ReminderDateDialog.tsx'
import type { ContractEditorProps } from '#features/orders/change/ContractEditor.tsx'
import { ContractExtension } from '#features/orders/change/ContractExtension.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { PayDialog } from '#features/orders/dialogs/PayDialog.tsx'
import { DeleteOrderDialog } from '#features/orders/dialogs/DeleteOrderDialog.tsx'
import { ServiceInfoDialog } from '#features/orders/dialogs/ServiceInfoDialog.tsx'
import type { LoadedOrder } from '#features/orders/change/useOrder.ts'

export type ContractDialog =
  | { kind: 'info' }
  | { kind: 'alert' }
  | { kind: 'extend' }
  | { kind: 'pay'; order: PayableOrder }
  | { kind: 'remove'; target: 'order' | 'pending' }

interface Props {
  dialog: ContractDialog | null
  order: LoadedOrder
  timeZone: string | null
  /** Props of the extension form. Null if not all data is loaded. */
  editorProps: ContractEditorProps | null
  onClose: () => void
  /** Replaces the page after a payment, unless its dialog was closed meanwhile. */
  onLeave: (path: string) => void
  onChanged: () => void
  onEdit: () => void
}

export function Dialogs({ dialog, order, timeZone, editorProps, onClose, onLeave, onChanged, onEdit }: Props) {
  const navigate = useNavigate()
  const { row } = order.overlaidRow
  switch (dialog?.kind) {
    case 'info':
      return <ServiceInfoDialog order={row} onClose={onClose} />
    case 'alert':
      return (
        timeZone && (
          <ReminderDateDialog
            overlaidRow={order.overlaidRow}
            timeZone={timeZone}
            onClose={onClose}
            onSaved={onChanged}
          />
        )
      )
    case 'extend':
      return editorProps && <ContractExtension {...editorProps} onClose={onClose} onModify={onEdit} />
    case 'pay': {
      const { id, contractType = 'CONTRACT' } = dialog.order
      const handlePaid = () => {
        onChanged()
        // A paid change or extension becomes a new contract, which has its own page.
        if (contractType === 'CONTRACT' && id !== row.id) onLeave(`/app/contract/${id}`)
        else onClose()
      }
      return <PayDialog row={row} order={dialog.order} onClose={onClose} onPaid={handlePaid} />
    }
    case 'remove': {
      const { target } = dialog
      const handleDone = () => {
        onClose()
        if (target === 'order') void navigate('/app/contract', { replace: true })
        else onChanged()
      }
      return <DeleteOrderDialog target={target} row={row} onClose={onClose} onDone={handleDone} />
    }
    default:
      return null
  }
}
