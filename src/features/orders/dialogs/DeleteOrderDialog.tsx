import { useState } from 'react'
import { groupThousands } from '#domain/money.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { showResultToast } from '#features/orders/result-toast.ts'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { removeChange, removeOrder } from '#features/orders/slice.ts'

interface Props {
  /** What is deleted: the order itself, or the unpaid change or extension that waits on it (D34). */
  target: 'order' | 'pending'
  row: OrderRow
  onClose: () => void
  onDone: () => void
}

/** Warns before it is gone (M64); the safe way out has the focus (C-16, A-10). */
export function DeleteOrderDialog({ target, row, onClose, onDone }: Props) {
  const { t } = useTranslation('orders')
  const dispatch = useDispatch()
  const formatDue = useDueFormatter()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const pending = target === 'pending' ? row.pending : null
  async function remove() {
    setIsBusy(true)
    const result = await dispatch(pending ? removeChange(pending.id) : removeOrder(row.id))
    setIsBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
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
