/** Customers: the companies other than the provider's own. For the provider's staff only. */
import * as z from 'zod/mini'
import { companyRow } from '#contract/accounts.ts'
import { defineEndpoint, type ListSpec } from '#contract/endpoint.ts'
import { orderRow } from '#contract/orders.ts'
import {
  amount,
  changesOutput,
  clientType,
  currency,
  getSortNames,
  integerBetween,
  pageOutput,
  pageQuery,
  plainDate,
  rowId,
  text,
  timestamp,
} from '#contract/values.ts'

const customerRow = z.object({
  id: z.int(),
  code: z.string(),
  name: z.string(),
  country: z.nullable(z.enum(['CN', 'HK'])),
  /** Contracts in effect, and all rows of the customer's list of contracts: one per service code (D35). */
  effective_contracts: z.int(),
  contracts: z.int(),
  /** Sums of the items that the customer can pay now, by the rules of `domain/dues.ts`. `count` is the number of items. */
  unpaid: z.array(z.object({ currency, amount, count: z.int() })),
  unpaid_count: z.int(),
  running_services: z.int(),
  services: z.int(),
  /** State of the worst service, see `customerHealth`. */
  health: integerBetween(0, 3),
  has_unpaid: z.boolean(),
  has_fault: z.boolean(),
  has_contract: z.boolean(),
  /** The latest audit entry of one of the company's own users: not of staff, of jobs or of failed sign-ins. Null if there is none. */
  last_activity: z.nullable(timestamp),
  create_time: timestamp,
  row_version: z.int(),
})
export type CustomerRow = z.output<typeof customerRow>

export const customerListSpec = {
  table: 'customers',
  row: customerRow,
  sorts: {
    id: 'number',
    code: 'text',
    name: 'text',
    effective_contracts: 'number',
    unpaid_count: 'number',
    running_services: 'number',
    health: 'number',
    last_activity: 'time',
    create_time: 'time',
  },
  sort: ['name', 'asc'],
  filters: {
    searchText: { kind: 'contains', columns: ['code', 'name'] },
    hasUnpaid: { kind: 'equal', column: 'has_unpaid' },
    hasFault: { kind: 'equal', column: 'has_fault' },
    hasContract: { kind: 'equal', column: 'has_contract' },
  },
  scope: null,
} satisfies ListSpec

/** The rows are computed from orders, payments, services and the trail, so a request for changes returns all rows (decision 107). */
export const listCustomers = defineEndpoint({
  name: 'listCustomers',
  method: 'GET',
  path: '/api/customer',
  summary: 'Lists the customers with their contracts, unpaid amounts, services and last activity',
  access: 'providerOrder',
  matrix: 'Z-17',
  query: pageQuery(getSortNames(customerListSpec), {
    searchText: z.optional(text(100)),
    hasUnpaid: z.optional(z.boolean()),
    hasFault: z.optional(z.boolean()),
    hasContract: z.optional(z.boolean()),
  }),
  output: z.union([pageOutput(customerRow), changesOutput(customerRow)]),
  offline: 'list',
  list: customerListSpec,
})

const customerId = z.object({ id: rowId })

const contractLine = z.object({ id: z.int(), code: z.string(), name: z.string(), expired_date: plainDate })

/**
 * `dues` are orders with something to pay, the first due first, at most 50; `ending` are contracts in effect, the next to end first, at most
 * 10. `effective_contracts` counts all of them. Contracts of a type that the caller may not see are in no figure (Z-33).
 */
export const getCustomer = defineEndpoint({
  name: 'getCustomer',
  method: 'GET',
  path: '/api/customer/:id',
  summary: 'Returns the profile and the key figures of a customer, its unpaid items and its contracts that end next',
  access: 'providerOrder',
  matrix: 'Z-17',
  params: customerId,
  output: z.object({
    ...customerRow.shape,
    profile: z.omit(companyRow, { id: true, code: true, name: true, country: true, row_version: true }),
    dues: z.array(z.extend(contractLine, { dues: orderRow.shape.dues })),
    ending: z.array(contractLine),
  }),
  offline: 'read',
})

const customerOrderRow = z.object({ ...orderRow.shape, company_code: z.string(), company_name: z.string() })
export type CustomerOrderRow = z.output<typeof customerOrderRow>

export const customerOrderListSpec = {
  table: 'customer_orders',
  row: customerOrderRow,
  sorts: {
    id: 'number',
    code: 'text',
    name: 'text',
    company_name: 'text',
    status: 'number',
    users: 'number',
    expired_date: 'time',
    create_time: 'time',
  },
  sort: ['create_time', 'desc'],
  filters: {
    type: { kind: 'equal', column: 'client_type' },
    // As in the list of one company (decision 76).
    status: { kind: 'equal', column: 'status', or: { value: 0, column: 'payment', values: ['due'] } },
    endUntil: { kind: 'until', column: 'period_end' },
    searchText: { kind: 'contains', columns: ['code', 'name', 'company_code', 'company_name'] },
  },
  scope: null,
} satisfies ListSpec

/** Has no change number, so a device stores the pages that were read, and not the complete list (decision 107). */
export const listCustomerOrders = defineEndpoint({
  name: 'listCustomerOrders',
  method: 'GET',
  path: '/api/sorder',
  summary: 'Lists the service orders of all companies, one per service code',
  access: 'staffOrder',
  matrix: 'Z-17',
  query: pageQuery(getSortNames(customerOrderListSpec), {
    type: z.optional(clientType),
    status: z.optional(integerBetween(-1, 3)),
    endUntil: z.optional(plainDate),
    searchText: z.optional(text(100)),
  }),
  output: z.union([pageOutput(customerOrderRow), changesOutput(customerOrderRow)]),
  offline: 'list',
  list: customerOrderListSpec,
})

const customerPaymentRow = z.object({
  id: z.int(),
  company_id: z.int(),
  /** The paid item: an order of this type, a backup subscription, a month of traffic, or several items that were paid together. */
  type: z.enum(['create', 'extend', 'change', 'pdb2s3', 'pdb2rds', 'traffic', 'group']),
  service_code: z.string(),
  paid_time: timestamp,
  currency: z.string(),
  amount,
  gateway: z.string(),
  /** Number of the payment at the gateway. */
  reference: z.string(),
  /** If several items were paid together, the numbers of all their invoices, and `service_code` has the codes of their services. */
  invoice_no: z.nullable(z.string()),
  /** `open` is a payment that is neither applied nor refunded. It may be applied later. */
  state: z.enum(['applied', 'open', 'refunding', 'refunded']),
  /** Id of the contract of an order, for its print. Null for backups and traffic, and for payments that were not applied. */
  contract_id: z.nullable(z.int()),
  row_version: z.int(),
})
export type CustomerPaymentRow = z.output<typeof customerPaymentRow>

export const customerPaymentListSpec = {
  table: 'customer_payments',
  row: customerPaymentRow,
  sorts: { id: 'number', service_code: 'text', paid_time: 'time' },
  sort: ['paid_time', 'desc'],
  filters: { searchText: { kind: 'contains', columns: ['service_code', 'invoice_no', 'reference'] } },
  scope: { column: 'company_id', param: 'companyId' },
} satisfies ListSpec

export const listCustomerPayments = defineEndpoint({
  name: 'listCustomerPayments',
  method: 'GET',
  path: '/api/customer/:companyId/payment',
  summary: 'Lists the payments of a customer with their invoice numbers',
  access: 'providerOrder',
  matrix: 'Z-17',
  params: z.object({ companyId: rowId }),
  query: pageQuery(getSortNames(customerPaymentListSpec), { searchText: z.optional(text(100)) }),
  output: z.union([pageOutput(customerPaymentRow), changesOutput(customerPaymentRow)]),
  offline: 'list',
  list: customerPaymentListSpec,
})
