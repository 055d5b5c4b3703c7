import { backupFaults } from '#contract/backups.ts'
import type { Problem } from '#contract/problem.ts'
import { useLongRequest } from '#state/use-long-request.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { operate, type Wish } from '#features/backups/slice.ts'

interface Ways {
  /** What is said at its good end, and at a bad one for a reason. */
  done: string
  failed: (why: string) => string
  /** The server has taken it: its dialog can go. */
  onStarted: () => void
  /** It came to an end while its page stood. */
  onEnded: () => void
}

/** One backup or restore; what it comes to is told at the edge of the window. */
export const useOperate = ({ done, failed, onStarted, onEnded }: Ways) =>
  useLongRequest<Wish>(
    (wish, intent) => operate(wish, intent, onStarted),
    (result) => {
      if (result.kind === 'problem') showToast({ kind: 'failed', text: failed(whyOf(result.problem)) })
      else showToast({ kind: 'done', text: done })
      onEnded()
    },
  )

/** What failed at the place of the backups or at the host is said in its own words. */
function whyOf(problem: Problem): string {
  const said = (problem.data as { why?: string } | null)?.why
  const fault = backupFaults.find((one) => one === said)
  return fault ? i18n.t(`fault.${fault}`, { ns: 'backups' }) : problemWords(problem)
}
