/** Hosted services: the running systems of contracts. Actions on them are never queued, and most take minutes. */
import * as z from 'zod/mini'
import { backupTypes } from '#contract/backups.ts'
import { defineEndpoint, type ListSpec } from '#contract/endpoint.ts'
import { systemStatus } from '#contract/orders.ts'
import {
  changesOutput,
  flag01,
  pageQuery,
  pageOutput,
  plainDate,
  randomId,
  ref,
  getSortNames,
  text,
  minuteTimestamp,
  timestamp,
  integerBetween,
} from '#contract/values.ts'

/** Memory of a task in MB. 0 lets the platform decide (D42). */
const memory = z.union([z.literal(0), integerBetween(1000, 8000)])
/** Number of tasks to run. -1 lets the platform decide, 0 stops the service (D42). */
const taskCount = integerBetween(-1, 4)

/** Reasons why a service that should run is not running. `failed`: the last operation failed. */
export const serviceFaults = [
  'keeps_ending',
  'out_of_memory',
  'no_answer',
  'not_healthy',
  'no_image',
  'no_memory',
  'node_lost',
  'throttled',
  'unreachable',
  'failed',
] as const

/** Long requests on a running system. Only one runs at a time per service. `stop` and `start` are additions of the portal. */
export const serviceOperations = [
  'create-service',
  'update-service',
  'remove-service',
  'delete-service',
  'reset-service-password',
  'reboot-service',
  'configure-service',
  'stop-service',
  'start-service',
  'restore-backup',
] as const
export type ServiceOperation = (typeof serviceOperations)[number]

/** Steps of an operation. `rollback` returns to the version that ran before. */
export const operationSteps = [
  'prepare',
  'install',
  'configure',
  'password',
  'start',
  'restart',
  'health',
  'switch',
  'rollback',
  'stop',
  'remove',
  'erase',
] as const
export type OperationStep = (typeof operationSteps)[number]

const serviceRow = z.object({
  id: z.int(),
  company_id: z.int(),
  company_name: z.string(),
  company_code: z.string(),
  code: z.string(),
  name: z.string(),
  url: z.nullable(z.string()),
  admin_url: z.nullable(z.string()),
  create_time: timestamp,
  period_start: z.nullable(plainDate),
  expired_date: z.nullable(plainDate),
  contract_id: z.int(),
  contract: z.nullable(z.string()),
  system_status: systemStatus,
  /** Status of the service order, reading B (D27). */
  status: integerBetween(-1, 3),
  online: flag01,
  alert_date: z.nullable(plainDate),
  /** Ids of the unpaid orders of each kind, or 0 (D91). */
  os_contract: z.int(),
  os_pdb2s3: z.int(),
  os_pdb2rds: z.int(),
  /** Exclusive end dates. Null if never subscribed (D91). */
  pdb2s3_date: z.nullable(plainDate),
  pdb2rds_date: z.nullable(plainDate),
  /** Id of the oldest unpaid traffic record, or 0, and its payment deadline. */
  os_traffic: z.int(),
  traffic_due: z.nullable(timestamp),
  traffic_disabled: z.boolean(),
  failing_backups: z.array(z.enum(backupTypes)),
  task_runtime_memory: memory,
  task_desire_count: taskCount,
  /** The running state: memory limit of each task in MB, and number of tasks. Null and 0 if nothing runs. */
  running_memory: z.nullable(z.int()),
  running_tasks: integerBetween(0, 4),
  needs_reboot: z.boolean(),
  /** Number of installed apps with a newer version. An update installs the latest version of every app. */
  newer_apps: z.int(),
  fault: z.nullable(z.enum(serviceFaults)),
  /** Why the latest start was refused, or its new version or configuration given up. What ran before keeps running. */
  deployment_fault: z.nullable(z.enum(serviceFaults)),
  /** The running operation. `user_name` is null if the portal started it, or if provider staff started it and the caller is a customer. */
  operation: z.nullable(
    z.object({
      kind: z.enum(serviceOperations),
      user_name: z.nullable(z.string()),
      since: timestamp,
      progress_key: z.string(),
      /** The current step. While it waits for health, the numbers of healthy and requested instances are not null. */
      step: z.nullable(
        z.object({
          name: z.enum(operationSteps),
          healthy: z.nullable(z.int()),
          wanted: z.nullable(z.int()),
        }),
      ),
    }),
  ),
  /** Days on which the service stops and its data is erased. A removed service has only `erase_date`. */
  stop_date: z.nullable(plainDate),
  erase_date: z.nullable(plainDate),
  /** The service was stopped after the end of its contract. An extension starts it again. */
  is_expired: z.boolean(),
  row_version: z.int(),
})

export type ServiceRow = z.output<typeof serviceRow>

/** `system_status` of a service whose last operation failed (D40). */
export const failedStatus = 5

const typedServiceListSpec = {
  table: 'services',
  row: serviceRow,
  sorts: {
    id: 'number',
    code: 'text',
    name: 'text',
    company_name: 'text',
    create_time: 'time',
    expired_date: 'time',
    system_status: 'number',
  },
  sort: ['code', 'asc'],
  filters: {
    searchText: { kind: 'contains', columns: ['code', 'name', 'company_code', 'company_name'] },
    companyId: { kind: 'equal', column: 'company_id' },
    systemStatus: { kind: 'equal', column: 'system_status' },
    needsReboot: { kind: 'equal', column: 'needs_reboot' },
    minNewerApps: { kind: 'from', column: 'newer_apps' },
    /** Services that should run and do not: failed, or with a fault. */
    downStatus: {
      kind: 'equal',
      column: 'system_status',
      or: { value: failedStatus, column: 'fault', values: serviceFaults },
    },
    expiresFrom: { kind: 'from', column: 'expired_date' },
    expiresUntil: { kind: 'until', column: 'expired_date' },
  },
  scope: null,
} satisfies ListSpec
export const serviceListSpec: ListSpec = typedServiceListSpec

/** `companyId` is for provider admins. For other callers it is refused unless it is their own company (N-06). */
export const listServices = defineEndpoint({
  name: 'listServices',
  method: 'GET',
  path: '/api/aws/service',
  summary: "Lists the hosted services of the caller's company or, for a provider admin, of all companies",
  access: 'orderOrProviderAdmin',
  matrix: 'Z-27',
  query: pageQuery(getSortNames(typedServiceListSpec), {
    searchText: z.optional(text(100)),
    companyId: z.optional(ref('company')),
    systemStatus: z.optional(systemStatus),
    needsReboot: z.optional(z.boolean()),
    minNewerApps: z.optional(integerBetween(1, 1000)),
    downStatus: z.optional(z.literal(failedStatus)),
    expiresFrom: z.optional(plainDate),
    expiresUntil: z.optional(plainDate),
  }),
  output: z.union([pageOutput(serviceRow), changesOutput(serviceRow)]),
  offline: 'list',
  list: typedServiceListSpec,
})

const byId = z.object({ id: ref('service') })
const operatorAccess = { access: 'orderOrProviderAdmin', matrix: 'Z-26', offline: 'online' } as const

export const createService = defineEndpoint({
  ...operatorAccess,
  name: 'createService',
  method: 'POST',
  path: '/api/aws/service',
  summary: 'Creates the running system of an effective contract',
  query: z.object({ contractId: ref('contract') }),
  output: serviceRow,
  job: 'create-service',
})

export const updateService = defineEndpoint({
  ...operatorAccess,
  name: 'updateService',
  method: 'POST',
  path: '/api/aws/service/update/:id',
  summary: 'Updates a service to the latest apps of its modules',
  params: byId,
  output: serviceRow,
  job: 'update-service',
})

export const removeService = defineEndpoint({
  ...operatorAccess,
  name: 'removeService',
  method: 'DELETE',
  path: '/api/aws/service/remove/:id',
  summary: 'Removes the running system but keeps the service, and its data for 30 days',
  params: byId,
  output: serviceRow,
  job: 'remove-service',
  stepUp: () => true,
})

/** Stricter than the access rule: customers may delete only after expiry, the provider only with the delete level (D41, Z-26). */
export const deleteService = defineEndpoint({
  ...operatorAccess,
  name: 'deleteService',
  method: 'DELETE',
  path: '/api/aws/service/:id',
  summary: 'Deletes a service and its data',
  params: byId,
  output: null,
  job: 'delete-service',
  stepUp: () => true,
})

export const resetServicePassword = defineEndpoint({
  ...operatorAccess,
  name: 'resetServicePassword',
  method: 'POST',
  path: '/api/aws/resetpwd/:id',
  summary: "Resets the password of a service's administrator",
  params: byId,
  output: null,
  job: 'reset-service-password',
})

export const rebootService = defineEndpoint({
  ...operatorAccess,
  name: 'rebootService',
  method: 'POST',
  path: '/api/aws/reboot/:id',
  summary: 'Restarts the running system of a service',
  params: byId,
  output: null,
  job: 'reboot-service',
})

export const configureService = defineEndpoint({
  ...operatorAccess,
  name: 'configureService',
  method: 'POST',
  path: '/api/aws/changecfg',
  summary: 'Changes the memory (MB) and the number of tasks of a service, effective after a restart',
  query: z.object({ serviceId: ref('service'), task_runtime_memory: memory, task_desire_count: taskCount }),
  output: serviceRow,
  job: 'configure-service',
})

/** Returns the password of the latest creation or reset to the user who requested it, and deletes it. */
export const takeServicePassword = defineEndpoint({
  ...operatorAccess,
  name: 'takeServicePassword',
  method: 'POST',
  path: '/api/aws/password/:id',
  summary: 'Returns the new password of a service to the user who requested it, once and within a day',
  params: byId,
  output: z.object({ user: z.string(), password: z.string() }),
  secret: true,
})

const logLine = z.object({
  /** Epoch ms, so that lines within one second stay in order. */
  time: z.int(),
  /** 0 for lines of the supervisor of the tasks. */
  task: integerBetween(0, 4),
  level: z.enum(['info', 'warn', 'error']),
  text: z.string(),
})

/** Reads the latest lines of a time range, or the lines after a position. To follow the log, repeat the call with `next`. */
export const readServiceLog = defineEndpoint({
  ...operatorAccess,
  name: 'readServiceLog',
  method: 'GET',
  path: '/api/aws/log/:id',
  summary: "Returns up to 500 lines of a service's log from the last 180 days, filtered by time range and text",
  params: byId,
  query: z.object({
    from: z.optional(timestamp),
    to: z.optional(timestamp),
    searchText: z.optional(text(100)),
    after: z.optional(z.string().check(z.maxLength(40))),
  }),
  /** `next`: position to continue from. `more`: earlier lines were omitted. */
  output: z.object({ lines: z.array(logLine), next: z.string(), more: z.boolean() }),
  secret: true,
})

/** A staff tool (D53): checks the state of services at the platform immediately, for one company or all. */
export const recheckServices = defineEndpoint({
  name: 'recheckServices',
  method: 'POST',
  path: '/api/aws/recheck',
  summary: 'Checks immediately whether services respond, for one company or for all',
  access: 'providerAdmin',
  matrix: 'Z-26',
  offline: 'online',
  query: z.object({ companyId: z.optional(ref('company')) }),
  output: z.object({ checked: z.int(), online: z.int(), changed: z.int() }),
})

export const requestLog = defineEndpoint({
  ...operatorAccess,
  name: 'requestLog',
  method: 'POST',
  path: '/api/aws/log',
  summary: 'Returns a single-use key to download logs of the last 180 days, or an empty string if no logs exist',
  body: z.object({ id: ref('service'), from: minuteTimestamp, to: minuteTimestamp }),
  encoding: 'form',
  output: z.string(),
  secret: true,
})

export const downloadLog = defineEndpoint({
  name: 'downloadLog',
  method: 'GET',
  path: '/public/log/:key',
  summary: 'Returns the requested logs of a service, once per key',
  access: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  responseType: 'bytes',
})
