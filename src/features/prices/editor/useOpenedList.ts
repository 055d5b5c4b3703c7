import { useEffect, useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import { getPriceList, type PriceRow, priceListSpec } from '#contract/prices.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import type { FullPriceList } from '#features/prices/price-list-form.ts'
import { fetchPriceList } from '#features/prices/slice.ts'

export type OpenPriceListFailure = 'unknown' | 'notHere' | Problem

export interface OpenedPriceList {
  overlaidRow: OverlaidRow<PriceRow>
  /** With what waits on this device laid over it. */
  fullList: FullPriceList
}

/**
 * The list as it stood when the page opened: as the server says it, or without a line as this device kept it, with what waits here
 * laid over it. What comes in meanwhile must not change a form under its user's hands. Undefined: not known yet.
 */
export function useOpenedList(
  id: RowRef | null,
  reloadCount: number,
): OpenedPriceList | OpenPriceListFailure | undefined {
  const { networkState: connection } = useConnection()
  const dispatch = useDispatch()
  const [loadedList, setLoadedList] = useState<{
    requestKey: string
    connection: string
    openedList: OpenedPriceList | OpenPriceListFailure
  }>()
  const requestKey = `${id} ${reloadCount}`
  useEffect(() => {
    // What was not found is asked for again when the line is another.
    if (
      id === null ||
      (loadedList?.requestKey === requestKey &&
        ('fullList' in Object(loadedList.openedList) || loadedList.connection === connection))
    )
      return
    let isActive = true
    const openList = async () => {
      const row = await readRow<PriceRow>(priceListSpec.table, id)
      const knownId = row?.row.id ?? id
      const openedList = await fetchList(knownId, row)
      if (isActive) setLoadedList({ requestKey, connection, openedList })
    }
    const fetchList = async (
      listId: RowRef,
      row: OverlaidRow<PriceRow> | null,
    ): Promise<OpenedPriceList | OpenPriceListFailure> => {
      // One that waits to be made says all of itself.
      if (typeof listId === 'string')
        return row ? { overlaidRow: row, fullList: row.row as unknown as FullPriceList } : 'unknown'
      const result = await dispatch(fetchPriceList(listId))
      if (result.kind === 'problem' && result.problem.status === 404) return 'unknown'
      const fullList = await readResponseOutput(getPriceList, { params: { id: listId } })
      if (!fullList) return result.kind === 'problem' && !isOffline(result.problem) ? result.problem : 'notHere'
      const { waiting } = (await readRow<PriceRow>(priceListSpec.table, listId)) ?? { waiting: null }
      return waiting && row
        ? { overlaidRow: { ...row, waiting }, fullList: { ...fullList, ...(row.row as object) } }
        : { overlaidRow: { row: toPriceRow(fullList), waiting: null }, fullList }
    }
    void openList()
    return () => void (isActive = false)
  }, [id, requestKey, loadedList, dispatch, connection])
  return loadedList?.requestKey === requestKey ? loadedList.openedList : undefined
}

function toPriceRow({
  concurrentUser: _c,
  namedUser: _n,
  module: _m,
  pdbPrice: _p,
  ...header
}: FullPriceList): PriceRow {
  return header
}
