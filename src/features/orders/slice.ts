/** The order list and the request status of the price list. Rows stay in the device's database. */
import { createSlice } from '@reduxjs/toolkit'
import { getSettings } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { listModuleChoices } from '#contract/modules.ts'
import { deleteOrder, listCompanies, listOrders, type OrderRow, orderListSpec } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import { listCustomerOrders } from '#contract/staff/customers.ts'
import type { Problem } from '#contract/problem.ts'
import { type ClientType, isAllowed } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import { toListQuery, type OrdersView } from '#features/orders/view.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint, createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { signedOut } from '#state/session-slice.ts'
import { idleStatus, type RequestStatus } from '#state/request-status.ts'
import { rootReducer } from '#state/store.ts'

/** What the contract list depends on besides its view. */
export interface OrdersExtra {
  type: ClientType
  /** In the business time zone (D31). Needed by a view of contracts that end soon. */
  today?: PlainDate | null
}

export const ordersListSlice = createListSlice<OrderRow, OrdersView & OrdersExtra>({
  name: 'orders',
  endpoint: listOrders,
  toQuery: ({ type, today, ...view }) => toListQuery(type, view, today),
})

/** The contracts of all companies, for staff with the order flag. The page shows them as it shows those of one company. */
export const allOrdersListSlice = createListSlice<OrderRow, OrdersView & OrdersExtra>({
  name: 'allOrders',
  endpoint: listCustomerOrders,
  toQuery: ({ type, today, ...view }) => toListQuery(type, view, today),
})

/** Fetches the price list. The response is cached on the device, where `usePriceInForce` reads it (M68). */
export const fetchPriceInForce = createAppThunk(
  'priceInForce/fetch',
  async (type: ClientType, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(getPriceInForce, { query: { type } })
    return result.kind === 'problem' ? rejectWithValue(result.problem) : result.kind
  },
)

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
/** Takes the full state as `object`, because a feature does not know its type. */
export const selectPriceStatus = (state: object, type: ClientType): RequestStatus | undefined =>
  injectedSlice.selectSlice(state)[type]

type ListedOrder = Pick<OrderRow, 'company_id' | 'client_type' | 'code'>

/**
 * Fetches the row again after a payment, for staff with the order flag in the list of all companies too. Otherwise a user who goes offline
 * directly after paying would see it as unpaid.
 */
export const refreshListedOrder =
  ({ company_id: companyId, client_type: type, code }: ListedOrder): AppThunk =>
  async (_dispatch, getState, { api }) => {
    const { session } = getState()
    const query = { type, searchText: code }
    const canListAll = session.kind === 'signed in' && isAllowed('staffOrder', session.caller)
    await Promise.all([
      api.call(listOrders, { params: { companyId }, query }),
      ...(canListAll ? [api.call(listCustomerOrders, { query })] : []),
    ])
  }

/**
 * Fetches modules and settings, which are stored on the device like the price list. A user who has seen the list can then order offline.
 * Returns the problem of the first call that failed.
 */
export const fetchPriceData =
  (type: ClientType): AppThunk<Problem | null> =>
  async (_dispatch, _getState, { api }) => {
    const results = await Promise.all([api.call(listModuleChoices, { query: { type } }), api.call(getSettings, {})])
    return results.find((result) => result.kind === 'problem')?.problem ?? null
  }

/**
 * Deletes an order that is not in effect (D33), based on its current row. Queued when offline. `displayedRow` is the row that the user saw: the
 * list of all companies is another table, so the device may not have the row in the list of its company, or only an older one.
 */
export const removeOrder =
  (displayedRow: OrderRow, options: CallOptions): AppThunk<CallResult<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const { id, row_version: displayedVersion, status } = displayedRow
    const listedRow = await readRow<OrderRow>(orderListSpec.table, id)
    const isListed = listedRow !== null && (listedRow.waiting !== null || listedRow.row.row_version >= displayedVersion)
    const base = isListed
      ? { rowVersion: getBaseVersion(listedRow), values: { status: listedRow.row.status } }
      : { rowVersion: displayedVersion, values: { status } }
    return await api.call(deleteOrder, { params: { id } }, { ...options, base })
  }

export type CompanyChoice = OutputOf<typeof listCompanies>[number]

/** Used only by the provider's staff (D53). */
export const findCompanies = (searchText: string) => callEndpoint(listCompanies, { query: { searchText } })
