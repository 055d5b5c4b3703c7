import { useState } from 'react'
import { type applyPaymentTask, type PaymentTask, refundPaymentTask } from '#contract/payments.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { amountOf } from '#features/payment-tasks/home/amount-of.ts'

type TaskEndpoint = typeof refundPaymentTask | typeof applyPaymentTask

/** Refunds or applies the money of a task once, however often it is pressed. */
export function useTaskAction(endpoint: TaskEndpoint, task: PaymentTask, onDone: () => void) {
  const { t } = useTranslation('payment-tasks')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function act() {
    if (busy) return
    setBusy(true)
    setProblem(null)
    const result = await dispatch(callEndpoint(endpoint, { params: { id: task.id }, body: {} }))
    setBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    const done = endpoint.name === refundPaymentTask.name ? t('refundBegun') : t('applied', { amount: amountOf(task) })
    showToast({ kind: 'done', text: done })
    onDone()
  }
  return { busy, problem, act: () => void act() }
}
