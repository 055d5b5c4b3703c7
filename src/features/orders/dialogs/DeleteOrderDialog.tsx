import { useEffect } from 'react'
import { groupThousands } from '#domain/money.ts'
import { deleteContract, type OrderRow } from '#contract/orders.ts'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { useTranslation } from 'react-i18next'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { removeOrder } from '#features/orders/slice.ts'

interface Props {
  /** `pending` is the order's unpaid change or extension (D34). */
  target: 'order' | 'pending'
  row: OrderRow
  onClose: () => void
  onDone: () => void
}

/**
 * Warns before the deletion (M64). Closes if the pending change is paid or deleted meanwhile. Otherwise the dialog would then offer to
 * delete the order itself.
 */
export function DeleteOrderDialog(props: Props) {
  const { target, row, onClose } = props
  const isTargetGone = target === 'pending' && !row.pending
  useEffect(() => {
    if (isTargetGone) onClose()
  }, [isTargetGone, onClose])
  return isTargetGone ? null : <DeletionWarning {...props} />
}

/** The focus is on the button that keeps the order (C-16, A-10). */
function DeletionWarning({ target, row, onClose, onDone }: Props) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const pending = target === 'pending' ? row.pending : null
  // A pending change is deleted only with a connection (D34).
  const deletion = useAction((displayedRow: OrderRow, options) =>
    pending
      ? callEndpoint(deleteContract, { params: { id: pending.id } }, options)
      : removeOrder(displayedRow, options),
  )
  const { run, ...removal } = withDoneToast(deletion, { doneText: formatDone(t('action.remove')), onDone })
  const { code, name, currency } = row
  const payableOrder = findPayableOrder(row)
  const dueText = payableOrder?.dueSubject ? formatDue(payableOrder.dueSubject) : ''
  // The row itself may be an unpaid change or extension. Its code is that of the contract, which is not deleted.
  const pendingChange = pending ?? (row.type === 'create' ? null : { type: row.type, amount: row.pay_amount ?? '0.00' })
  const title = pendingChange ? t('remove.pendingTitle', { code }) : t('remove.title', { code })
  return (
    <ActionDialog
      title={title}
      onClose={onClose}
      kind="danger"
      actionLabel={t('remove.confirm')}
      onAction={() => void run(row)}
      cancel={t('remove.cancel')}
      {...removal}
    >
      <p>
        {pendingChange
          ? t(`remove.pendingText.${pendingChange.type}`, {
              matter: dueText,
              amount: `${currency} ${groupThousands(pendingChange.amount)}`,
            })
          : t('remove.text', { code, name })}
      </p>
    </ActionDialog>
  )
}
