import { applyPaymentTask, type PaymentTask, refundPaymentTask } from '#contract/payments.ts'
import { withDoneToast } from '#patterns/action-toast.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { useAction } from '#state/use-action.ts'
import { useTranslation } from 'react-i18next'
import { formatTaskAmount } from '#features/payment-tasks/home/format-task-amount.ts'
import { TaskProblem } from '#features/payment-tasks/home/TaskProblem.tsx'

interface TaskDialogProps {
  kind: 'refund' | 'apply'
  task: PaymentTask
  onClose: () => void
  onDone: () => void
}

const endpoints = { refund: refundPaymentTask, apply: applyPaymentTask }
const gateways = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const

/** Refunds or applies the amount of a task. Title and button show the amount, because a refund cannot be undone. */
export function TaskDialog({ kind, task, onClose, onDone }: TaskDialogProps) {
  const { t } = useTranslation('payment-tasks')
  const { company_name: company, service_code: code } = task
  const amount = formatTaskAmount(task)
  const gateway = gateways.find((candidate) => candidate === task.gateway)
  const doneText = kind === 'refund' ? t('refundBegun') : t('applied', { amount })
  const { isBusy, problem, run } = withDoneToast(useAction(endpoints[kind]), { doneText, onDone })
  return (
    <ActionDialog
      title={t(`${kind}Title`, { amount, company })}
      onClose={onClose}
      kind={kind === 'refund' ? 'danger' : 'primary'}
      actionLabel={t(`${kind}Confirm`, { amount })}
      isBusy={isBusy}
      onAction={() => void run({ params: { id: task.id }, body: {} })}
      shouldFocusCancel
    >
      <TaskProblem problem={problem} />
      <p>
        {kind === 'refund'
          ? t('refundText', { gateway: gateway ? t(`gateway.${gateway}`) : task.gateway })
          : t('applyText', { company, code })}
      </p>
    </ActionDialog>
  )
}
