/** Database-backup subscriptions of a hosted service, and the traffic they cause. */
import * as z from 'zod/mini'
import { endpoint, type ListSpec } from '#contract/endpoint.ts'
import {
  amount,
  changes,
  currency,
  month,
  page,
  paged,
  plainDate,
  randomId,
  ref,
  sortNames,
  text,
  timestamp,
  whole,
} from '#contract/values.ts'

const backupType = z.enum(['pdb2s3', 'pdb2rds'])
const periodType = z.enum(['year', 'month'])

const backupRow = z.object({
  id: z.int(),
  service_id: z.int(),
  price_id: z.int(),
  currency,
  pdb_type: backupType,
  period: whole(1, 99),
  period_type: periodType,
  period_start: plainDate,
  /** Exclusive (D18). */
  period_end: plainDate,
  annual: amount,
  discount: amount,
  amount,
  pay_amount: amount,
  /** -1 invalid, 0 unpaid, 1 paid. */
  status: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  invoice_no: z.nullable(z.string()),
  create_time: timestamp,
  row_version: z.int(),
})

const backupFills = {
  table: 'backup_orders',
  row: backupRow,
  sorts: { id: 'number', create_time: 'time', period_start: 'time', period_end: 'time', status: 'number' },
  sort: ['create_time', 'desc'],
  filters: { pdb_type: { kind: 'equal', column: 'pdb_type' } },
  scope: { column: 'service_id', param: 'serviceId' },
} satisfies ListSpec

export const listBackupOrders = endpoint({
  name: 'listBackupOrders',
  method: 'GET',
  path: '/api/pdb/order',
  summary: "A service's backup subscriptions",
  who: 'order',
  matrix: 'Z-23',
  query: page(sortNames(backupFills), { serviceId: ref('service'), pdb_type: z.optional(backupType) }),
  output: z.union([paged(backupRow), changes(backupRow)]),
  offline: 'list',
  list: backupFills,
})

export const orderBackup = endpoint({
  name: 'orderBackup',
  method: 'POST',
  path: '/api/pdb/order',
  summary: 'Subscribe a service to a backup, up to the end of its contract (D21)',
  who: 'order',
  matrix: 'Z-23',
  body: z.object({
    service_id: ref('service'),
    pdb_type: backupType,
    period: whole(1, 99),
    period_type: periodType,
    /** As shown: another price by now is a QUOTE_CHANGED (D17). */
    quote_id: z.optional(randomId),
    price_id: z.optional(z.int()),
    pay_amount: z.optional(amount),
  }),
  output: z.object({ id: z.int() }),
  offline: 'online',
})

const trafficRow = z.object({
  id: z.int(),
  service_id: z.int(),
  period_end: plainDate,
  /** GB, measured with two decimals (D22). */
  pdb_traffic: amount,
  currency,
  amount,
  pay_date: z.nullable(plainDate),
  pay_amount: z.nullable(amount),
  invoice_no: z.nullable(text(40)),
  row_version: z.int(),
})

const trafficFills = {
  table: 'traffic',
  row: trafficRow,
  sorts: { id: 'number', period_end: 'time', pdb_traffic: 'number', pay_date: 'time' },
  sort: ['period_end', 'desc'],
  filters: {},
  scope: { column: 'service_id', param: 'serviceId' },
} satisfies ListSpec

export const listTraffic = endpoint({
  name: 'listTraffic',
  method: 'GET',
  path: '/api/pdb/traffic',
  summary: "A service's traffic, a record a month",
  who: 'order',
  matrix: 'Z-23',
  query: page(sortNames(trafficFills), { serviceId: ref('service') }),
  output: z.union([paged(trafficRow), changes(trafficRow)]),
  offline: 'list',
  list: trafficFills,
})

export const getTraffic = endpoint({
  name: 'getTraffic',
  method: 'GET',
  path: '/api/pdb/traffic/:serviceId',
  summary: "This month's traffic so far, and how much of it is free",
  who: 'order',
  matrix: 'Z-23',
  params: z.object({ serviceId: ref('service') }),
  output: z.object({ month, pdb_traffic: amount, pdb2s3_traffic: amount, amount, currency }),
  offline: 'read',
})
