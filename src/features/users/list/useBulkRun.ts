import { useEffect, useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { readLastAdmin, readUserRows } from '#features/users/read-users.ts'
import { type BulkActionResult, isSettled } from '#features/users/list/run-bulk-action.ts'
import { rowsSelected } from '#features/users/list/row-selection.ts'

export interface BulkRunOptions {
  ids: readonly RowRef[]
  /** Called after the writes were sent or queued. */
  onDone: () => void
}

type Selection = Awaited<ReturnType<typeof readSelection>>

async function readSelection(ids: readonly RowRef[], user: { id: number; admin: boolean; company_id: number }) {
  const [users, lastAdminId] = await Promise.all([
    readUserRows(ids),
    user.admin ? null : readLastAdmin(user.company_id),
  ])
  return { users, context: { selfId: user.id, lastAdminId } }
}

/** Reads the selected users and sends the writes. `results` is undefined before sending. */
export function useBulkRun({ ids, onDone }: BulkRunOptions) {
  const dispatch = useDispatch()
  const { user } = useSignedInSession()
  const [initialIds] = useState(ids)
  const [selection, setSelection] = useState<Selection>()
  useEffect(() => void readSelection(initialIds, user).then(setSelection), [initialIds, user])
  const [results, setResults] = useState<BulkActionResult[]>()
  const [isBusy, setIsBusy] = useState(false)
  async function run(start: (onProgress: (newResults: BulkActionResult[]) => void) => AppThunk<BulkActionResult[]>) {
    setIsBusy(true)
    setResults([])
    const allResults = await dispatch(start((newResults) => setResults([...newResults])))
    setIsBusy(false)
    // Refused users stay selected, so that they can be checked.
    dispatch(rowsSelected({ ids: allResults.filter(isSettled).map(({ user }) => user.id), isSelected: false }))
    onDone()
  }
  return { selection, results, isBusy, run }
}
