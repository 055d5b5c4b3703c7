import { applyPaymentTask, type PaymentTask, refundPaymentTask } from '#contract/payments.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
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

/** Refunds or applies the amount of a task. Title and button have the amount, because a refund cannot be undone. */
export function TaskDialog({ kind, task, onClose, onDone }: TaskDialogProps) {
  const { t } = useTranslation('payment-tasks')
  const { isBusy, problem, run } = useAction(endpoints[kind])
  const { company_name: company, service_code: code } = task
  const amount = formatTaskAmount(task)
  const gateway = gateways.find((candidate) => candidate === task.gateway)
  async function submit() {
    const result = await run({ params: { id: task.id }, body: {} })
    if (result.kind === 'problem') return
    showToast({ kind: 'done', text: kind === 'refund' ? t('refundBegun') : t('applied', { amount }) })
    onDone()
  }
  const button = (
    <Button kind={kind === 'refund' ? 'danger' : 'primary'} isBusy={isBusy} onClick={() => void submit()}>
      {t(`${kind}Confirm`, { amount })}
    </Button>
  )
  return (
    <Dialog open title={t(`${kind}Title`, { amount, company })} onClose={onClose} action={button} shouldFocusCancel>
      <div className="form">
        <TaskProblem problem={problem} />
        <p>
          {kind === 'refund'
            ? t('refundText', { gateway: gateway ? t(`gateway.${gateway}`) : task.gateway })
            : t('applyText', { company, code })}
        </p>
      </div>
    </Dialog>
  )
}
