/** The asking of the order pages: of the list, of the price list, of single moves. Rows are the device's and never come here. */
import { type PayloadAction, type ThunkAction, type UnknownAction, createSlice } from '@reduxjs/toolkit'
import type { ClientType } from '#domain/access.ts'
import { getSettings } from '#contract/accounts.ts'
import type { Id, OutputOf } from '#contract/endpoint.ts'
import { listModuleChoices } from '#contract/modules.ts'
import { deleteContract, deleteOrder, listCompanies, listOrders, type OrderRow, ordersFills } from '#contract/orders.ts'
import { reconcilePayments } from '#contract/payments.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import { readRow } from '#local/lists.ts'
import { versionOf } from '#local/view.ts'
import type { Result } from '#request/result.ts'
import { signedOut } from '#state/session.ts'
import { type Status, idle } from '#state/status.ts'
import { type Extra, type RootState, root } from '#state/store.ts'
import { queryOf, type View } from '#features/orders/address.ts'

type Thunk<T = void> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

/** What of an order names its line in the list. */
type Listed = Pick<OrderRow, 'company_id' | 'client_type' | 'code'>

export interface Orders {
  /** The query of the address when the list was left (C-02). */
  left: string
  list: Status
  /** Number of the latest asking: an older answer no longer speaks for the page. */
  asking: number
  /** How the asking for the price list in force went; absent: not asked yet. */
  price: Partial<Record<ClientType, Status>>
}

const initialState: Orders = { left: '', list: idle, asking: 0, price: {} }

export const orders = createSlice({
  name: 'orders',
  initialState,
  reducers: {
    viewChanged: (state, { payload }: PayloadAction<string>) => ({ ...state, left: payload }),
    listSent: (state) => ({ ...state, list: { is: 'sending' }, asking: state.asking + 1 }),
    listAnswered: (state, { payload }: PayloadAction<{ asking: number; list: Status }>) =>
      payload.asking === state.asking ? { ...state, list: payload.list } : state,
    priceTold: (state, { payload }: PayloadAction<{ type: ClientType; status: Status }>) => ({
      ...state,
      price: { ...state.price, [payload.type]: payload.status },
    }),
  },
  extraReducers: (builder) => builder.addCase(signedOut, () => initialState),
})

const own = orders.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectOrders = (state: object): Orders => own.selectSlice(state)
export const { viewChanged } = orders.actions
const { listSent, listAnswered, priceTold } = orders.actions

const statusOf = (result: Result<unknown>): Status =>
  result.kind === 'problem' ? { is: 'failed', problem: result.problem } : idle

export const askOrders =
  (companyId: number, type: ClientType, view: View): Thunk =>
  async (dispatch, getState, { api }) => {
    dispatch(listSent())
    const { asking } = selectOrders(getState())
    const result = await api.ask(listOrders, { params: { companyId }, query: queryOf(type, view) })
    dispatch(listAnswered({ asking, list: statusOf(result) }))
  }

/** How it stands in the list by now: whoever loses the line right after a payment must not read there that it is unpaid. */
export const askListed =
  ({ company_id: companyId, client_type: type, code }: Listed): Thunk =>
  async (_dispatch, _getState, { api }) => {
    await api.ask(listOrders, { params: { companyId }, query: { type, searchText: code } })
  }

/** The answer is kept on the device, where `usePriceInForce` finds it (M68). */
export const askPrice =
  (type: ClientType): Thunk =>
  async (dispatch, _getState, { api }) => {
    dispatch(priceTold({ type, status: { is: 'sending' } }))
    const result = await api.ask(getPriceInForce, { query: { type } })
    dispatch(priceTold({ type, status: statusOf(result) }))
  }

/**
 * Brings modules and settings to the device, where whoever works out prices reads them: with the list too, so that who has
 * seen that can order without a line. Answers what went wrong.
 */
export const askMarket =
  (type: ClientType): Thunk<Problem | null> =>
  async (_dispatch, _getState, { api }) => {
    const results = await Promise.all([api.ask(listModuleChoices, { query: { type } }), api.ask(getSettings, {})])
    return results.find((result) => result.kind === 'problem')?.problem ?? null
  }

/** In which zone the business day begins (D31): kept on the device with the other settings. */
export const askZone =
  (): Thunk =>
  async (_dispatch, _getState, { api }) => {
    await api.ask(getSettings, {})
  }

/** An order that is not in effect (D33); based on the row as it is at this moment. Waits without a line. */
export const removeOrder =
  (id: Id): Thunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) => {
    const shown = await readRow<OrderRow>(ordersFills.table, id)
    const base = shown ? { base: { rowVersion: versionOf(shown), values: { status: shown.row.status } } } : {}
    return await api.ask(deleteOrder, { params: { id } }, base)
  }

/** An unpaid change or extension (D34); only with a line. */
export const removeChange =
  (id: number): Thunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(deleteContract, { params: { id } })

export type CompanyName = OutputOf<typeof listCompanies>[number]

/** For the provider's staff (D53). */
export const findCompanies =
  (query: { id: number } | { searchText: string }): Thunk<Result<CompanyName[]>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(listCompanies, { query })

/** Begins it; how far it is and what it finds stand in the list of activities. */
export const reconcile =
  (): Thunk<Result<unknown>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(reconcilePayments, { body: {} }, { until: 'started' })
