import type { Result } from '#request/result.ts'
import { say } from '#ui/texts.ts'
import { showToast } from '#ui/toasts.tsx'
import { problemWords } from '#ui/words.ts'

/** Says how an act on an order went (portal 8: "{action} successfully.", "{action} failed."). */
export function tellOf(action: string, result: Result<unknown>): void {
  if (result.kind === 'queued') return showToast({ kind: 'note', text: say('orders', 'toast.queued') })
  if (result.kind !== 'problem') return showToast({ kind: 'done', text: say('ui', 'message.done', { action }) })
  const failed = say('ui', 'message.failed', { action })
  const why = problemWords(result.problem)
  showToast({ kind: 'failed', text: say('orders', 'toast.failedWhy', { failed, why }) })
}
