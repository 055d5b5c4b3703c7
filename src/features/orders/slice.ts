/** The order pages in the store: the list, and how the price list in force was read. Rows stay in the device's database. */
import { createSlice } from '@reduxjs/toolkit'
import { getSettings } from '#contract/accounts.ts'
import type { RowRef, OutputOf } from '#contract/endpoint.ts'
import { listModuleChoices } from '#contract/modules.ts'
import { deleteOrder, listCompanies, listOrders, type OrderRow, orderListSpec } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { toListQuery, type OrdersView } from '#features/orders/view.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint, createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { signedOut } from '#state/session-slice.ts'
import { idleStatus, type RequestStatus } from '#state/request-status.ts'
import { rootReducer } from '#state/store.ts'

export const ordersListSlice = createListSlice<OrderRow, OrdersView & { type: ClientType }>({
  name: 'orders',
  endpoint: listOrders,
  toQuery: ({ type, ...view }) => toListQuery(type, view),
})

/** The response is cached on the device, where `usePriceInForce` finds it (M68). */
export const fetchPriceInForce = createAppThunk(
  'priceInForce/fetch',
  async (type: ClientType, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(getPriceInForce, { query: { type } })
    return result.kind === 'problem' ? rejectWithValue(result.problem) : result.kind
  },
)

/** State of the request for the price list in force; absent: none was sent yet. */
type PriceStatuses = Partial<Record<ClientType, RequestStatus>>

const priceInForce = createSlice({
  name: 'priceInForce',
  initialState: {} as PriceStatuses,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(
        fetchPriceInForce.pending,
        (state, { meta }): PriceStatuses => ({ ...state, [meta.arg]: { kind: 'sending' } }),
      )
      .addCase(fetchPriceInForce.fulfilled, (state, { meta }): PriceStatuses => ({ ...state, [meta.arg]: idleStatus }))
      .addCase(
        fetchPriceInForce.rejected,
        (state, action): PriceStatuses => ({
          ...state,
          [action.meta.arg]: { kind: 'failed', problem: getRejectedProblem(action) },
        }),
      )
      .addCase(signedOut, () => ({})),
})

const injectedSlice = priceInForce.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectPriceStatus = (state: object, type: ClientType): RequestStatus | undefined =>
  injectedSlice.selectSlice(state)[type]

/** Fields of an order that find its row in the list. */
type ListedOrder = Pick<OrderRow, 'company_id' | 'client_type' | 'code'>

/** Reads its row in the list again: who loses the connection right after a payment must not read there that it is unpaid. */
export const refreshListedOrder = ({ company_id: companyId, client_type: type, code }: ListedOrder) =>
  callEndpoint(listOrders, { params: { companyId }, query: { type, searchText: code } })

/**
 * Brings modules and settings to the device, where prices are worked out from them: with the list too, so that who has seen the list
 * can order offline. Returns the problem of the first call that failed.
 */
export const fetchPriceData =
  (type: ClientType): AppThunk<Problem | null> =>
  async (_dispatch, _getState, { api }) => {
    const results = await Promise.all([api.call(listModuleChoices, { query: { type } }), api.call(getSettings, {})])
    return results.find((result) => result.kind === 'problem')?.problem ?? null
  }

/** Deletes an order that is not in effect (D33), based on the row as it is now. Queued when offline. */
export const removeOrder =
  (id: RowRef, options: CallOptions): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const overlaidRow = await readRow<OrderRow>(orderListSpec.table, id)
    const base = overlaidRow
      ? { base: { rowVersion: getBaseVersion(overlaidRow), values: { status: overlaidRow.row.status } } }
      : {}
    return await api.call(deleteOrder, { params: { id } }, { ...options, ...base })
  }

export type CompanyChoice = OutputOf<typeof listCompanies>[number]

/** For the provider's staff (D53). */
export const findCompanies = (searchText: string) => callEndpoint(listCompanies, { query: { searchText } })
