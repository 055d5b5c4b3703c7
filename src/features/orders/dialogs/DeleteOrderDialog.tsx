import { groupThousands } from '#domain/money.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { deleteContract, type OrderRow } from '#contract/orders.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { showResultToast } from '#features/orders/result-toast.ts'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { removeOrder } from '#features/orders/slice.ts'

interface Props {
  /** The order itself, or its unpaid change or extension (D34). */
  target: 'order' | 'pending'
  row: OrderRow
  onClose: () => void
  onDone: () => void
}

/** Warns before it is deleted (M64); the button that keeps it has the focus (C-16, A-10). */
export function DeleteOrderDialog({ target, row, onClose, onDone }: Props) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const pending = target === 'pending' ? row.pending : null
  // A pending change is deleted only with a connection (D34).
  const { run, isBusy, problem } = useAction((id: RowRef, options) =>
    pending ? callEndpoint(deleteContract, { params: { id: pending.id } }, options) : removeOrder(id, options),
  )
  async function remove() {
    const result = await run(row.id)
    if (result.kind === 'problem') return
    showResultToast(t('action.remove'), result)
    onDone()
  }
  const action = (
    <Button kind="danger" isBusy={isBusy} onClick={() => void remove()}>
      {t('remove.confirm')}
    </Button>
  )
  const { code, name, currency } = row
  const payableOrder = findPayableOrder(row)
  const dueText = payableOrder?.dueSubject ? formatDue(payableOrder.dueSubject) : ''
  // The page of an unpaid change or extension is about that order, and its code stays the contract's.
  const pendingChange = pending ?? (row.type === 'create' ? null : { type: row.type, amount: row.pay_amount ?? '0.00' })
  const title = pendingChange ? t('remove.pendingTitle', { code }) : t('remove.title', { code })
  return (
    <Dialog open title={title} onClose={onClose} action={action} cancel={t('remove.cancel')}>
      <div className="form">
        <ProblemNote problem={problem} shouldFocus />
        <p>
          {pendingChange
            ? t(`remove.pendingText.${pendingChange.type}`, {
                matter: dueText,
                amount: `${currency} ${groupThousands(pendingChange.amount)}`,
              })
            : t('remove.text', { code, name })}
        </p>
      </div>
    </Dialog>
  )
}
