import { refundPaymentTask, type PaymentTask } from '#contract/payments.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { formatTaskAmount } from '#features/payment-tasks/home/format-task-amount.ts'
import { TaskProblem } from '#features/payment-tasks/home/TaskProblem.tsx'
import { useTaskAction } from '#features/payment-tasks/home/useTaskAction.ts'

interface Props {
  task: PaymentTask
  onClose: () => void
  onDone: () => void
}

/** The amount stands in the question and on the button: a refund cannot be undone. */
export function RefundDialog({ task, onClose, onDone }: Props) {
  const { t } = useTranslation('payment-tasks')
  const { isBusy, problem, submit } = useTaskAction(refundPaymentTask, task, onDone)
  const amount = formatTaskAmount(task)
  const gateway = gateways.find((candidate) => candidate === task.gateway)
  const button = (
    <Button kind="danger" isBusy={isBusy} onClick={submit}>
      {t('refundConfirm', { amount })}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('refundTitle', { amount, company: task.company_name })}
      onClose={onClose}
      action={button}
      shouldFocusCancel
    >
      <div className="form">
        <TaskProblem problem={problem} />
        <p>{t('refundText', { gateway: gateway ? t(`gateway.${gateway}`) : task.gateway })}</p>
      </div>
    </Dialog>
  )
}

const gateways = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const
