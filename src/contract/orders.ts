/**
 * Service orders and the contracts that come of them. An order's `code` is its service code, which people see and type;
 * `contract` is the effective contract number, null until there is one. A contract's `code` is that number.
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
/** That there is at least one is said in the specification's own words (contracts 8). */
/** Each once: what is named twice would be paid for twice. */
const modules = z.array(wordCode).check(
  z.maxLength(500),
  z.refine((codes) => new Set(codes).size === codes.length),
)
const state = z.enum(['invalid', 'unpaid', 'effective', 'overwritten', 'expired'])
/** -1 invalid, 0 unpaid, 1 effective; 2 and 3 change places between the two readings (D27, D28). */
const status = z.union([z.literal(-1), z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
const orderType = z.enum(['create', 'extend', 'change'])
/** 0 not created, 1 creating, 2 running, 3 updating, 4 stopped, 5 failed (D40). */
export const systemStatus = integerBetween(0, 5)

/** What an order and a contract have alike. */
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
  /** Years: of an order that is not paid what it asks for, of a contract all that it runs. */
  period: integerBetween(termLimits.min, termLimits.max),
  period_start: plainDate,
  period_end: plainDate,
  /** The last day, shown as it is (D18). */
  expired_date: plainDate,
}

const orderRow = z.object({
  id: z.int(),
  company_id: z.int(),
  code: serviceCode,
  name: text(100),
  desc: z.nullable(text(500)),
  type: orderType,
  /** Reading B; `state` says the same in a word (D27). */
  status,
  state,
  /** 0: not paid or not in effect yet. */
  contract_id: z.int(),
  contract: z.nullable(z.string()),
  ...commonFields,
  alert_date: z.nullable(plainDate),
  online: flag01,
  system_status: systemStatus,
  url: z.nullable(z.string()),
  admin_url: z.nullable(z.string()),
  /** A change or extension that waits to be paid (D35). */
  pending: z.nullable(z.object({ id: z.int(), type: orderType, amount, due: timestamp })),
  /** All that is to be paid for the service, soonest first; `payment` says in a word whether there is anything. */
  dues: z.array(paymentDue),
  payment: z.enum(['due', 'none']),
  /** Of a change: what is below the smallest payable amount and not charged; null: nothing. */
  waived: z.nullable(amount),
  /** The last second in which it can be paid; null: not unpaid (D31). */
  due: z.nullable(timestamp),
  /** The last second in which the change that made this contract can be undone; null: it cannot. */
  undo_until: z.nullable(timestamp),
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
  /** Reading A; `state` says the same in a word (D27). */
  status,
  state,
  ...commonFields,
  /** What it was sold at, by its paid stretches; ends are exclusive. What a change of it costs is worked out from them. */
  segments: z.array(z.object({ start: plainDate, end: plainDate, annual: amount })),
  /** How the amount of its sale came about, and of which day the price list was. */
  steps: z.array(feeStep),
  price_date: plainDate,
  /** Null: nothing was due. */
  invoice_no: z.nullable(z.string()),
  /** The number of the contract whose terms an undo restored; null: it is no undo. */
  restores: z.nullable(z.string()),
  /** From where its years count, and the months bought since: what an extension of it ends on is worked out from them. */
  anchor_date: plainDate,
  anchor_months: z.int(),
  create_time: timestamp,
})

/** What the list keeps on the device, for whoever reads it there. */
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
    // Also what is in effect and has something to be paid: a change, an extension, backups, traffic (decision 76).
    status: {
      kind: 'equal',
      column: 'status',
      or: { value: 0, column: 'payment', values: ['due'] },
    },
    searchText: { kind: 'contains', columns: ['code', 'name'] },
  },
  scope: { column: 'company_id', param: 'companyId' },
} satisfies ListSpec

/** One row for each service code: the order in force, else the newest (D35). Type is the client type. */
export const listOrders = defineEndpoint({
  name: 'listOrders',
  method: 'GET',
  path: '/api/company/:companyId/sorder',
  summary: "A company's service orders, page by page",
  access: 'order',
  matrix: 'Z-17',
  params: z.object({ companyId: ref('company') }),
  query: pageQuery(getSortNames(orderListSpec), {
    type: z.optional(clientType),
    status: z.optional(status),
    searchText: z.optional(text(100)),
  }),
  output: z.union([pageOutput(orderRow), changesOutput(orderRow)]),
  offline: 'list',
  list: orderListSpec,
})

/** Whose contracts the provider's staff may look at, or order (D53): by id, or by a part of the code or name; without either none. */
export const listCompanies = defineEndpoint({
  name: 'listCompanies',
  method: 'GET',
  path: '/api/company',
  summary: 'Companies to look at, by a part of their code or name',
  access: 'providerOrder',
  matrix: 'Z-17',
  query: z.object({ id: z.optional(rowId), searchText: z.optional(text(100)) }),
  output: z.array(z.object({ id: z.int(), code: z.string(), name: z.string() })),
  offline: 'read',
})

const quoteFields = {
  /** What was shown when it was ordered: another price by now is a QUOTE_CHANGED (D17). */
  quote_id: z.optional(randomId),
  price_id: z.optional(z.int()),
  amount: z.optional(amount),
  /** The unpaid order of this service that it takes the place of: without its name there is at most one (D32, D36). */
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
  /** The company it is for, where the provider's staff order (api: order flag). */
  company_id: z.optional(ref('company')),
  /** Back-dated by the provider's staff (D39). */
  sOrderCreateTime: z.optional(plainDate),
  confirmKey: z.optional(randomId),
  ...quoteFields,
})

const queueDefaults = { kind: 'order', table: 'orders', names: orderRowNames } as const

export const createOrder = defineEndpoint({
  name: 'createOrder',
  method: 'POST',
  path: '/api/sorder',
  summary: 'Order a service; apps that would change are asked about first (APP_CONFIRM)',
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
    // Whoever orders by the server's own figure sits before it: it is made now, or not at all (D89).
    mustNotQueue: ({ body }) => body.quote_id !== undefined,
  },
})

const byId = z.object({ id: ref('order') })

export const getOrder = defineEndpoint({
  name: 'getOrder',
  method: 'GET',
  path: '/api/sorder/:id',
  summary: 'A service order',
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
  summary: 'Delete an order that is not in effect',
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
  summary: 'From when reminders of payment are sent; null: the normal schedule (D45)',
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

/** Of a contract in force: another set of modules and users, or more years. */
const changePayload = z.object({
  type: z.enum(['change', 'extend']),
  contract_id: ref('contract'),
  user_mode: z.optional(userMode),
  users: z.optional(users),
  modules: z.optional(modules),
  uat: z.optional(flag01),
  period: z.optional(years),
  confirmKey: z.optional(randomId),
  /** The `discarded_amount` that the user agreed to lose: required where a change discards money. */
  confirm_discard: z.optional(amount),
  ...quoteFields,
})

/** Offline the page asks the same engine, on the price list it holds, and says so. */
export const calculate = defineEndpoint({
  name: 'calculate',
  method: 'POST',
  path: '/api/calculate',
  summary: 'What an order, a change or an extension would cost, with the steps that lead there',
  access: 'order',
  matrix: 'Z-19',
  // A price can be asked for before the service has a name.
  body: z.union([
    z.extend(contractPayload, z.partial(z.pick(contractPayload, { code: true, name: true })).shape),
    changePayload,
  ]),
  output: z.object({
    contract_amount: amount,
    residual_amount: amount,
    amount,
    /** What was paid and is not refunded: residual_amount less contract_amount, never below 0 (D14). */
    discarded_amount: amount,
    annual: amount,
    currency,
    period_start: plainDate,
    period_end: plainDate,
    modules: z.array(z.object({ code: z.string(), name: z.string(), price: amount, auto: flag01 })),
    steps: z.array(feeStep),
    quote_id: randomId,
    price_id: z.int(),
    /** Of all that the list says. */
    price_hash: z.string(),
    effective_date: plainDate,
    /** As long as the price list stays as it is. */
    valid_until: timestamp,
  }),
  offline: 'online',
})

export const changeContract = defineEndpoint({
  name: 'changeContract',
  method: 'POST',
  path: '/api/contract',
  summary: 'Order a change or an extension: unpaid, or in effect at once when nothing is due (D15)',
  access: 'order',
  matrix: 'Z-19',
  body: changePayload,
  output: orderRow,
  offline: 'online',
})

/** By the id of the contract that the change made. */
export const undoChange = defineEndpoint({
  name: 'undoChange',
  method: 'POST',
  path: '/api/contract/:id/undo',
  summary: 'Restore the contract before a change that discarded money, for 0.00, until the end of its day',
  access: 'order',
  matrix: 'Z-19',
  params: z.object({ id: ref('contract') }),
  body: z.object({ confirmKey: z.optional(randomId) }),
  output: orderRow,
  offline: 'online',
})

/** By the order's id (api: which id). */
export const deleteContract = defineEndpoint({
  name: 'deleteContract',
  method: 'DELETE',
  path: '/api/contract/:id',
  summary: 'Delete an unpaid change or extension (D34)',
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
  summary: 'A contract and those it replaced, newest first',
  access: 'order',
  matrix: 'Z-19',
  params: z.object({ id: ref('contract') }),
  output: z.array(contractRow),
  offline: 'read',
})
