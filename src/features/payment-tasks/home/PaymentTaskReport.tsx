import { useEffect, useState } from 'react'
import { listPaymentTasks, type PaymentTask } from '#contract/payments.ts'
import { readAged } from '#local/lists/responses.ts'
import { useConnection } from '#state/hooks.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'
import { type Duty, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/payment-tasks/words.ts'
import { amountOf } from '#features/payment-tasks/home/amount-of.ts'
import { ApplyDialog } from '#features/payment-tasks/home/ApplyDialog.tsx'
import { RefundDialog } from '#features/payment-tasks/home/RefundDialog.tsx'

/** While a refund is under way, ms. */
const pollMs = 2000

/** Money that no order waits for, for the provider's admins: refunded or applied from the home page. */
export function PaymentTaskReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('payment-tasks')
  const { line } = useConnection()
  const { response, problem, refetch } = useCachedResponse(readAged, listPaymentTasks, {})
  const [dialog, setDialog] = useState<{ kind: 'refund' | 'apply'; task: PaymentTask } | null>(null)
  const tasks = (response?.output ?? []).filter(({ settled }) => settled === null)
  const isRefunding = tasks.some(({ state }) => state === 'refunding')
  useEffect(() => {
    if (!isRefunding || line !== 'online') return
    const timer = setInterval(() => void refetch(), pollMs)
    return () => clearInterval(timer)
  }, [isRefunding, line, refetch])
  const whyNot = line === 'online' ? null : t('offline')
  const duties = tasks.map((task): Duty => {
    const open = (kind: 'refund' | 'apply') => () => setDialog({ kind, task })
    const words = {
      key: `task ${task.id}`,
      at: '',
      icon: 'price' as const,
      isUrgent: true,
      title: t(`title.${task.reason}`, { amount: amountOf(task) }),
      text: aboutOf(task),
    }
    if (task.state === 'refunding')
      return { ...words, action: { label: t('check'), run: () => void refetch(), whyNot } }
    return {
      ...words,
      action: { label: t('refund'), run: open('refund'), whyNot },
      otherAction: { label: t('apply'), run: open('apply'), whyNot },
    }
  })
  const state = response ? 'known' : problem || response === null ? 'unknown' : 'asking'
  useReport({ from: 'payments', state, duties, figures: {} }, onReport)
  const onClose = () => setDialog(null)
  const onDone = () => {
    setDialog(null)
    void refetch()
  }
  if (dialog?.kind === 'refund') return <RefundDialog task={dialog.task} onClose={onClose} onDone={onDone} />
  if (dialog?.kind === 'apply') return <ApplyDialog task={dialog.task} onClose={onClose} onDone={onDone} />
  return <LoadProblem problem={problem} onRetry={() => void refetch()} />

  function aboutOf(task: PaymentTask): string {
    const { company_name: company, kind, payable_id: id, service_code: code, received } = task
    const about = t('about', { company, kind: t(`kind.${kind}`), id, code, received })
    if (task.state === 'refunding') return t('refunding', { about })
    return task.problem ? t('refused', { problem: task.problem, about }) : about
  }
}
