/** Database-backup subscriptions of a hosted service, the traffic they cause, and the backups themselves. */
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
  /** Exclusive (D18). */
  period_end: plainDate,
  /** From where its months count, and the months bought since; null: it was cut at the end of the contract. */
  anchor_date: z.nullable(plainDate),
  anchor_months: z.nullable(z.int()),
  annual: amount,
  discount: amount,
  amount,
  pay_amount: amount,
  /** What is below the smallest payable amount and not charged; null: nothing. */
  waived: z.nullable(amount),
  /** -1 invalid, 0 unpaid, 1 paid; one that was not paid in time is invalid. */
  status: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  /** Until when it can be paid (D31). */
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
  summary: "A service's backup subscriptions",
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
  summary: 'Subscribe a service to a backup, up to the end of its contract (D21)',
  access: 'order',
  matrix: 'Z-23',
  body: z.object({
    service_id: ref('service'),
    pdb_type: backupType,
    period: integerBetween(1, 99),
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
  /** Of an earlier month (`yyyy-MM`), in the amount; and what goes on to the next one because nobody can pay so little. */
  carried_in: amount,
  carried_from: z.nullable(month),
  carried_out: amount,
  /** GB of the month that cost nothing, and the price of one beyond them. */
  free: amount,
  price: amount,
  pay_date: z.nullable(plainDate),
  pay_amount: z.nullable(amount),
  /** Until when it is to be paid (D31). */
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
  summary: "A service's traffic, a record a month",
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
  summary: "This month's traffic so far, and how much of it is free",
  access: 'order',
  matrix: 'Z-23',
  params: z.object({ serviceId: ref('service') }),
  output: z.object({ month, pdb_traffic: amount, pdb2s3_traffic: amount, amount, currency }),
  offline: 'read',
})

/** Staff suspend the backups to the bucket of a service, or lift that; overdue traffic suspends them by itself. */
export const disableTraffic = defineEndpoint({
  name: 'disableTraffic',
  method: 'POST',
  path: '/api/pdb/traffic/:serviceId',
  summary: 'Suspend or allow the backups of a service that cause traffic',
  access: 'providerAdmin',
  matrix: 'Z-23',
  params: z.object({ serviceId: ref('service') }),
  body: z.object({ disabled: z.boolean() }),
  output: z.object({ traffic_disabled: z.boolean() }),
  offline: 'online',
})

/** Why a backup or a restore came to no good end; words for it stand in `locales/en/backups.json`. */
export const backupFaults = [
  /** The system, or its data, is not there any more. */
  'no_instance',
  /** The host, the bucket or the other database does not answer. */
  'unreachable',
  /** It refuses us: its keys or rights. */
  'refused',
  'no_room',
  /** What is stored is not what was written: nothing was overwritten. */
  'damaged',
  /** It is not there any more. */
  'missing',
  /** The key that opens it is not there. */
  'no_key',
  /** Cut off, and not begun again. */
  'interrupted',
] as const
export type BackupFault = (typeof backupFaults)[number]

/** One that ran, or runs. */
const storedBackupRow = z.object({
  id: z.int(),
  service_id: z.int(),
  service_code: z.string(),
  pdb_type: backupType,
  /** `removed`: its time was over, or it was one too many. */
  state: z.enum(['running', 'done', 'failed', 'removed']),
  cause: z.enum(['schedule', 'person']),
  /** Who asked; null: the clock, or the provider's staff for a customer. */
  user_name: z.nullable(z.string()),
  start_time: timestamp,
  end_time: z.nullable(timestamp),
  /** ms; null: it runs still. */
  duration: z.nullable(z.int()),
  /** As it is stored. */
  bytes: z.nullable(z.int()),
  tables: z.nullable(z.int()),
  rows: z.nullable(z.int()),
  /** Of the key that opens it; null: it is not encrypted (pdb2rds). */
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

/** The same people as for all that touches a running system (Z-26). */
const operatorAccess = { access: 'orderOrProviderAdmin', matrix: 'Z-26' } as const

export const listBackups = defineEndpoint({
  ...operatorAccess,
  name: 'listBackups',
  method: 'GET',
  path: '/api/pdb/backup',
  summary: "A service's backups, newest first",
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
  summary: 'Back a service up now; about 5 minutes (contracts 9)',
  body: z.object({ service_id: ref('service'), pdb_type: backupType }),
  output: storedBackupRow,
  offline: 'online',
  job: 'run-backup',
})

/** One at a time for each service, as all that is done to a running system. */
export const restoreBackup = defineEndpoint({
  ...operatorAccess,
  name: 'restoreBackup',
  method: 'POST',
  path: '/api/pdb/restore',
  summary: 'Put the data of a backup into its own service or another one of the company',
  body: z.object({
    backup_id: rowId,
    /** Into which. */
    service_id: ref('service'),
  }),
  output: z.object({ backup_id: z.int(), service_id: z.int(), tables: z.int(), rows: z.int() }),
  offline: 'online',
  job: 'restore-backup',
  stepUp: () => true,
})

const plannedBackup = z.object({
  /** When the clock starts the next one; null: it does not. */
  next_run: z.nullable(timestamp),
  /** Newest that succeeded. */
  last_good: z.nullable(timestamp),
  /** Of the newest one, where it failed. */
  fault: z.nullable(z.enum(backupFaults)),
})

/** What stands behind a service's backups: when, how long they are kept, whether they were proven. */
export const getBackupPlan = defineEndpoint({
  ...operatorAccess,
  name: 'getBackupPlan',
  method: 'GET',
  path: '/api/pdb/plan/:serviceId',
  summary: "When a service is backed up next, how long backups are kept, and the last drill's result",
  params: z.object({ serviceId: ref('service') }),
  output: z.object({
    pdb2s3: plannedBackup,
    pdb2rds: plannedBackup,
    /** How many of each kind are kept at most, and for how many days; the newest good one stays. */
    keep_count: z.int(),
    keep_days: z.int(),
    /** Suspended by the staff; null: it is not. */
    traffic_disabled_by: z.nullable(z.enum(['staff', 'overdue'])),
    /** The newest restore drill: a backup was put into an empty place and compared; null: there was none yet. */
    drill: z.nullable(
      z.object({ time: timestamp, backup_id: z.int(), ok: z.boolean(), fault: z.nullable(z.enum(backupFaults)) }),
    ),
    /** The last restores into this service, newest first. */
    restores: z.array(
      z.object({
        time: timestamp,
        backup_id: z.int(),
        /** Of the service that the backup is of. */
        from_code: z.string(),
        user_name: z.nullable(z.string()),
        ok: z.boolean(),
        fault: z.nullable(z.enum(backupFaults)),
      }),
    ),
  }),
  offline: 'read',
})
