import { orderExists } from '#contract/accounts.ts'
import type { InputOf, RowRef, Intent } from '#contract/endpoint.ts'
import { createOrder, getOrder, listOrders, type OrderRow, orderListSpec } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { getRequest } from '#contract/requests.ts'
import type { ClientType } from '#domain/access.ts'
import type { DueSubject } from '#domain/dues.ts'
import type { Currency } from '#domain/money.ts'
import { readList } from '#local/lists/read-list.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import type { ServerQuote } from '#features/orders/quote/local-quote.ts'

/** Returns null if the code cannot be checked now. The server refuses the order if the code is taken. */
export const fetchIsCodeTaken =
  (code: string): AppThunk<boolean | null> =>
  async (_dispatch, getState, { api }) => {
    const result = await api.call(orderExists, { query: { code } })
    if (result.kind === 'fresh') return result.output
    const { session } = getState()
    return session.kind === 'signed in' && (await hasLocalContract(session.caller.companyId, code)) ? true : null
  }

/** Used without a connection. Returns whether a contract in effect on this device has the code. */
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

/** Fetches the unpaid orders. They are stored on the device, where a live query reads them. */
export const fetchUnpaidOrders =
  (companyId: number, type: ClientType): AppThunk<void> =>
  async (_dispatch, _state, { api }) => {
    await api.call(listOrders, { params: { companyId }, query: { type, status: unpaidStatus, results: 50 } })
  }

export const readOrder = (id: RowRef) => callEndpoint(getOrder, { params: { id } }) as AppThunk<CallResult<OrderRow>>

type OrderBody = InputOf<typeof createOrder>['body']
/** Input of an order at the server's figure. The order is sent immediately and never queued in the outbox. */
interface SubmitOrderInput {
  body: OrderBody
  serverQuote: ServerQuote
  replaces: number | null
  confirmKey: string | null
}

/** `intent` is the intent of an earlier call for the same order whose response was lost, or null. */
export const submitOrder = (
  { body, serverQuote: { quote_id, price_id, amount }, replaces, confirmKey }: SubmitOrderInput,
  intent: Intent | null,
) => {
  const consents = {
    ...(replaces === null ? {} : { replaces }),
    ...(confirmKey === null ? {} : { confirmKey }),
  }
  return callEndpoint(
    createOrder,
    { body: { ...body, quote_id, price_id, amount, ...consents } },
    toIntentOptions(intent),
  ) as AppThunk<CallResult<OrderRow>>
}

export const toIntentOptions = (intent: Intent | null): CallOptions => (intent === null ? {} : { intent })

/** Returns the intent of a call whose response was lost, for sending it again. Returns null otherwise. */
export const getLostIntent = (result: CallResult<unknown>): Intent | null =>
  result.kind === 'problem' && isConnectionLost(result.problem) ? (result.intent ?? null) : null

/** Returns the order of a call whose response was lost (protocol 13). Null if there is no such order or it cannot be read now. */
export const fetchOrderOfIntent =
  (intent: Intent): AppThunk<OrderRow | null> =>
  async (_dispatch, _state, { api }) => {
    const result = await api.call(getRequest, { params: { id: `~${intent}` } })
    return result.kind === 'fresh' ? (result.output as OrderRow | null) : null
  }

/** An unpaid order with the same service code (D32). */
export interface UnpaidOrder {
  id: number
  type: OrderRow['type']
  amount: string
  /** Missing in the server's response. The device adds it from its own orders. */
  currency?: Currency
  due: string
  /** Set for a change (`change`) and for an extension (`until`). An older server does not send them. */
  change?: DueSubject['change']
  until?: DueSubject['until']
}

/** A question to the user that a refusal contains. A problem without a question is displayed as an error. */
export type OrderQuestion =
  | { kind: 'changed'; serverQuote: ServerQuote }
  | { kind: 'unpaid'; unpaidOrder: UnpaidOrder }
  | { kind: 'apps'; appChanges: readonly OrderAppChange[]; key: string }
  /** `amount` was paid and is not refunded. */
  | { kind: 'discard'; amount: string }

export type OrderAppChange =
  | { code: string; change: 'enter' | 'leave' }
  | { code: string; change: 'version'; from: string; to: string }

interface QuestionDetails {
  why?: string
  now?: ServerQuote
  unpaid?: UnpaidOrder
  confirm_info?: OrderAppChange[]
  confirm_key?: string
  discarded_amount?: string
}

const toUnpaidQuestion = (unpaidOrder: UnpaidOrder): OrderQuestion => ({ kind: 'unpaid', unpaidOrder })

const questionsByCode: Readonly<Record<string, (details: QuestionDetails) => OrderQuestion | false | undefined | ''>> =
  {
    QUOTE_CHANGED: ({ now: serverQuote }) => serverQuote && { kind: 'changed', serverQuote },
    DUP_CODE: ({ unpaid }) => unpaid?.type === 'create' && toUnpaidQuestion(unpaid),
    STATE_CONFLICT: (details) => details.why === 'unpaid' && details.unpaid && toUnpaidQuestion(details.unpaid),
    APP_CONFIRM: ({ confirm_info: appChanges, confirm_key: key }) =>
      key && { kind: 'apps', appChanges: appChanges ?? [], key },
    DISCARD_CONFIRM: ({ discarded_amount: amount }) => amount && { kind: 'discard', amount },
  }

export const parseQuestion = ({ code, data }: Problem): OrderQuestion | null =>
  questionsByCode[code]?.((data ?? {}) as QuestionDetails) || null

/** Returns whether no response came from the server itself. Such a call can be repeated when the connection is back. */
export const isConnectionLost = ({ status, code }: Problem): boolean =>
  (status === 0 && code !== 'SESSION_LAPSED' && code !== 'SIGNED_OUT') ||
  status === 502 ||
  status === 503 ||
  status === 504
