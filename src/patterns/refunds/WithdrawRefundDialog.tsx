import { useTranslation } from 'react-i18next'
import { findRefusalReason } from '#contract/problem.ts'
import { type RefundRow, withdrawRefund } from '#contract/staff/refunds.ts'
import { groupThousands } from '#domain/money.ts'
import { withDoneToast } from '#patterns/action-toast.ts'
import { describeGatewayReason } from '#patterns/refunds/describe-refund.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

interface WithdrawRefundDialogProps {
  refund: RefundRow
  onClose: () => void
  /** Called when the refund is withdrawn, or can no longer be. */
  onDone: () => void
}

/** Asks whether a refund is withdrawn. The texts are those of the refunds, which the feature loads. */
export function WithdrawRefundDialog({ refund, onClose, onDone }: WithdrawRefundDialogProps) {
  const { t } = useTranslation('refunds')
  const { id, currency, invoice_code: code, problem: refusal } = refund
  const amount = `${currency} ${groupThousands(refund.amount)}`
  const { isBusy, problem, run } = withDoneToast(useAction(withdrawRefund), { doneText: t('withdraw.done'), onDone })
  const isChanged = findRefusalReason(problem, ['changed'] as const) !== null
  const disabledReason = useUnsendableReason(t('offline'), isChanged ? t('withdraw.changed') : null)
  return (
    <ActionDialog
      title={t('withdraw.title', { amount })}
      // The refund is requested again if it has changed.
      onClose={isChanged ? onDone : onClose}
      kind="danger"
      actionLabel={t('withdraw.act')}
      {...{ isBusy, disabledReason }}
      onAction={() => void run({ params: { id }, body: {} })}
      shouldFocusCancel
    >
      <ProblemNote problem={problem} reason={isChanged ? t('withdraw.changed') : null} shouldFocus />
      {refusal !== null && <p>{t('withdraw.problem', { problem: describeGatewayReason(refusal) })}</p>}
      <p>{code === null ? t('withdraw.text') : t('withdraw.textOf', { code })}</p>
    </ActionDialog>
  )
}
