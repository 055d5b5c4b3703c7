/** The wizard's asking: whether a code is free, what is unpaid, and the order itself. */
import { orderExists } from '#contract/accounts.ts'
import type { InputOf, Id, Intent } from '#contract/endpoint.ts'
import { createOrder, getOrder, listOrders, type OrderRow, ordersFills } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { getRequest } from '#contract/requests.ts'
import type { ClientType } from '#domain/access.ts'
import type { DueMatter } from '#domain/dues.ts'
import type { Currency } from '#domain/money.ts'
import { readList } from '#local/lists/read-list.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ServerQuote } from '#features/orders/quote/local-quote.ts'

/** Null: it cannot be known now; then the server says it with the order. */
export const askTaken =
  (code: string): AppThunk<boolean | null> =>
  async (_dispatch, getState, { api }) => {
    const result = await api.call(orderExists, { query: { code } })
    if (result.kind === 'fresh') return result.output
    const { session } = getState()
    return session.kind === 'signed in' && (await hasContractHere(session.caller.companyId, code)) ? true : null
  }

/** Where nobody can be asked: an own contract in effect that this device has holds its code. */
async function hasContractHere(companyId: number, code: string): Promise<boolean> {
  const all = { scope: companyId, filters: { searchText: code }, sort: ordersFills.sort, page: 1, results: 1_000_000 }
  const { rows } = await readList<OrderRow>(ordersFills, all)
  return rows.some(({ row }) => row.code === code && row.status === effectiveStatus)
}

const effectiveStatus = 1

const unpaidStatus = 0

/** Brings the unpaid orders to the device; who shows them reads them there. */
export const askUnpaid =
  (companyId: number, type: ClientType): AppThunk<void> =>
  async (_dispatch, _state, { api }) => {
    await api.call(listOrders, { params: { companyId }, query: { type, status: unpaidStatus, results: 50 } })
  }

export const readOrder =
  (id: Id): AppThunk<Result<OrderRow>> =>
  async (_dispatch, _state, { api }) =>
    (await api.call(getOrder, { params: { id } })) as Result<OrderRow>

export type OrderBody = InputOf<typeof createOrder>['body']
/** By the server's own figure: it is made now or not at all, and never waits in the outbox. */
export interface Ordering {
  body: OrderBody
  told: ServerQuote
  replaces: number | null
  confirmKey: string | null
}

/** `intent`: of the same wish, whose answer was lost. */
export const order =
  ({ body, told, replaces, confirmKey }: Ordering, intent: Intent | null): AppThunk<Result<OrderRow>> =>
  async (_dispatch, _state, { api }) => {
    const { quote_id, price_id, amount } = told
    const more = {
      ...(replaces === null ? {} : { replaces }),
      ...(confirmKey === null ? {} : { confirmKey }),
    }
    const asking = intent === null ? {} : { intent }
    return (await api.call(
      createOrder,
      { body: { ...body, quote_id, price_id, amount, ...more } },
      asking,
    )) as Result<OrderRow>
  }

/** What was made of a wish whose answer was lost (protocol 13); null: nothing, or nobody can say it now. */
export const askMade =
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
  change?: DueMatter['change']
  until?: DueMatter['until']
}

/** What a refusal asks its user for; null: nothing, it is a problem. */
export type Question =
  | { kind: 'changed'; now: ServerQuote }
  | { kind: 'unpaid'; unpaid: UnpaidOrder }
  | { kind: 'apps'; info: readonly AppChange[]; key: string }
  /** Of what was paid, not refunded. */
  | { kind: 'discard'; amount: string }

export type AppChange =
  | { code: string; change: 'enter' | 'leave' }
  | { code: string; change: 'version'; from: string; to: string }

export function questionOf({ code, data }: Problem): Question | null {
  const said = (data ?? {}) as {
    why?: string
    now?: ServerQuote
    unpaid?: UnpaidOrder
    confirm_info?: AppChange[]
    confirm_key?: string
    discarded_amount?: string
  }
  if (code === 'QUOTE_CHANGED' && said.now) return { kind: 'changed', now: said.now }
  if (code === 'DUP_CODE' && said.unpaid?.type === 'create') return { kind: 'unpaid', unpaid: said.unpaid }
  if (code === 'STATE_CONFLICT' && said.why === 'unpaid' && said.unpaid) return { kind: 'unpaid', unpaid: said.unpaid }
  if (code === 'APP_CONFIRM' && said.confirm_key)
    return { kind: 'apps', info: said.confirm_info ?? [], key: said.confirm_key }
  if (code === 'DISCARD_CONFIRM' && said.discarded_amount) return { kind: 'discard', amount: said.discarded_amount }
  return null
}

/** Nobody answered: what was asked for may go on when the line is back. */
export const isConnectionLost = ({ status, code }: Problem): boolean =>
  (status === 0 && code !== 'SESSION_LAPSED' && code !== 'SIGNED_OUT') ||
  status === 502 ||
  status === 503 ||
  status === 504
