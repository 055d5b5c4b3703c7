import type { Result } from '#request/results.ts'
import { showToast, type Toast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'

/** Says how an act on a row went (portal 8: "{action} successfully.", "{action} failed."). */
export function useTellOf() {
  const { t } = useTranslation('users')
  const { t: words } = useTranslation('ui')
  return (action: string, result: Result<unknown>, undo?: Toast['act']) => {
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else if (result.kind === 'problem') {
      const why = problemWords(result.problem)
      showToast({ kind: 'failed', text: t('toast.failedWhy', { failed: words('message.failed', { action }), why }) })
    } else showToast({ kind: 'done', text: words('message.done', { action }), ...(undo ? { act: undo } : {}) })
  }
}
