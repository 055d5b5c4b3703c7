import { useEffect, useState } from 'react'
import { listPaymentTasks, type PaymentTask } from '#contract/payments.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useConnection } from '#state/use-store.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { type HomeDuty, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/payment-tasks/words.ts'
import { formatTaskAmount } from '#features/payment-tasks/home/format-task-amount.ts'
import { ApplyDialog } from '#features/payment-tasks/home/ApplyDialog.tsx'
import { RefundDialog } from '#features/payment-tasks/home/RefundDialog.tsx'

/** While a refund is under way, ms. */
const pollMs = 2000

/** Money that no order waits for, for the provider's admins: refunded or applied from the home page. */
export function PaymentTaskReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('payment-tasks')
  const { networkState: connection } = useConnection()
  const { response, problem, refetch } = useCachedResponse(readAgedResponse, listPaymentTasks, {})
  const [dialog, setDialog] = useState<{ kind: 'refund' | 'apply'; task: PaymentTask } | null>(null)
  const tasks = (response?.output ?? []).filter(({ settled }) => settled === null)
  const isRefunding = tasks.some(({ state }) => state === 'refunding')
  useEffect(() => {
    if (!isRefunding || connection !== 'online') return
    const timer = setInterval(() => void refetch(), pollMs)
    return () => clearInterval(timer)
  }, [isRefunding, connection, refetch])
  const disabledReason = connection === 'online' ? null : t('offline')
  const duties = tasks.map((task): HomeDuty => {
    const openDialog = (kind: 'refund' | 'apply') => () => setDialog({ kind, task })
    const duty = {
      key: `task ${task.id}`,
      at: '',
      icon: 'price' as const,
      isUrgent: true,
      title: t(`title.${task.reason}`, { amount: formatTaskAmount(task) }),
      text: describeTask(task),
    }
    if (task.state === 'refunding')
      return { ...duty, action: { label: t('check'), run: () => void refetch(), disabledReason } }
    return {
      ...duty,
      action: { label: t('refund'), run: openDialog('refund'), disabledReason },
      otherAction: { label: t('apply'), run: openDialog('apply'), disabledReason },
    }
  })
  const state = response ? 'known' : problem || response === null ? 'unknown' : 'loading'
  useReport({ source: 'payments', state, duties, figures: {} }, onReport)
  const onClose = () => setDialog(null)
  const onDone = () => {
    setDialog(null)
    void refetch()
  }
  if (dialog?.kind === 'refund') return <RefundDialog task={dialog.task} onClose={onClose} onDone={onDone} />
  if (dialog?.kind === 'apply') return <ApplyDialog task={dialog.task} onClose={onClose} onDone={onDone} />
  return <LoadProblem problem={problem} onRetry={() => void refetch()} />

  function describeTask(task: PaymentTask): string {
    const { company_name: company, kind, payable_id: id, service_code: code, received } = task
    const summary = t('about', { company, kind: t(`kind.${kind}`), id, code, received })
    if (task.state === 'refunding') return t('refunding', { about: summary })
    return task.problem ? t('refused', { problem: task.problem, about: summary }) : summary
  }
}
