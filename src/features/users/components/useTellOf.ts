import type { Result } from '#request/result.ts'
import { showToast, type Toast } from '#ui/toasts.tsx'
import { problemWords, useWords } from '#ui/words.ts'

/** Says how an act on a row went (portal 8: "{action} successfully.", "{action} failed."). */
export function useTellOf() {
  const t = useWords('users')
  const words = useWords('ui')
  return (action: string, result: Result<unknown>, undo?: Toast['act']) => {
    if (result.kind === 'queued') showToast({ kind: 'note', text: t('toast.queued') })
    else if (result.kind === 'problem') {
      const why = problemWords(result.problem)
      showToast({ kind: 'failed', text: t('toast.failedWhy', { failed: words('message.failed', { action }), why }) })
    } else showToast({ kind: 'done', text: words('message.done', { action }), ...(undo ? { act: undo } : {}) })
  }
}
