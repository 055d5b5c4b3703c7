import { useLiveQuery } from '#state/live-query.ts'
import { useSelector } from '#state/use-store.ts'
import { readRunningRehearsal, selectRehearsal } from '#features/prices/rehearsal/rehearsal-slice.ts'

/** The latest rehearsal, as the list with this key sees it. */
export function useRehearsal(listKey: string) {
  const { isRunning, problem, latestResult } = useSelector(selectRehearsal)
  const runningRehearsal = useLiveQuery(readRunningRehearsal, [])
  const isBusy = isRunning || Boolean(runningRehearsal)
  const result = latestResult?.listKey === listKey ? latestResult.result : null
  return {
    isBusy,
    percent: runningRehearsal?.percent ?? 0,
    problem,
    /** Null: this very list was not rehearsed. */
    result,
    /** The list was changed after it was rehearsed. */
    isStale: latestResult !== null && result === null && !isBusy,
  }
}
