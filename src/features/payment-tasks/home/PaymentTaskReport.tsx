import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { listPaymentTasks, type PaymentTask } from '#contract/payments.ts'
import { describeGatewayReason } from '#patterns/refunds/describe-refund.ts'
import { useReadOnReturn } from '#state/live-changes.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection } from '#state/use-store.ts'
import { combineStates, type HomeDuty, type HomeReport, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import '#features/payment-tasks/words.ts'
import { formatTaskAmount } from '#features/payment-tasks/home/format-task-amount.ts'
import { useMoneyCheckDuty } from '#features/payment-tasks/home/useMoneyCheckDuty.tsx'
import { TaskDialog } from '#features/payment-tasks/home/TaskDialog.tsx'
import { useRefundDuties } from '#features/payment-tasks/home/useRefundDuties.tsx'
import { useTransferDuty } from '#features/payment-tasks/home/useTransferDuty.ts'
import { useRefundPolling } from '#features/payment-tasks/home/useRefundPolling.ts'

/** Returns the state of a response that this device may never have read. */
const getRecordState = ({ record, problem }: { record: unknown; problem: Problem | null }): HomeReport['state'] =>
  record ? 'known' : problem || record === null ? 'unknown' : 'loading'

/**
 * Reports payments that belong to no open order, which the provider's admins refund or apply to an order on the home page, and refunds,
 * disputes and faults of the money that need attention.
 */
export function PaymentTaskReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('payment-tasks')
  const isOnline = useConnection().networkState === 'online'
  const taskRecord = useRecord(listPaymentTasks, {})
  const { record, refetch } = taskRecord
  const [dialog, setDialog] = useState<{ kind: 'refund' | 'apply'; task: PaymentTask } | null>(null)
  const tasks = (record ?? []).filter(({ settled }) => settled === null)
  const runningIds = tasks.filter(({ state }) => state === 'refunding').map(({ id }) => id)
  useRefundPolling(isOnline, runningIds, () => void refetch())
  const disabledReason = isOnline ? null : t('offline')
  const refunds = useRefundDuties(isOnline, disabledReason)
  const moneyCheck = useMoneyCheckDuty(disabledReason)
  const transfers = useTransferDuty()
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
  const duties = [...moneyCheck.duties, ...refunds.duties, ...taskDuties, ...transfers.duties]
  const { transferRecord } = transfers
  const records = [taskRecord, refunds.listRecord, moneyCheck.checkRecord, ...(transferRecord ? [transferRecord] : [])]
  const unreadRecord = records.find((candidate) => !candidate.record && candidate.problem)
  const state = combineStates(records.map(getRecordState))
  useReport({ source: 'payments', state, duties, figures: {} }, onReport)
  const refetchAll = () => {
    for (const { refetch } of records) void refetch()
  }
  useReadOnReturn(refetchAll)
  const onDone = () => {
    setDialog(null)
    void refetch()
  }
  if (dialog) return <TaskDialog {...dialog} onClose={() => setDialog(null)} onDone={onDone} />
  if (refunds.dialog) return refunds.dialog
  if (moneyCheck.dialog) return moneyCheck.dialog
  return <LoadProblem problem={unreadRecord?.problem ?? null} onRetry={refetchAll} />

  function describeTask(task: PaymentTask): string {
    const { company_name: company, kind, payable_id: id, service_code: code } = task
    const received = task.received.slice(0, 16)
    const summary = t('about', { company, kind: t(`kind.${kind}`), id, code, received })
    if (task.state === 'refunding') return t('refunding', { about: summary })
    return task.problem ? t('refused', { problem: describeGatewayReason(task.problem), about: summary }) : summary
  }
}
