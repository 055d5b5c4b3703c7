import { useState } from 'react'
import { type applyPaymentTask, type PaymentTask, refundPaymentTask } from '#contract/payments.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatTaskAmount } from '#features/payment-tasks/home/format-task-amount.ts'

type TaskEndpoint = typeof refundPaymentTask | typeof applyPaymentTask

/** Refunds or applies the money of a task once, however often it is pressed. */
export function useTaskAction(endpoint: TaskEndpoint, task: PaymentTask, onDone: () => void) {
  const { t } = useTranslation('payment-tasks')
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function submit() {
    if (isBusy) return
    setIsBusy(true)
    setProblem(null)
    const result = await dispatch(callEndpoint(endpoint, { params: { id: task.id }, body: {} }))
    setIsBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    const doneText =
      endpoint.name === refundPaymentTask.name ? t('refundBegun') : t('applied', { amount: formatTaskAmount(task) })
    showToast({ kind: 'done', text: doneText })
    onDone()
  }
  return { isBusy, problem, submit: () => void submit() }
}
