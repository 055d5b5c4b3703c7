import { useDispatch } from '#state/use-store.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { joinList } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
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
    const count = results.filter(({ result }) => result?.kind === 'fresh').length
    if (count > 0) showToast({ kind: 'done', text: t('many.undone', { count, number: formatNumber(count) }) })
    const queued = results.flatMap(({ result }) => (result?.kind === 'queued' ? [result] : []))
    if (queued.length > 0) {
      const reasons = new Set(queued.flatMap((result) => (result.holdReason ? [formatQueuedMessage(result)] : [])))
      const number = formatNumber(queued.length)
      showToast({ kind: 'note', text: [t('many.sum.queued', { number }), ...reasons].join(' · ') })
    }
    const namesByReason = groupRefusals(results, tUsers('reason.moving'))
    for (const [reason, names] of namesByReason)
      showToast({ kind: 'failed', text: t('many.undoFailed', { users: joinNames(names), reason }) })
  }

  function joinNames(names: readonly string[]): string {
    const others = names.length - maxNames
    if (others <= 0) return joinList(names)
    return joinList([...names.slice(0, maxNames), t('many.others', { count: others, number: formatNumber(others) })])
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

/** Returns the names of the refused users by the reason. */
function groupRefusals(results: readonly BulkActionResult[], busyReason: string): Map<string, string[]> {
  const namesByReason = new Map<string, string[]>()
  for (const { user, result } of results) {
    if (result !== null && result.kind !== 'problem') continue
    const reason = result === null ? busyReason : formatProblem(result.problem)
    namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), user.name])
  }
  return namesByReason
}
