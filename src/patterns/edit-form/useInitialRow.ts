import { useCallback, useState } from 'react'
import type { RowRef, VersionedRow } from '#contract/endpoint.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useDispatch } from '#state/use-store.ts'

/** `unknown`: there is no such row. `notHere`: the device does not have the row, and the server cannot be reached. */
type MissingReason = 'unknown' | 'notHere' | Problem

interface InitialRowOptions<Row extends VersionedRow> {
  table: string
  id: RowRef
  /** Fetches a row that the device does not have. Must be the same function at each render. */
  fetch: (id: RowRef) => AppThunk<CallResult<Row>>
}

interface InitialRowState<Row extends VersionedRow> {
  /** Undefined until it has been read. */
  initialRow: OverlaidRow<Row> | undefined
  /** Reason why there is no row. Null if there is a row or it is not known yet. */
  missingReason: MissingReason | null
  retry: () => void
}

/** Returns the row as it was when its form opened. Later changes must not change the form while the user types. */
export function useInitialRow<Row extends VersionedRow>({
  table,
  id,
  fetch,
}: InitialRowOptions<Row>): InitialRowState<Row> {
  const dispatch = useDispatch()
  const [initialRow, setInitialRow] = useState<OverlaidRow<Row>>()
  const [missingReason, setMissingReason] = useState<MissingReason | null>(null)
  const cachedRow = useLiveQuery(() => readRow<Row>(table, id), [table, id])
  if (!initialRow && cachedRow) setInitialRow(cachedRow)
  const retry = useCallback(async () => {
    const result = await dispatch(fetch(id))
    const row = 'output' in result ? result.output : null
    if (row) setInitialRow((current) => current ?? { row, waiting: null })
    else setMissingReason(result.kind === 'problem' ? toMissingReason(result.problem) : 'notHere')
  }, [dispatch, fetch, id])
  useFetch(
    useCallback(() => void retry(), [retry]),
    initialRow !== undefined || cachedRow !== null,
  )
  return { initialRow, missingReason: initialRow ? null : missingReason, retry: () => void retry() }
}

function toMissingReason(problem: Problem): MissingReason {
  if (problem.status === 404) return 'unknown'
  return isOffline(problem) ? 'notHere' : problem
}
