/** The order pages in the store: the list, and how the price list in force was read. Rows are the device's and never come here. */
import { createSlice } from '@reduxjs/toolkit'
import { getSettings } from '#contract/accounts.ts'
import type { RowRef, OutputOf } from '#contract/endpoint.ts'
import { listModuleChoices } from '#contract/modules.ts'
import {
  deleteContract,
  deleteOrder,
  listCompanies,
  listOrders,
  type OrderRow,
  orderListSpec,
} from '#contract/orders.ts'
import { reconcilePayments } from '#contract/payments.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import { recheckServices } from '#contract/services.ts'
import type { ClientType } from '#domain/access.ts'
import { toListQuery, type OrdersView } from '#features/orders/list-url.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint, createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { signedOut } from '#state/session-slice.ts'
import { idleStatus, type RequestStatus } from '#state/request-status.ts'
import { rootReducer } from '#state/store.ts'

export const ordersListSlice = createListSlice<OrderRow, OrdersView & { type: ClientType }>({
  name: 'orders',
  endpoint: listOrders,
  read: readList,
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

/** How the request for the price list in force stands; absent: not asked yet. */
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

/** What of an order names its line in the list. */
type ListedOrder = Pick<OrderRow, 'company_id' | 'client_type' | 'code'>

/** How it stands in the list by now: whoever loses the line right after a payment must not read there that it is unpaid. */
export const refreshListedOrder =
  ({ company_id: companyId, client_type: type, code }: ListedOrder): AppThunk =>
  async (_dispatch, _getState, { api }) => {
    await api.call(listOrders, { params: { companyId }, query: { type, searchText: code } })
  }

/**
 * Brings modules and settings to the device, where whoever works out prices reads them: with the list too, so that who has
 * seen that can order without a line. Answers what went wrong.
 */
export const fetchPriceData =
  (type: ClientType): AppThunk<Problem | null> =>
  async (_dispatch, _getState, { api }) => {
    const results = await Promise.all([api.call(listModuleChoices, { query: { type } }), api.call(getSettings, {})])
    return results.find((result) => result.kind === 'problem')?.problem ?? null
  }

/** An order that is not in effect (D33); based on the row as it is at this moment. Waits without a line. */
export const removeOrder =
  (id: RowRef): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const overlaidRow = await readRow<OrderRow>(orderListSpec.table, id)
    const base = overlaidRow
      ? { base: { rowVersion: getBaseVersion(overlaidRow), values: { status: overlaidRow.row.status } } }
      : {}
    return await api.call(deleteOrder, { params: { id } }, base)
  }

/** An unpaid change or extension (D34); only with a line. */
export const removeChange =
  (id: number): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.call(deleteContract, { params: { id } })

export type CompanyChoice = OutputOf<typeof listCompanies>[number]

/** For the provider's staff (D53). */
export const findCompanies =
  (query: { id: number } | { searchText: string }): AppThunk<CallResult<CompanyChoice[]>> =>
  async (_dispatch, _getState, { api }) =>
    api.call(listCompanies, { query })

/** Begins it; how far it is and what it finds stand in the list of activities. */
export const startReconciliation =
  (): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.call(reconcilePayments, { body: {} }, { until: 'started' })

/** Asks now whether the services answer (D53). `companyId` null: everybody's. */
export const startServiceCheck = (companyId: number | null) =>
  callEndpoint(recheckServices, { query: companyId === null ? {} : { companyId } })
