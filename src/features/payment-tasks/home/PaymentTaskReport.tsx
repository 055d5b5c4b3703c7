import { useState } from 'react'
import { listPaymentTasks, type PaymentTask } from '#contract/payments.ts'
import { usePolling } from '#patterns/usePolling.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection } from '#state/use-store.ts'
import { type HomeDuty, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/payment-tasks/words.ts'
import { formatTaskAmount } from '#features/payment-tasks/home/format-task-amount.ts'
import { useMoneyCheckDuty } from '#features/payment-tasks/home/useMoneyCheckDuty.tsx'
import { TaskDialog } from '#features/payment-tasks/home/TaskDialog.tsx'
import { useRefundDuties } from '#features/payment-tasks/home/useRefundDuties.tsx'

/** Interval of the requests while a refund is in progress, ms. */
const pollMs = 2000

/**
 * Reports payments that belong to no open order, which the provider's admins refund or apply to an order on the home page, and refunds,
 * disputes and faults of the money that need attention.
 */
export function PaymentTaskReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('payment-tasks')
  const isOnline = useConnection().networkState === 'online'
  const { record, problem, refetch } = useRecord(listPaymentTasks, {})
  const [dialog, setDialog] = useState<{ kind: 'refund' | 'apply'; task: PaymentTask } | null>(null)
  const tasks = (record ?? []).filter(({ settled }) => settled === null)
  usePolling(isOnline && tasks.some(({ state }) => state === 'refunding'), pollMs, () => void refetch())
  const disabledReason = isOnline ? null : t('offline')
  const refunds = useRefundDuties(isOnline, disabledReason)
  const moneyCheck = useMoneyCheckDuty(disabledReason)
  const buildAction = (kind: 'refund' | 'apply', task: PaymentTask) => ({
    label: t(kind),
    run: () => setDialog({ kind, task }),
    disabledReason,
  })
  const buildActions = (task: PaymentTask): Pick<HomeDuty, 'action' | 'otherAction'> =>
    task.state === 'refunding'
      ? { action: { label: t('check'), run: () => void refetch(), disabledReason } }
      : { action: buildAction('refund', task), otherAction: buildAction('apply', task) }
  const taskDuties = tasks.map(
    (task): HomeDuty => ({
      key: `task ${task.id}`,
      at: '',
      icon: 'price',
      isUrgent: true,
      title: t(`title.${task.reason}`, { amount: formatTaskAmount(task) }),
      text: describeTask(task),
      ...buildActions(task),
    }),
  )
  const duties = [...moneyCheck.duties, ...refunds.duties, ...taskDuties]
  const isKnown = record !== null && refunds.isKnown && moneyCheck.isKnown
  const emptyState = problem || record === null ? 'unknown' : 'loading'
  useReport({ source: 'payments', state: isKnown ? 'known' : emptyState, duties, figures: {} }, onReport)
  const onDone = () => {
    setDialog(null)
    void refetch()
  }
  if (dialog) return <TaskDialog {...dialog} onClose={() => setDialog(null)} onDone={onDone} />
  if (refunds.dialog) return refunds.dialog
  if (moneyCheck.dialog) return moneyCheck.dialog
  return <LoadProblem problem={record ? null : problem} onRetry={() => void refetch()} />

  function describeTask(task: PaymentTask): string {
    const { company_name: company, kind, payable_id: id, service_code: code, received } = task
    const summary = t('about', { company, kind: t(`kind.${kind}`), id, code, received })
    if (task.state === 'refunding') return t('refunding', { about: summary })
    return task.problem ? t('refused', { problem: task.problem, about: summary }) : summary
  }
}
