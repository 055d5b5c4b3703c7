import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ListedRefund, settleRefundTask } from '#contract/staff/refunds.ts'
import { findRefusalReason } from '#contract/problem.ts'
import { groupThousands } from '#domain/money.ts'
import { withDoneToast } from '#patterns/action-toast.ts'
import { getRefundState } from '#patterns/refunds/describe-refund.ts'
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

function getTexts(refund: ListedRefund, t: TFunction<'refunds'>) {
  const { credit_note_code: note } = refund
  const state = getRefundState(refund)
  if (state === 'beyond') return { title: 'task.beyondTask', text: t('task.beyondText') } as const
  if (state === 'failed') return { title: 'task.failedTitle', text: t('task.failedText') } as const
  if (state === 'returned') {
    const text = note === null ? t('task.returnedTextNoNote') : t('task.returnedText', { note })
    return { title: 'task.returnedTask', text } as const
  }
  const text = note === null ? t('task.settleTextNoNote') : t('task.settleText', { note })
  return { title: 'task.settleTitle', text } as const
}

/** Settles the task about a refund that was made at a gateway, or that a gateway refused. With several invoices, the staff choose the one that it was for. */
export function SettleRefundDialog({ refund, onClose, onDone }: SettleRefundDialogProps) {
  const { t } = useTranslation('refunds')
  const { id, currency, total, invoices } = refund
  const [invoiceId, setInvoiceId] = useState<number | null>(null)
  const amount = `${currency} ${groupThousands(total)}`
  const { isBusy, problem, run } = withDoneToast(useAction(settleRefundTask), { doneText: t('task.settled'), onDone })
  const isSettled = findRefusalReason(problem, ['seen'] as const) !== null
  const hasChoice = invoices.length > 0
  const { title, text } = getTexts(refund, t)
  const body = invoiceId === null ? {} : { invoice_id: invoiceId }
  return (
    <ActionDialog
      title={t(hasChoice ? 'task.assignTitle' : title, { amount })}
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
        <p>{text}</p>
      )}
    </ActionDialog>
  )
}
