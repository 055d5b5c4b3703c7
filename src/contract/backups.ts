import * as z from 'zod/mini'
import { defineEndpoint, type ListSpec } from '#contract/endpoint.ts'
import {
  amount,
  changesOutput,
  currency,
  month,
  pageQuery,
  pageOutput,
  plainDate,
  randomId,
  ref,
  rowId,
  getSortNames,
  text,
  timestamp,
  integerBetween,
} from '#contract/values.ts'

export const backupTypes = ['pdb2s3', 'pdb2rds'] as const
export type PdbType = (typeof backupTypes)[number]
const backupType = z.enum(backupTypes)
const periodType = z.enum(['year', 'month'])

const backupRow = z.object({
  id: z.int(),
  service_id: z.int(),
  price_id: z.int(),
  currency,
  pdb_type: backupType,
  period: integerBetween(1, 99),
  period_type: periodType,
  period_start: plainDate,
  /** Exclusive end date (D18). */
  period_end: plainDate,
  /**
   * `anchor_date`: start of consecutive periods. `anchor_months`: months bought since then. Both are null if the period was cut at the end
   * of the contract.
   */
  anchor_date: z.nullable(plainDate),
  anchor_months: z.nullable(z.int()),
  annual: amount,
  discount: amount,
  amount,
  pay_amount: amount,
  /** Amount below the smallest payable amount, which is not charged. Null if nothing is waived. */
  waived: z.nullable(amount),
  /** -1 invalid, 0 unpaid, 1 paid. An order that is not paid in time becomes invalid. */
  status: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  /** Payment deadline (D31). */
  due: timestamp,
  invoice_no: z.nullable(z.string()),
  create_time: timestamp,
  row_version: z.int(),
})
export type BackupOrderRow = z.output<typeof backupRow>

const backupOrderListSpec = {
  table: 'backup_orders',
  row: backupRow,
  sorts: { id: 'number', create_time: 'time', period_start: 'time', period_end: 'time', status: 'number' },
  sort: ['create_time', 'desc'],
  filters: { pdb_type: { kind: 'equal', column: 'pdb_type' } },
  scope: { column: 'service_id', param: 'serviceId' },
} satisfies ListSpec

export const listBackupOrders = defineEndpoint({
  name: 'listBackupOrders',
  method: 'GET',
  path: '/api/pdb/order',
  summary: 'Lists the backup subscriptions of a service',
  access: 'order',
  matrix: 'Z-23',
  query: pageQuery(getSortNames(backupOrderListSpec), { serviceId: ref('service'), pdb_type: z.optional(backupType) }),
  output: z.union([pageOutput(backupRow), changesOutput(backupRow)]),
  offline: 'list',
  list: backupOrderListSpec,
})

export const orderBackup = defineEndpoint({
  name: 'orderBackup',
  method: 'POST',
  path: '/api/pdb/order',
  summary: 'Orders a backup subscription for a service, at most until the end of its contract',
  access: 'order',
  matrix: 'Z-23',
  body: z.object({
    service_id: ref('service'),
    pdb_type: backupType,
    period: integerBetween(1, 99),
    period_type: periodType,
    /** The displayed quote. If the price has changed since then, the call fails with QUOTE_CHANGED (D17). */
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
  /**
   * `carried_in`: amount carried over from an earlier month (`yyyy-MM`), a part of `amount`. `carried_out`: amount that is too small to be
   * paid.
   */
  carried_in: amount,
  carried_from: z.nullable(month),
  carried_out: amount,
  /** Free GB of the month, and the price of each further GB. */
  free: amount,
  price: amount,
  pay_date: z.nullable(plainDate),
  pay_amount: z.nullable(amount),
  /** Payment deadline (D31). */
  due: timestamp,
  invoice_no: z.nullable(text(40)),
  row_version: z.int(),
})
export type TrafficRow = z.output<typeof trafficRow>

const trafficListSpec = {
  table: 'traffic',
  row: trafficRow,
  sorts: { id: 'number', period_end: 'time', pdb_traffic: 'number', pay_date: 'time' },
  sort: ['period_end', 'desc'],
  filters: {},
  scope: { column: 'service_id', param: 'serviceId' },
} satisfies ListSpec

export const listTraffic = defineEndpoint({
  name: 'listTraffic',
  method: 'GET',
  path: '/api/pdb/traffic',
  summary: 'Lists the traffic records of a service, one per month',
  access: 'order',
  matrix: 'Z-23',
  query: pageQuery(getSortNames(trafficListSpec), { serviceId: ref('service') }),
  output: z.union([pageOutput(trafficRow), changesOutput(trafficRow)]),
  offline: 'list',
  list: trafficListSpec,
})

export const getTraffic = defineEndpoint({
  name: 'getTraffic',
  method: 'GET',
  path: '/api/pdb/traffic/:serviceId',
  summary: 'Returns the traffic of a service in this month so far and its free traffic, in GB',
  access: 'order',
  matrix: 'Z-23',
  params: z.object({ serviceId: ref('service') }),
  output: z.object({ month, pdb_traffic: amount, pdb2s3_traffic: amount, amount, currency }),
  offline: 'read',
})

/** Provider staff suspend or resume a service's backups. Overdue traffic suspends them automatically. */
export const disableTraffic = defineEndpoint({
  name: 'disableTraffic',
  method: 'POST',
  path: '/api/pdb/traffic/:serviceId',
  summary: 'Suspends or resumes the backups of a service that cause traffic',
  access: 'providerAdmin',
  matrix: 'Z-23',
  params: z.object({ serviceId: ref('service') }),
  body: z.object({ disabled: z.boolean() }),
  output: z.object({ traffic_disabled: z.boolean() }),
  offline: 'online',
})

/** Reasons why a backup or restore failed. Their texts are in `locales/en/backups.json`. */
export const backupFaults = [
  'no_instance',
  'unreachable',
  'refused',
  'no_room',
  /** The stored data differs from the data that was written. Nothing was overwritten. */
  'damaged',
  'missing',
  'no_key',
  'interrupted',
] as const
export type BackupFault = (typeof backupFaults)[number]

const storedBackupRow = z.object({
  id: z.int(),
  service_id: z.int(),
  service_code: z.string(),
  pdb_type: backupType,
  /** `removed`: the retention time of the backup ended, or there were too many backups. */
  state: z.enum(['running', 'done', 'failed', 'removed']),
  cause: z.enum(['schedule', 'person']),
  /** Null if the schedule started the backup. Also null for customers if provider staff started it. */
  user_name: z.nullable(z.string()),
  start_time: timestamp,
  end_time: z.nullable(timestamp),
  /** In ms. Null while the backup is running. */
  duration: z.nullable(z.int()),
  bytes: z.nullable(z.int()),
  tables: z.nullable(z.int()),
  rows: z.nullable(z.int()),
  /** Id of the key that decrypts the backup. Null if it is not encrypted (pdb2rds). */
  key_id: z.nullable(z.string()),
  fault: z.nullable(z.enum(backupFaults)),
  row_version: z.int(),
})
export type StoredBackupRow = z.output<typeof storedBackupRow>

const storedBackupListSpec = {
  table: 'backups',
  row: storedBackupRow,
  sorts: { id: 'number', start_time: 'time', bytes: 'number', duration: 'number' },
  sort: ['start_time', 'desc'],
  filters: { pdb_type: { kind: 'equal', column: 'pdb_type' } },
  scope: { column: 'service_id', param: 'serviceId' },
} satisfies ListSpec

const operatorAccess = { access: 'orderOrProviderAdmin', matrix: 'Z-26' } as const

export const listBackups = defineEndpoint({
  ...operatorAccess,
  name: 'listBackups',
  method: 'GET',
  path: '/api/pdb/backup',
  summary: 'Lists the backups of a service, newest first',
  query: pageQuery(getSortNames(storedBackupListSpec), { serviceId: ref('service'), pdb_type: z.optional(backupType) }),
  output: z.union([pageOutput(storedBackupRow), changesOutput(storedBackupRow)]),
  offline: 'list',
  list: storedBackupListSpec,
})

export const backUp = defineEndpoint({
  ...operatorAccess,
  name: 'backUp',
  method: 'POST',
  path: '/api/pdb/backup',
  summary: 'Backs up a service immediately, which takes about 5 minutes',
  body: z.object({ service_id: ref('service'), pdb_type: backupType }),
  output: storedBackupRow,
  offline: 'online',
  job: 'run-backup',
})

export const restoreBackup = defineEndpoint({
  ...operatorAccess,
  name: 'restoreBackup',
  method: 'POST',
  path: '/api/pdb/restore',
  summary: 'Restores a backup into its own service or into another service of the company',
  body: z.object({
    backup_id: rowId,
    service_id: ref('service'),
  }),
  output: z.object({ backup_id: z.int(), service_id: z.int(), tables: z.int(), rows: z.int() }),
  offline: 'online',
  job: 'restore-backup',
  stepUp: () => true,
})

const plannedBackup = z.object({
  /** Start of the next scheduled backup. Null if none is scheduled. */
  next_run: z.nullable(timestamp),
  last_good: z.nullable(timestamp),
  fault: z.nullable(z.enum(backupFaults)),
})

export const getBackupPlan = defineEndpoint({
  ...operatorAccess,
  name: 'getBackupPlan',
  method: 'GET',
  path: '/api/pdb/plan/:serviceId',
  summary:
    'Returns the next backup times of a service, the retention of backups, and the result of the last restore drill',
  params: z.object({ serviceId: ref('service') }),
  output: z.object({
    pdb2s3: plannedBackup,
    pdb2rds: plannedBackup,
    /** Maximum number of backups per kind, and their retention in days. The latest successful one is never removed. */
    keep_count: z.int(),
    keep_days: z.int(),
    /** Who suspended the backups. Null if they are not suspended. */
    traffic_disabled_by: z.nullable(z.enum(['staff', 'overdue'])),
    /** The latest restore drill (restore into an empty database and compare). Null if there was none yet. */
    drill: z.nullable(
      z.object({ time: timestamp, backup_id: z.int(), ok: z.boolean(), fault: z.nullable(z.enum(backupFaults)) }),
    ),
    restores: z.array(
      z.object({
        time: timestamp,
        backup_id: z.int(),
        from_code: z.string(),
        user_name: z.nullable(z.string()),
        ok: z.boolean(),
        fault: z.nullable(z.enum(backupFaults)),
      }),
    ),
  }),
  offline: 'read',
})
