import { useCallback, useState } from 'react'
import { readRow } from '#local/lists/read-row.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useDispatch } from '#state/use-store.ts'
import type { invoicesList, ListedInvoice } from '#features/invoices/slice.ts'

export interface InvoiceSource {
  id: number
  /** The list behind the drawer. */
  slice: Pick<typeof invoicesList, 'endpoint' | 'list' | 'toInput'>
  /** Company of that list, or null for the list of all companies. */
  companyId: number | null
  /** True while the list is being requested, so that the invoice may still arrive. */
  isFetching: boolean
}

type InvoiceRequest = Omit<InvoiceSource, 'isFetching'>

/** Requests one row of the list. The request layer stores it like any other. */
const fetchInvoice =
  ({ id, slice, companyId }: InvoiceRequest): AppThunk<CallResult<unknown>> =>
  (_dispatch, _getState, { api }) => {
    const query = { ...toPageQuery(plainListState(slice.list)), id }
    return api.call(slice.endpoint, slice.toInput(companyId, query) as never)
  }

/**
 * Reads an invoice, and requests it if it is not on the device, for example after a link to an old one. `isUnknown`: the server has no such
 * invoice for this user. `refetch` requests it in any case, also if the list does not contain it.
 */
export function useInvoice({ id, slice, companyId, isFetching }: InvoiceSource) {
  const dispatch = useDispatch()
  const { table } = slice.list
  const stored = useLiveQuery(async () => ({ id, row: (await readRow<ListedInvoice>(table, id))?.row }), [id, table])
  const row = stored?.id === id ? stored.row : undefined
  const [ended, setEnded] = useState<{ id: number; isUnknown: boolean } | null>(null)
  const isMissing = stored?.id === id && !row && !isFetching
  const request = useCallback(async () => {
    const result = await dispatch(fetchInvoice({ id, slice, companyId }))
    // A row that has arrived is shown by the live query.
    if (!(await readRow(table, id))) setEnded({ id, isUnknown: result.kind === 'fresh' })
  }, [dispatch, id, slice, companyId, table])
  useFetch(
    useCallback(() => void request(), [request]),
    !isMissing,
  )
  const end = !row && ended?.id === id ? ended : null
  return { row, isLoading: !row && end === null, isUnknown: end?.isUnknown === true, refetch: request }
}
