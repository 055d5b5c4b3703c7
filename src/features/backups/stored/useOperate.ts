import { useState } from 'react'
import { backupFaults } from '#contract/backups.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { isInDoubt, operate, type Wish } from '#features/backups/slice.ts'

interface Ways {
  /** What is said at its good end, and at a bad one for a reason. */
  done: string
  failed: (why: string) => string
  /** The server has taken it: its dialog can go. */
  onStarted: () => void
  /** It came to an end while its page stood. */
  onEnded: () => void
}

/**
 * Sends one act that takes minutes, from a dialog that stays until the server has taken it. What it comes to is told at the edge of
 * the window, wherever its user is by then; after a reload the list of tasks tells it.
 */
export function useOperate({ done, failed, onStarted, onEnded }: Ways) {
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
    if (result.kind === 'problem') showToast({ kind: 'failed', text: failed(whyOf(result.problem)) })
    else showToast({ kind: 'done', text: done })
    onEnded()
  }
  return { busy, problem, run: (wish: Wish) => void run(wish) }
}

/** What failed at the place of the backups or at the host is said in its own words. */
function whyOf(problem: Problem): string {
  const said = (problem.data as { why?: string } | null)?.why
  const fault = backupFaults.find((one) => one === said)
  return fault ? i18n.t(`fault.${fault}`, { ns: 'backups' }) : problemWords(problem)
}
