/**
 * Service orders and their contracts. An order's `code` is its service code, which users see and type. Its `contract` is the number of the
 * effective contract, or null if the order has none yet. A contract's `code` is that number.
 */
import * as z from 'zod/mini'
import {
  descLimit,
  nameLimit,
  type PendingOrderFields,
  toPendingOrder,
  termLimits,
  userLimits,
  yearLimits,
} from '#domain/orders.ts'
import { orderRowNames } from '#domain/row-names.ts'
import { defineEndpoint, type ListSpec, type VersionedRow } from '#contract/endpoint.ts'
import { paymentDue, feeStep } from '#contract/payments.ts'
import {
  amount,
  changesOutput,
  clientType,
  currency,
  flag01,
  nameLine,
  pageQuery,
  pageOutput,
  paragraph,
  plainDate,
  randomId,
  ref,
  rowId,
  serviceCode,
  getSortNames,
  text,
  timestamp,
  userMode,
  integerBetween,
  wordCode,
} from '#contract/values.ts'

const years = integerBetween(yearLimits.min, yearLimits.max)
const users = integerBetween(userLimits.min, userLimits.max)
/** A use case reports an empty list (contracts 8). A module may occur only once, because it would be paid twice. */
const modules = z.array(wordCode).check(
  z.maxLength(500),
  z.refine((codes) => new Set(codes).size === codes.length),
)
const state = z.enum(['invalid', 'unpaid', 'effective', 'overwritten', 'expired'])
/** -1 invalid, 0 unpaid, 1 effective. 2 and 3 have swapped meanings in the two readings (D27, D28). */
const status = z.union([z.literal(-1), z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
const orderType = z.enum(['create', 'extend', 'change'])
/** 0 not created, 1 creating, 2 running, 3 updating, 4 stopped, 5 failed (D40). */
export const systemStatus = integerBetween(0, 5)

const commonFields = {
  currency,
  user_mode: userMode,
  users,
  modules: z.array(z.string()),
  uat: flag01,
  price_id: z.int(),
  client_type: clientType,
  contract_amount: z.nullable(amount),
  residual_amount: z.nullable(amount),
  amount: z.nullable(amount),
  pay_amount: z.nullable(amount),
  /** In years: the requested years of an unpaid order, or the complete term of a contract. */
  period: integerBetween(termLimits.min, termLimits.max),
  period_start: plainDate,
  period_end: plainDate,
  /** The last day of the contract, displayed without conversion (D18). */
  expired_date: plainDate,
}

export const orderRow = z.object({
  id: z.int(),
  company_id: z.int(),
  code: serviceCode,
  name: text(100),
  desc: z.nullable(text(500)),
  type: orderType,
  /** Reading B. `state` is the same value as a word (D27). */
  status,
  state,
  /** 0 if the order is not paid or not in effect yet. */
  contract_id: z.int(),
  contract: z.nullable(z.string()),
  ...commonFields,
  alert_date: z.nullable(plainDate),
  online: flag01,
  system_status: systemStatus,
  url: z.nullable(z.string()),
  admin_url: z.nullable(z.string()),
  /** A change or extension that is not paid yet (D35). */
  pending: z.nullable(z.object({ id: z.int(), type: orderType, amount, due: timestamp })),
  /** All open payments of the service, the earliest deadline first. `payment` summarizes whether there are any. */
  dues: z.array(paymentDue),
  payment: z.enum(['due', 'none']),
  /** For a change: the amount below the smallest payable amount, which is not charged. Null if nothing is waived. */
  waived: z.nullable(amount),
  /** The last second in which the order can be paid. Null unless the order is unpaid (D31). */
  due: z.nullable(timestamp),
  /** The last second in which the change that created this contract can be undone, or null. `credited`: it gave credit. */
  undo_until: z.nullable(timestamp),
  credited: z.optional(z.boolean()),
  create_time: timestamp,
  update_time: timestamp,
  row_version: z.int(),
})
export type OrderRow = Omit<z.output<typeof orderRow>, 'id'> & VersionedRow

const contractRow = z.object({
  id: z.int(),
  code: z.string(),
  service_code: serviceCode,
  order_id: z.int(),
  type: orderType,
  /** Reading A. `state` is the same value as a word (D27). */
  status,
  state,
  ...commonFields,
  /** Annual fees of the paid periods; `end` is exclusive. The price of a change is calculated from them. */
  segments: z.array(z.object({ start: plainDate, end: plainDate, annual: amount })),
  /** Calculation steps of the sold amount, and the date of the price list. */
  steps: z.array(feeStep),
  price_date: plainDate,
  /** Null if nothing was due. */
  invoice_no: z.nullable(z.string()),
  /** Number of the contract whose terms an undo restored. Null if this contract is not an undo. */
  restores: z.nullable(z.string()),
  /** Start of the counted years, and the months bought since. The end of an extension is based on them. */
  anchor_date: plainDate,
  anchor_months: z.int(),
  create_time: timestamp,
})

export const orderListSpec = {
  table: 'orders',
  row: orderRow,
  sorts: {
    id: 'number',
    code: 'text',
    name: 'text',
    status: 'number',
    users: 'number',
    period_start: 'time',
    expired_date: 'time',
    create_time: 'time',
  },
  sort: ['create_time', 'desc'],
  filters: {
    type: { kind: 'equal', column: 'client_type' },
    // Includes effective orders with something to pay: a change, an extension, backups, traffic (decision 76).
    status: {
      kind: 'equal',
      column: 'status',
      or: { value: 0, column: 'payment', values: ['due'] },
    },
    searchText: { kind: 'contains', columns: ['code', 'name'] },
    endUntil: { kind: 'until', column: 'period_end' },
  },
  scope: { column: 'company_id', param: 'companyId' },
} satisfies ListSpec

/** One row per service code: the effective order, otherwise the latest one (D35). `type` is the client type. */
export const listOrders = defineEndpoint({
  name: 'listOrders',
  method: 'GET',
  path: '/api/company/:companyId/sorder',
  summary: 'Lists the service orders of a company, one per service code',
  access: 'order',
  matrix: 'Z-17',
  params: z.object({ companyId: ref('company') }),
  query: pageQuery(getSortNames(orderListSpec), {
    type: z.optional(clientType),
    status: z.optional(status),
    searchText: z.optional(text(100)),
    endUntil: z.optional(plainDate),
  }),
  output: z.union([pageOutput(orderRow), changesOutput(orderRow)]),
  offline: 'list',
  list: orderListSpec,
})

/** Lists companies whose orders provider staff may manage (D53), by id, or by part of the code or name. Empty if the query has neither. */
export const listCompanies = defineEndpoint({
  name: 'listCompanies',
  method: 'GET',
  path: '/api/company',
  summary: 'Lists up to 20 companies by id or by part of their code or name',
  access: 'providerOrder',
  matrix: 'Z-17',
  query: z.object({ id: z.optional(rowId), searchText: z.optional(text(100)) }),
  output: z.array(z.object({ id: z.int(), code: z.string(), name: z.string() })),
  offline: 'read',
})

const quoteFields = {
  /** The displayed quote. If the price has changed since, the call fails with QUOTE_CHANGED (D17). */
  quote_id: z.optional(randomId),
  price_id: z.optional(z.int()),
  amount: z.optional(amount),
  /** The unpaid order of this service to replace. If omitted, the call fails if the service has an unpaid order (D32, D36). */
  replaces: z.optional(ref('order')),
}

const contractPayload = z.object({
  code: text(60, 1),
  name: nameLine(nameLimit, 1),
  desc: z.optional(z.nullable(paragraph(descLimit))),
  currency,
  user_mode: userMode,
  users,
  modules,
  uat: z._default(flag01, 0),
  client_type: z._default(clientType, 'saas'),
  period: years,
  period_start: plainDate,
  /** Target company if provider staff create the order (api: order flag). */
  company_id: z.optional(ref('company')),
  /** Set by provider staff to back-date the order (D39). */
  sOrderCreateTime: z.optional(plainDate),
  confirmKey: z.optional(randomId),
  ...quoteFields,
})

const queueDefaults = { kind: 'order', table: 'orders', names: orderRowNames } as const

export const createOrder = defineEndpoint({
  name: 'createOrder',
  method: 'POST',
  path: '/api/sorder',
  summary: 'Creates a service order, unpaid or effective at once if nothing is due',
  access: 'order',
  matrix: 'Z-17',
  body: contractPayload,
  output: orderRow,
  offline: 'queue',
  queue: {
    ...queueDefaults,
    target: () => null,
    overlay: (_row, { body }, write) => toPendingOrder(body as PendingOrderFields, write),
    versioned: false,
    // With a quote from the server the user is online and has seen that price. So the call is sent immediately or fails, and is not
    // queued (D89).
    mustNotQueue: ({ body }) => body.quote_id !== undefined,
  },
})

const byId = z.object({ id: ref('order') })

export const getOrder = defineEndpoint({
  name: 'getOrder',
  method: 'GET',
  path: '/api/sorder/:id',
  summary: 'Returns a service order',
  access: 'order',
  matrix: 'Z-17',
  params: byId,
  output: orderRow,
  offline: 'read',
})

export const deleteOrder = defineEndpoint({
  name: 'deleteOrder',
  method: 'DELETE',
  path: '/api/sorder/:id',
  summary: 'Deletes an order that never took effect',
  access: 'order',
  matrix: 'Z-17',
  params: byId,
  output: null,
  offline: 'queue',
  queue: {
    ...queueDefaults,
    target: ({ params }) => params.id,
    overlay: () => null,
    versioned: true,
  },
})

export const setAlertDate = defineEndpoint({
  name: 'setAlertDate',
  method: 'POST',
  path: '/api/sorder/alertDate',
  summary: 'Sets the date from which payment reminders are sent; null restores the normal schedule',
  access: 'deleteLevel',
  matrix: 'Z-18',
  body: z.object({ id: ref('order'), alert_date: z.nullable(plainDate) }),
  output: orderRow,
  offline: 'queue',
  queue: {
    ...queueDefaults,
    target: ({ body }) => body.id,
    overlay: (row, { body }) => row && ({ ...row, alert_date: body.alert_date } as OrderRow),
    versioned: true,
  },
})

const changePayload = z.object({
  type: z.enum(['change', 'extend']),
  contract_id: ref('contract'),
  user_mode: z.optional(userMode),
  users: z.optional(users),
  modules: z.optional(modules),
  uat: z.optional(flag01),
  period: z.optional(years),
  confirmKey: z.optional(randomId),
  /** The `discarded_amount` that the user agreed to lose. Required if a change discards money. */
  confirm_discard: z.optional(amount),
  ...quoteFields,
})

/** Without a connection, the page calculates with the same code and its stored price list, and marks the result as offline. */
export const calculate = defineEndpoint({
  name: 'calculate',
  method: 'POST',
  path: '/api/calculate',
  summary: 'Calculates the price of an order, a change or an extension, with the calculation steps',
  access: 'order',
  matrix: 'Z-19',
  body: z.union([
    z.extend(contractPayload, z.partial(z.pick(contractPayload, { code: true, name: true })).shape),
    changePayload,
  ]),
  output: z.object({
    contract_amount: amount,
    residual_amount: amount,
    amount,
    /** residual_amount minus contract_amount: not refunded (D14), or credit (decision 124). One of the two is 0.00. */
    discarded_amount: amount,
    credited_amount: amount,
    annual: amount,
    currency,
    period_start: plainDate,
    period_end: plainDate,
    modules: z.array(z.object({ code: z.string(), name: z.string(), price: amount, auto: flag01 })),
    steps: z.array(feeStep),
    quote_id: randomId,
    price_id: z.int(),
    price_hash: z.string(),
    effective_date: plainDate,
    /** Valid only as long as the price list does not change. */
    valid_until: timestamp,
  }),
  offline: 'online',
})

export const changeContract = defineEndpoint({
  name: 'changeContract',
  method: 'POST',
  path: '/api/contract',
  summary: 'Orders a change or an extension, effective at once if nothing is due; APP_CONFIRM if apps would change',
  access: 'order',
  matrix: 'Z-19',
  body: changePayload,
  output: orderRow,
  offline: 'online',
})

/** `id` is the contract that the change created. STATE_CONFLICT `creditTooLow` if its credit was used. */
export const undoChange = defineEndpoint({
  name: 'undoChange',
  method: 'POST',
  path: '/api/contract/:id/undo',
  summary: 'Restores the contract before a change that discarded money, for 0.00, until the end of its day',
  access: 'order',
  matrix: 'Z-19',
  params: z.object({ id: ref('contract') }),
  body: z.object({ confirmKey: z.optional(randomId) }),
  output: orderRow,
  offline: 'online',
})

/** `id` is the order's id (api: which id). */
export const deleteContract = defineEndpoint({
  name: 'deleteContract',
  method: 'DELETE',
  path: '/api/contract/:id',
  summary: 'Deletes an unpaid change or extension of a contract',
  access: 'order',
  matrix: 'Z-19',
  params: byId,
  output: null,
  offline: 'online',
})

export const getContractHistory = defineEndpoint({
  name: 'getContractHistory',
  method: 'GET',
  path: '/api/contract/:id/history',
  summary: 'Returns a contract and the contracts that it replaced, newest first',
  access: 'order',
  matrix: 'Z-19',
  params: z.object({ id: ref('contract') }),
  output: z.array(contractRow),
  offline: 'read',
})
