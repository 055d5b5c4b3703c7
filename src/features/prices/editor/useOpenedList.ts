import { useEffect, useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import { getPriceList, priceListSpec } from '#contract/prices.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { readRow } from '#local/lists/read-row.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import type { FullPriceList, OpenedPriceList } from '#features/prices/price-list-form.ts'
import { fetchPriceList } from '#features/prices/slice.ts'

export type PriceListOpening =
  | { kind: 'open'; openedList: OpenedPriceList }
  | { kind: 'missing'; reason: 'unknown' | 'notHere' }
  | { kind: 'failed'; problem: Problem }

export const unknownList: PriceListOpening = { kind: 'missing', reason: 'unknown' }

/** Returns the list as it was when opened. A newer version must not change the form while the user types. Undefined until loaded. */
export function useOpenedList(id: RowRef | null, reloadCount: number): PriceListOpening | undefined {
  const { networkState: connection } = useConnection()
  const dispatch = useDispatch()
  const [latestResult, setLatestResult] = useState<{ requestKey: string; opening: PriceListOpening }>()
  const requestKey = `${id} ${reloadCount}`
  const opening = latestResult?.requestKey === requestKey ? latestResult.opening : undefined
  const isOpen = opening?.kind === 'open'
  // If opening failed, it is tried again when the connection changes.
  // biome-ignore lint: the connection is not used, its change is the reason
  useEffect(() => {
    if (id === null || isOpen) return
    let isActive = true
    void dispatch(openPriceList(id)).then((newOpening) => {
      if (isActive) setLatestResult({ requestKey, opening: newOpening })
    })
    return () => void (isActive = false)
  }, [id, requestKey, isOpen, connection, dispatch])
  return opening
}

const readPriceRow = (id: RowRef) => readRow<FullPriceList>(priceListSpec.table, id)

/** Opens the list from the server, or offline from this device, with the optimistic overlay of a waiting write. */
const openPriceList =
  (id: RowRef): AppThunk<PriceListOpening> =>
  async (dispatch) => {
    const overlaidRow = await readPriceRow(id)
    const listId = overlaidRow?.row.id ?? id
    // The row of a list that is waiting to be created already has all fields.
    if (typeof listId === 'string') return overlaidRow ? { kind: 'open', openedList: overlaidRow } : unknownList
    const result = await dispatch(fetchPriceList(listId))
    const problem = result.kind === 'problem' ? result.problem : null
    if (problem?.status === 404) return unknownList
    const openedList = await readStoredList(listId, overlaidRow)
    return openedList ? { kind: 'open', openedList } : toFailedOpening(problem)
  }

const toFailedOpening = (problem: Problem | null): PriceListOpening =>
  problem && !isOffline(problem) ? { kind: 'failed', problem } : { kind: 'missing', reason: 'notHere' }

async function readStoredList(id: number, overlaidRow: OpenedPriceList | null): Promise<OpenedPriceList | null> {
  const storedList = await readResponseOutput(getPriceList, { params: { id } })
  if (!storedList) return null
  const waiting = (await readPriceRow(id))?.waiting ?? null
  // The cached row has only the header fields and those that the waiting write changes.
  return waiting && overlaidRow
    ? { row: { ...storedList, ...overlaidRow.row }, waiting }
    : { row: storedList, waiting: null }
}
