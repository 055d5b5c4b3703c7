/** Hosted services: the running systems behind contracts. What touches one is never queued, most of it takes minutes. */
import * as z from 'zod/mini'
import { endpoint, type ListSpec } from '#contract/endpoint.ts'
import { systemStatus } from '#contract/orders.ts'
import {
  changes,
  flag01,
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

/** MB; 0 leaves it to the platform (D42). */
const memory = z.union([z.literal(0), whole(1000, 8000)])
/** Tasks to run; -1 leaves it to the platform, 0 is stopped (D42). */
const taskCount = whole(-1, 4)

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
  expired_date: z.nullable(plainDate),
  contract_id: z.int(),
  contract: z.nullable(z.string()),
  system_status: systemStatus,
  /** As the service order's, reading B (D27). */
  status: whole(-1, 3),
  online: flag01,
  alert_date: z.nullable(plainDate),
  /** Ids of unpaid orders, 0 where there is none (D91). */
  os_contract: z.int(),
  os_pdb2s3: z.int(),
  os_pdb2rds: z.int(),
  /** Exclusive ends; null: never subscribed (D91). */
  pdb2s3_date: z.nullable(plainDate),
  pdb2rds_date: z.nullable(plainDate),
  traffic_disabled: z.boolean(),
  task_runtime_memory: memory,
  task_desire_count: taskCount,
  row_version: z.int(),
})

const list = {
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
  },
  scope: null,
} satisfies ListSpec

/** companyId counts for provider admins; for others it is refused unless it is their own (N-06). */
export const listServices = endpoint({
  name: 'listServices',
  method: 'GET',
  path: '/api/aws/service',
  summary: "Hosted services: the own company's, or everyone's for a provider admin",
  who: 'orderOrProviderAdmin',
  matrix: 'Z-27',
  query: page(sortNames(list), {
    searchText: z.optional(text(100)),
    companyId: z.optional(ref('company')),
  }),
  output: z.union([paged(serviceRow), changes(serviceRow)]),
  offline: 'list',
  list,
})

const byId = z.object({ id: ref('service') })
/** The same people for all that is done to a running system. */
const hands = { who: 'orderOrProviderAdmin', matrix: 'Z-26', offline: 'online' } as const

export const createService = endpoint({
  ...hands,
  name: 'createService',
  method: 'POST',
  path: '/api/aws/service',
  summary: 'Set up the running system of a contract in effect',
  query: z.object({ contractId: ref('contract') }),
  output: serviceRow,
  job: 'create-service',
})

export const updateService = endpoint({
  ...hands,
  name: 'updateService',
  method: 'POST',
  path: '/api/aws/service/update/:id',
  summary: "Bring a service to its modules' newest apps",
  params: byId,
  output: serviceRow,
  job: 'update-service',
})

export const removeService = endpoint({
  ...hands,
  name: 'removeService',
  method: 'DELETE',
  path: '/api/aws/service/remove/:id',
  summary: 'Take the running system away; the service stays, its data for 30 days (D41)',
  params: byId,
  output: serviceRow,
  job: 'remove-service',
})

/** Who may is finer than the flag: the customer after expiry, the provider at delete level (D41, Z-26). */
export const deleteService = endpoint({
  ...hands,
  name: 'deleteService',
  method: 'DELETE',
  path: '/api/aws/service/:id',
  summary: 'Delete a service with its data',
  params: byId,
  output: null,
  job: 'delete-service',
  stepUp: () => true,
})

export const resetServicePassword = endpoint({
  ...hands,
  name: 'resetServicePassword',
  method: 'POST',
  path: '/api/aws/resetpwd/:id',
  summary: "Reset the password of a service's administrator (D43)",
  params: byId,
  output: null,
  job: 'reset-service-password',
})

export const rebootService = endpoint({
  ...hands,
  name: 'rebootService',
  method: 'POST',
  path: '/api/aws/reboot/:id',
  summary: 'Restart a running system',
  params: byId,
  output: null,
  job: 'reboot-service',
})

export const configureService = endpoint({
  ...hands,
  name: 'configureService',
  method: 'POST',
  path: '/api/aws/changecfg',
  summary: 'Change memory and number of tasks; takes effect with a restart',
  query: z.object({ serviceId: ref('service'), task_runtime_memory: memory, task_desire_count: taskCount }),
  output: serviceRow,
  job: 'configure-service',
})

export const requestLog = endpoint({
  ...hands,
  name: 'requestLog',
  method: 'POST',
  path: '/api/aws/log',
  summary: 'A single-use key to download logs of up to 180 days back; empty when there are none (D64)',
  body: z.object({ id: ref('service'), from: timestamp, to: timestamp }),
  encoding: 'form',
  output: z.string(),
  secret: true,
})

export const downloadLog = endpoint({
  name: 'downloadLog',
  method: 'GET',
  path: '/public/log/:key',
  summary: "A service's logs, once",
  who: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  responseType: 'bytes',
})
