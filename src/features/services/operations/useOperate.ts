import { useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useDispatch } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'
import { showToast } from '#ui/overlay/toasts.tsx'
import { failedWords } from '#features/services/problem-words.ts'
import { isInDoubt, operate, type Wish } from '#features/services/slice.ts'

interface Ways {
  row: Pick<ServiceRow, 'code'>
  /** The server has taken it: its dialog can go. */
  onStarted: () => void
  /** It came to a good end while its page stood. */
  onDone?: (wish: Wish, intent: Intent) => void
}

/**
 * Sends one act on a running system, from a dialog that stays until the server has taken it. What it comes to is told at the edge
 * of the window, wherever its user is by then; after a reload the list of tasks tells it.
 */
export function useOperate({ row, onStarted, onDone }: Ways) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  // The wish whose answer was lost goes under its intent again.
  const [doubt, setDoubt] = useState<{ intent: Intent; of: string } | null>(null)

  async function run(wish: Wish) {
    const of = JSON.stringify(wish)
    const intent = doubt?.of === of ? doubt.intent : crypto.randomUUID()
    setBusy(true)
    setProblem(null)
    const { begun, result } = await dispatch(operate(wish, intent, onStarted))
    if (!begun) {
      setBusy(false)
      if (result.kind !== 'problem') return
      setDoubt(isInDoubt(result.problem) ? { intent, of } : null)
      return setProblem(result.problem)
    }
    if (result.kind === 'problem')
      return showToast({ kind: 'failed', text: failedWords(row.code, t(`failed.${wish.kind}`), result.problem) })
    showToast({ kind: 'done', text: t('done.of', { code: row.code, text: t(`done.${wish.kind}`) }) })
    onDone?.(wish, intent)
  }
  return { busy, problem, run: (wish: Wish) => void run(wish) }
}
