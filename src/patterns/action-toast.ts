/** How an action ended, as a toast: done, stored until there is a connection, or failed. */
import type { Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { showToast, type ToastMessage } from '#ui/overlay/toasts.tsx'

/** portal 8: "{action} successfully." */
export const formatDone = (action: string): string => i18n.t('message.done', { ns: 'ui', action })

/** Of a result that is no problem. */
export function showDoneToast(result: CallResult<unknown>, text: string, undo?: ToastMessage['action']): void {
  if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
  else showToast({ kind: 'done', text, ...(undo ? { action: undo } : {}) })
}

/** Of any result. `formatFailed`: joins "{action} failed." and the reason. */
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

/**
 * An action (`useAction`) that ends with a toast and `onDone`, for a dialog that stays open while there is a problem. `doneText`: of the
 * toast, unless the write waits on this device.
 */
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
