import type { Result } from '#request/results.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'

/** Says how an act on an order went (portal 8: "{action} successfully.", "{action} failed."). */
export function tellOf(action: string, result: Result<unknown>): void {
  if (result.kind === 'queued') return showToast({ kind: 'note', text: queuedWords(result) })
  if (result.kind !== 'problem') return showToast({ kind: 'done', text: i18n.t('message.done', { ns: 'ui', action }) })
  const failed = i18n.t('message.failed', { ns: 'ui', action })
  const why = problemWords(result.problem)
  showToast({ kind: 'failed', text: i18n.t('toast.failedWhy', { ns: 'orders', failed, why }) })
}
