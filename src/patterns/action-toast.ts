/** Shows the result of an action as a toast: done, queued until there is a connection, or failed. */
import type { Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { showToast, type ToastMessage } from '#ui/overlay/toasts.tsx'

/** Returns "{action} successfully." (portal 8). */
export const formatDone = (action: string): string => i18n.t('message.done', { ns: 'ui', action })

export function showDoneToast(result: CallResult<unknown>, text: string, undo?: ToastMessage['action']): void {
  if (result.kind === 'queued') showQueuedToast(result)
  else showToast({ kind: 'done', text, ...(undo ? { action: undo } : {}) })
}

/** Says that a write waits, with a link to the waiting changes. `name` is that of its record, if the caller knows it. */
export function showQueuedToast(result: CallResult<unknown> & { kind: 'queued' }, name?: string): void {
  const link = { label: name ?? i18n.t('toast.waiting', { ns: 'ui' }), path: '/app/outbox' }
  showToast({ kind: 'note', text: formatQueuedMessage(result), link })
}

/** Shows any result. `formatFailed` joins "{action} failed." and the reason. */
export function showResultToast(
  action: string,
  result: CallResult<unknown>,
  formatFailed: (texts: { failed: string; reason: string }) => string,
  undo?: ToastMessage['action'],
): void {
  if (result.kind !== 'problem') return showDoneToast(result, formatDone(action), undo)
  const failed = i18n.t('message.failed', { ns: 'ui', action })
  showToast({ kind: 'failed', text: formatFailed({ failed, reason: formatProblem(result.problem) }) })
}

interface RunningAction<Input> {
  isBusy: boolean
  problem: Problem | null
  run: (input: Input) => Promise<CallResult<unknown>>
}

/** Wraps an action that ends with a toast and `onDone`. If there is a problem, neither happens and the dialog stays open. */
export const withDoneToast = <Input>(
  { run, ...state }: RunningAction<Input>,
  { doneText, onDone }: { doneText: string; onDone: () => void },
) => ({
  isBusy: state.isBusy,
  problem: state.problem,
  async run(input: Input): Promise<void> {
    const result = await run(input)
    if (result.kind === 'problem') return
    showDoneToast(result, doneText)
    onDone()
  },
})
