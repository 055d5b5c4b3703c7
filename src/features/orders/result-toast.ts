import type { CallResult } from '#request/call-results.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'

/** Says how an act on an order went (portal 8: "{action} successfully.", "{action} failed."). */
export function showResultToast(action: string, result: CallResult<unknown>): void {
  if (result.kind === 'queued') return showToast({ kind: 'note', text: formatQueuedMessage(result) })
  if (result.kind !== 'problem') return showToast({ kind: 'done', text: i18n.t('message.done', { ns: 'ui', action }) })
  const failedText = i18n.t('message.failed', { ns: 'ui', action })
  const reason = formatProblem(result.problem)
  showToast({ kind: 'failed', text: i18n.t('toast.failedWhy', { ns: 'orders', failed: failedText, reason }) })
}
