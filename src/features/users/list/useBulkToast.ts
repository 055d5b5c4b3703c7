import { useDispatch } from '#state/use-store.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { joinList } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast, type ToastMessage } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import type { BulkActionResult } from '#features/users/list/run-bulk-action.ts'

/** Sends the writes, and calls `onProgress` with all results so far. */
export type BulkThunk = (onProgress: (results: BulkActionResult[]) => void) => AppThunk<BulkActionResult[]>

export interface BulkRunTexts {
  /** Text of the toast, for example "6 users now get alerts". */
  formatDone: (numbers: { count: number; number: string }) => string
  /** Returns the writes that undo those with these results. Null if they cannot be undone. */
  buildUndo: ((results: readonly BulkActionResult[]) => BulkThunk) | null
}

/** Maximum number of names in the message about a failed undo. */
const maxNames = 3

/** Returns a function that shows the result of a bulk action as a toast. `onDone` is called after an undo. */
export function useBulkToast(onDone: () => void) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const dispatch = useDispatch()

  async function undo(thunk: AppThunk<BulkActionResult[]>): Promise<void> {
    const results = await dispatch(thunk)
    onDone()
    const refusals = results.filter(({ result }) => result === null || result.kind === 'problem')
    const count = results.length - refusals.length
    if (count > 0) showToast({ kind: 'done', text: t('many.undone', { count, number: formatNumber(count) }) })
    const [refusal] = refusals
    if (!refusal) return
    const names = refusals.slice(0, maxNames).map(({ user }) => user.name)
    const others = refusals.length - names.length
    const reason = refusal.result?.kind === 'problem' ? formatProblem(refusal.result.problem) : tUsers('reason.moving')
    const users = joinList(
      others > 0 ? [...names, t('many.others', { count: others, number: formatNumber(others) })] : names,
    )
    showToast({ kind: 'failed', text: t('many.undoFailed', { users, reason }) })
  }

  return (results: readonly BulkActionResult[], { formatDone, buildUndo }: BulkRunTexts) => {
    const queuedCount = results.filter(({ result }) => result?.kind === 'queued').length
    const doneCount = results.length - queuedCount
    const doneText = formatDone({ count: doneCount, number: formatNumber(doneCount) })
    if (queuedCount > 0) {
      const queuedText = t('many.sum.queued', { number: formatNumber(queuedCount) })
      return showToast({ kind: 'note', text: doneCount > 0 ? `${doneText} · ${queuedText}` : queuedText })
    }
    const action: ToastMessage['action'] | undefined = buildUndo
      ? { label: tUsers('toast.undo'), onRun: () => void undo(buildUndo(results)(() => {})) }
      : undefined
    showToast({ kind: 'done', text: doneText, ...(action && { action }) })
  }
}
