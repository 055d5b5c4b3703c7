import { applyPaymentTask, type PaymentTask } from '#contract/payments.ts'
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

export function ApplyDialog({ task, onClose, onDone }: Props) {
  const { t } = useTranslation('payment-tasks')
  const { isBusy, problem, submit } = useTaskAction(applyPaymentTask, task, onDone)
  const amount = formatTaskAmount(task)
  const button = (
    <Button kind="primary" isBusy={isBusy} onClick={submit}>
      {t('applyConfirm', { amount })}
    </Button>
  )
  return (
    <Dialog open title={t('applyTitle', { amount })} onClose={onClose} action={button} shouldFocusCancel>
      <div className="form">
        <TaskProblem problem={problem} />
        <p>{t('applyText', { company: task.company_name, code: task.service_code })}</p>
      </div>
    </Dialog>
  )
}
