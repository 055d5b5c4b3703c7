/** Tables of hosted services. */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { PdbType } from '#contract/backups.ts'
import type { ServiceOperation, serviceFaults } from '#contract/services.ts'

/** Set once. */
type ImmutableColumn<T> = ColumnType<T, T, never>

/** What is being done to a service, and by whom. */
export interface RunningOperation {
  kind: ServiceOperation
  /** 0: the portal itself. */
  userId: number
  userName: string
  /** Of the provider's people, for a customer. */
  byProvider: boolean
  /** Epoch ms. */
  since: number
  progressKey: string
}

type JsonColumn<T> = ColumnType<T, string, string>

export interface ServiceTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  name: string
  /** Null until the system runs. */
  url: string | null
  /** Null: derived from the url (portal 9). */
  admin_url: string | null
  /** D40. */
  system_status: Generated<number>
  /** Reached by the health check (D40). */
  online: Generated<0 | 1>
  /** MB; 0 leaves it to the platform (D42). */
  task_runtime_memory: Generated<number>
  /** -1 leaves it to the platform, 0 is stopped (D42). */
  task_desire_count: Generated<number>
  /** MB a task; null: nothing runs. */
  running_memory: number | null
  running_tasks: Generated<number>
  needs_reboot: Generated<boolean>
  fault: (typeof serviceFaults)[number] | null
  /** Backups to the bucket are suspended: by the staff, or because traffic is overdue. */
  traffic_disabled: Generated<boolean>
  /** By the staff, whatever is paid. */
  traffic_blocked: Generated<boolean>
  /** The last month whose traffic was billed, `yyyy-MM`; null: none yet. */
  closed_month: string | null
  /** When the clock starts the next backup of each kind, epoch ms; null: nobody has said yet. */
  next_pdb2s3: number | null
  next_pdb2rds: number | null
  /** Subscriptions whose newest backup failed. */
  failing_backups: ColumnType<PdbType[], string | undefined, string>
  /** When people were last told by mail that backups fail, epoch ms. */
  notified_failing: number | null
  operation: JsonColumn<RunningOperation> | null
  /** Of the last operation: what comes from an earlier one is refused. */
  fence: Generated<number>
  /** It is set up by itself once its contract runs; false: it was, or somebody took it away. */
  awaits_set_up: Generated<boolean>
  /** It was stopped because its contract is over, and starts again with the next one. */
  is_expired: Generated<boolean>
  /** On which its data goes; null: it does not. */
  erase_date: PlainDate | null
  /** When its data went, epoch ms; null: it is there, or there was none. */
  erase_time: number | null
  /** The days that people were told by mail. */
  notified_stop: PlainDate | null
  notified_erase: PlainDate | null
  change: Generated<number>
  row_version: Generated<number>
  create_time: ImmutableColumn<number>
  update_time: number
}

/** Read only: a service with what its contract, its orders and its backups say of it. */
export interface ServiceRowView extends Selectable<ServiceTable> {
  company_code: string
  company_name: string
  company_name_key: string
  display_name: string
  name_key: string
  /** Null, as all of the contract's: there is none. */
  contract_id: number | null
  contract: string | null
  period_start: PlainDate | null
  /** Exclusive (D18). */
  period_end: PlainDate | null
  modules: string[] | null
  contract_time: number | null
  alert_date: PlainDate | null
  /** Of a change or extension too; what is overdue may still stand here. */
  unpaid_id: number | null
  unpaid_due: Timestamp | null
  pdb2s3_date: PlainDate | null
  pdb2rds_date: PlainDate | null
  /** Backups that wait to be paid, and when they were ordered; null: none does. What is overdue may still stand here. */
  os_pdb2s3: number | null
  os_pdb2s3_time: number | null
  os_pdb2rds: number | null
  os_pdb2rds_time: number | null
  /** The oldest record of traffic that is to be paid, and when it was made; null: none is. */
  os_traffic: number | null
  os_traffic_time: number | null
}

/** A new password until whoever asked for it has fetched it. */
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
