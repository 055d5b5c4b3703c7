import type { ColumnType, Generated, Selectable } from 'kysely'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { PdbType } from '#contract/backups.ts'
import type { OperationStep, ServiceOperation, serviceFaults } from '#contract/services.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>

export interface RunningOperation {
  kind: ServiceOperation
  /** User who started the operation. 0 means the portal itself. */
  userId: number
  userName: string
  byProvider: boolean
  /** When the operation started, epoch ms. */
  since: number
  progressKey: string
  /** The current step. Missing before the first one, and in operations that an earlier build started. */
  step?: RunningStep
}

export interface RunningStep {
  name: OperationStep
  /** Numbers of healthy and requested instances, while the operation waits for them. */
  healthy: number | null
  wanted: number | null
}

type JsonColumn<T> = ColumnType<T, string, string>

export interface ServiceTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  name: string
  url: string | null
  /** Null if the address is derived from `url` (portal 9). */
  admin_url: string | null
  /** D40. */
  system_status: Generated<number>
  /** Whether the last health check reached the service (D40). */
  online: Generated<0 | 1>
  /** Memory of each task in MB, as requested. 0 means that the platform decides (D42). */
  task_runtime_memory: Generated<number>
  /** Requested number of tasks. -1 means that the platform decides, 0 means stopped (D42). */
  task_desire_count: Generated<number>
  /** Memory of each running task in MB. Null if nothing runs. */
  running_memory: number | null
  running_tasks: Generated<number>
  needs_reboot: Generated<boolean>
  fault: (typeof serviceFaults)[number] | null
  /** Why the latest deployment was rolled back. Null if it was not, or if another operation began since then. */
  deployment_fault: (typeof serviceFaults)[number] | null
  /** Whether users were notified that the service is down, and not yet that it is up again. */
  is_reported_down: Generated<boolean>
  /** Whether backups to the bucket are suspended, by the staff or because of overdue traffic. */
  traffic_disabled: Generated<boolean>
  /** Whether the staff have suspended backups to the bucket, independent of payments. */
  traffic_blocked: Generated<boolean>
  /** Last month whose traffic was billed, `yyyy-MM`. Null if no month was billed. */
  closed_month: string | null
  /** Time of the next scheduled backup of each kind, epoch ms. Null if it is not scheduled yet. */
  next_pdb2s3: number | null
  next_pdb2rds: number | null
  failing_backups: ColumnType<PdbType[], string | undefined, string>
  /** When users last got a mail about failing backups, epoch ms. */
  notified_failing: number | null
  operation: JsonColumn<RunningOperation> | null
  /** Fence of the latest operation. Results of earlier operations are refused. */
  fence: Generated<number>
  /** Whether the service is set up automatically when its contract takes effect. False after it was set up or removed. */
  awaits_set_up: Generated<boolean>
  /** Whether the service was stopped because its contract ended. It starts again with the next contract. */
  is_expired: Generated<boolean>
  /** Day on which the service's data is erased. Null if no erasure is planned. */
  erase_date: PlainDate | null
  /** When the service's data was erased, epoch ms. Null if it was not erased. */
  erase_time: number | null
  /** Days of the stop and of the erasure about which users got a mail. Null if they got none. */
  notified_stop: PlainDate | null
  notified_erase: PlainDate | null
  change: Generated<number>
  row_version: Generated<number>
  create_time: ImmutableColumn<number>
  update_time: number
}

/** Read only: a service with data from its contract, orders and backups. */
export interface ServiceRowView extends Selectable<Omit<ServiceTable, 'is_reported_down'>> {
  company_code: string
  company_name: string
  company_name_key: string
  display_name: string
  name_key: string
  /** Null if the service has no contract. The columns of the contract are then null too. */
  contract_id: number | null
  contract: string | null
  period_start: PlainDate | null
  /** Exclusive end of the contract (D18). */
  period_end: PlainDate | null
  modules: string[] | null
  contract_time: number | null
  alert_date: PlainDate | null
  /** Unpaid order of the service, also a change or extension. It may already be overdue. */
  unpaid_id: number | null
  unpaid_due: Timestamp | null
  pdb2s3_date: PlainDate | null
  pdb2rds_date: PlainDate | null
  /** Unpaid backup order of each kind, and when it was ordered. Null if no order is unpaid. It may already be overdue. */
  os_pdb2s3: number | null
  os_pdb2s3_time: number | null
  os_pdb2rds: number | null
  os_pdb2rds_time: number | null
  /** Oldest unpaid traffic record and when it was created. Null if no traffic is unpaid. */
  os_traffic: number | null
  os_traffic_time: number | null
  /** Number of installed apps with a newer published version. 0 if the service cannot be updated, because nothing runs or it has expired. */
  newer_apps: number
  /** Change number of the latest publication of one of its apps, or 0. The row's own change number does not include it (decision 117). */
  apps_change: number
  /** Number of all published versions of apps. Added to the row's version, it raises the version with each publication. */
  published_versions: number
}

export interface ServicePasswordTable {
  service_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  user_id: number
  sealed: string
  until: number
}

export interface HostingTables {
  service: ServiceTable
  service_row: ServiceRowView
  service_password: ServicePasswordTable
  hosting: { change: number }
}
