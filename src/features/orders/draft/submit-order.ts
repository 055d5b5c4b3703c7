/** The wizard's asking: whether a code is free, what is unpaid, and the order itself. */
import { orderExists } from '#contract/accounts.ts'
import type { InputOf, RowRef, Intent } from '#contract/endpoint.ts'
import { createOrder, getOrder, listOrders, type OrderRow, orderListSpec } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { getRequest } from '#contract/requests.ts'
import type { ClientType } from '#domain/access.ts'
import type { DueSubject } from '#domain/dues.ts'
import type { Currency } from '#domain/money.ts'
import { readList } from '#local/lists/read-list.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ServerQuote } from '#features/orders/quote/local-quote.ts'

/** Null: it cannot be known now; then the server says it with the order. */
export const fetchIsCodeTaken =
  (code: string): AppThunk<boolean | null> =>
  async (_dispatch, getState, { api }) => {
    const result = await api.call(orderExists, { query: { code } })
    if (result.kind === 'fresh') return result.output
    const { session } = getState()
    return session.kind === 'signed in' && (await hasLocalContract(session.caller.companyId, code)) ? true : null
  }

/** Where nobody can be asked: an own contract in effect that this device has holds its code. */
async function hasLocalContract(companyId: number, code: string): Promise<boolean> {
  const query = {
    scope: companyId,
    filters: { searchText: code },
    sort: orderListSpec.sort,
    page: 1,
    results: 1_000_000,
  }
  const { rows } = await readList<OrderRow>(orderListSpec, query)
  return rows.some(({ row }) => row.code === code && row.status === effectiveStatus)
}

const effectiveStatus = 1

const unpaidStatus = 0

/** Brings the unpaid orders to the device; who shows them reads them there. */
export const fetchUnpaidOrders =
  (companyId: number, type: ClientType): AppThunk<void> =>
  async (_dispatch, _state, { api }) => {
    await api.call(listOrders, { params: { companyId }, query: { type, status: unpaidStatus, results: 50 } })
  }

export const readOrder =
  (id: RowRef): AppThunk<CallResult<OrderRow>> =>
  async (_dispatch, _state, { api }) =>
    (await api.call(getOrder, { params: { id } })) as CallResult<OrderRow>

export type OrderBody = InputOf<typeof createOrder>['body']
/** By the server's own figure: it is made now or not at all, and never waits in the outbox. */
export interface SubmitOrderInput {
  body: OrderBody
  serverQuote: ServerQuote
  replaces: number | null
  confirmKey: string | null
}

/** `intent`: of the same wish, whose answer was lost. */
export const submitOrder =
  (
    { body, serverQuote, replaces, confirmKey }: SubmitOrderInput,
    intent: Intent | null,
  ): AppThunk<CallResult<OrderRow>> =>
  async (_dispatch, _state, { api }) => {
    const { quote_id, price_id, amount } = serverQuote
    const consents = {
      ...(replaces === null ? {} : { replaces }),
      ...(confirmKey === null ? {} : { confirmKey }),
    }
    const callOptions = intent === null ? {} : { intent }
    return (await api.call(
      createOrder,
      { body: { ...body, quote_id, price_id, amount, ...consents } },
      callOptions,
    )) as CallResult<OrderRow>
  }

/** What was made of a wish whose answer was lost (protocol 13); null: nothing, or nobody can say it now. */
export const fetchOrderOfIntent =
  (intent: Intent): AppThunk<OrderRow | null> =>
  async (_dispatch, _state, { api }) => {
    const result = await api.call(getRequest, { params: { id: `~${intent}` } })
    return result.kind === 'fresh' ? (result.output as OrderRow | null) : null
  }

/** An unpaid order of one's own that holds the code (D32). */
export interface UnpaidOrder {
  id: number
  type: OrderRow['type']
  amount: string
  /** The server does not say it; this device knows it of the orders that it has. */
  currency?: Currency
  due: string
  /** Of a change, and of an extension; absent in what an older server says. */
  change?: DueSubject['change']
  until?: DueSubject['until']
}

/** What a refusal asks its user for; null: nothing, it is a problem. */
export type OrderQuestion =
  | { kind: 'changed'; serverQuote: ServerQuote }
  | { kind: 'unpaid'; unpaidOrder: UnpaidOrder }
  | { kind: 'apps'; appChanges: readonly OrderAppChange[]; key: string }
  /** Of what was paid, not refunded. */
  | { kind: 'discard'; amount: string }

export type OrderAppChange =
  | { code: string; change: 'enter' | 'leave' }
  | { code: string; change: 'version'; from: string; to: string }

export function parseQuestion({ code, data }: Problem): OrderQuestion | null {
  const details = (data ?? {}) as {
    why?: string
    now?: ServerQuote
    unpaid?: UnpaidOrder
    confirm_info?: OrderAppChange[]
    confirm_key?: string
    discarded_amount?: string
  }
  if (code === 'QUOTE_CHANGED' && details.now) return { kind: 'changed', serverQuote: details.now }
  if (code === 'DUP_CODE' && details.unpaid?.type === 'create') return { kind: 'unpaid', unpaidOrder: details.unpaid }
  if (code === 'STATE_CONFLICT' && details.why === 'unpaid' && details.unpaid)
    return { kind: 'unpaid', unpaidOrder: details.unpaid }
  if (code === 'APP_CONFIRM' && details.confirm_key)
    return { kind: 'apps', appChanges: details.confirm_info ?? [], key: details.confirm_key }
  if (code === 'DISCARD_CONFIRM' && details.discarded_amount)
    return { kind: 'discard', amount: details.discarded_amount }
  return null
}

/** Nobody answered: what was asked for may go on when the line is back. */
export const isConnectionLost = ({ status, code }: Problem): boolean =>
  (status === 0 && code !== 'SESSION_LAPSED' && code !== 'SIGNED_OUT') ||
  status === 502 ||
  status === 503 ||
  status === 504
