import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ListedRefund, settleRefundTask } from '#contract/staff/refunds.ts'
import { findRefusalReason } from '#contract/problem.ts'
import { groupThousands } from '#domain/money.ts'
import { withDoneToast } from '#patterns/action-toast.ts'
import { useAction } from '#state/use-action.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

interface SettleRefundDialogProps {
  refund: ListedRefund
  onClose: () => void
  onDone: () => void
}

/** "I202611000006 · acmetest · HKD 263.02" */
const toOption = ({ id: value, code, service_code, currency, amount }: ListedRefund['invoices'][number]) => ({
  value,
  label: `${code} · ${service_code} · ${currency} ${groupThousands(amount)}`,
})

/** Settles the task about a refund that was made at a gateway, or that a gateway refused. With several invoices, the staff choose the one that it was for. */
export function SettleRefundDialog({ refund, onClose, onDone }: SettleRefundDialogProps) {
  const { t } = useTranslation('refunds')
  const { id, currency, total, invoices, credit_note_code: note } = refund
  const [invoiceId, setInvoiceId] = useState<number | null>(null)
  const amount = `${currency} ${groupThousands(total)}`
  const { isBusy, problem, run } = withDoneToast(useAction(settleRefundTask), { doneText: t('task.settled'), onDone })
  const isSettled = findRefusalReason(problem, ['seen'] as const) !== null
  const hasChoice = invoices.length > 0
  const title = refund.state === 'failed' ? 'task.failedTitle' : hasChoice ? 'task.assignTitle' : 'task.settleTitle'
  const noNoteText = refund.state === 'failed' ? t('task.failedText') : t('task.settleTextNoNote')
  const body = invoiceId === null ? {} : { invoice_id: invoiceId }
  return (
    <ActionDialog
      title={t(title, { amount })}
      // The duty disappears if somebody else has settled it.
      onClose={isSettled ? onDone : onClose}
      actionLabel={t(hasChoice ? 'task.assign' : 'task.settle')}
      isBusy={isBusy}
      disabledReason={hasChoice && invoiceId === null ? t('task.chooseFirst') : null}
      onAction={() => void run({ params: { id }, body })}
    >
      <ProblemNote problem={problem} reason={isSettled ? t('task.seen') : null} shouldFocus />
      {hasChoice ? (
        <>
          <p>{t('task.assignText')}</p>
          <SelectField
            label={t('task.invoice')}
            value={invoiceId ?? ''}
            options={[{ value: '', label: t('task.choose') }, ...invoices.map(toOption)]}
            onChange={({ target }) => setInvoiceId(Number(target.value) || null)}
          />
        </>
      ) : (
        <p>{note ? t('task.settleText', { note }) : noNoteText}</p>
      )}
    </ActionDialog>
  )
}
