import { useEffect, useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { readLastAdmin, readUserRows } from '#features/users/read-users.ts'
import { type BulkActionResult, isSettled, needsNoAttention } from '#features/users/list/run-bulk-action.ts'
import { rowsSelected } from '#features/users/list/row-selection.ts'
import { type BulkRunTexts, type BulkThunk, useBulkToast } from '#features/users/list/useBulkToast.ts'

export interface BulkRunOptions {
  ids: readonly RowRef[]
  /** Called after the writes were sent or queued. */
  onDone: () => void
  onClose: () => void
}

type Selection = Awaited<ReturnType<typeof readSelection>>

async function readSelection(ids: readonly RowRef[], user: { id: number; admin: boolean; company_id: number }) {
  const [users, lastAdminId] = await Promise.all([
    readUserRows(ids),
    user.admin ? null : readLastAdmin(user.company_id),
  ])
  return { users, context: { selfId: user.id, lastAdminId } }
}

/**
 * Reads the selected users and sends the writes. A toast shows the result and offers the undo. Only if a write was refused, or cannot be
 * sent by itself, the dialog stays open with `results`.
 */
export function useBulkRun({ ids, onDone, onClose }: BulkRunOptions) {
  const dispatch = useDispatch()
  const { user } = useSignedInSession()
  const [initialIds] = useState(ids)
  const [selection, setSelection] = useState<Selection>()
  useEffect(() => void readSelection(initialIds, user).then(setSelection), [initialIds, user])
  const [doneCount, setDoneCount] = useState<number | null>(null)
  const [results, setResults] = useState<BulkActionResult[]>()
  const showResult = useBulkToast(onDone)
  async function run(start: BulkThunk, texts: BulkRunTexts) {
    setDoneCount(0)
    const allResults = await dispatch(start((newResults) => setDoneCount(newResults.length)))
    setDoneCount(null)
    // Refused users stay selected, so that they can be checked.
    dispatch(rowsSelected({ ids: allResults.filter(isSettled).map(({ user }) => user.id), isSelected: false }))
    onDone()
    if (!allResults.every(needsNoAttention)) return setResults(allResults)
    onClose()
    showResult(allResults, texts)
  }
  return { selection, results, isBusy: doneCount !== null, doneCount: doneCount ?? 0, run }
}
