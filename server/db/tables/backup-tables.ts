/** Backups and their traffic as Kysely sees them. Amounts, percents and GB are text with two decimals (D13, D22). */
import type { ColumnType, Generated } from 'kysely'
import type { BackupFault, PdbType } from '#contract/backups.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import type { Currency } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'

/** Set once. */
type ImmutableColumn<T> = ColumnType<T, T, never>

/** What both hang on, and how each row is kept. */
interface ServiceBillingColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  service_id: ImmutableColumn<number>
  service_code: ImmutableColumn<string>
  price_id: ImmutableColumn<number>
  currency: ImmutableColumn<Currency>
  steps: ColumnType<FeeStep[], string, never>
  row_version: Generated<number>
  change: number
  create_time: ImmutableColumn<number>
  update_time: number
}

export interface BackupOrderTable extends ServiceBillingColumns {
  pdb_type: ImmutableColumn<PdbType>
  /** As it was asked for; where the contract ends before, the end says so (D21). */
  period: ImmutableColumn<number>
  period_type: ImmutableColumn<'year' | 'month'>
  period_start: ImmutableColumn<PlainDate>
  /** Exclusive (D18). */
  period_end: ImmutableColumn<PlainDate>
  /** From where its months count, and the months bought since (decision 60); null: it was cut, or an older version wrote it. */
  anchor_date: ColumnType<PlainDate | null, PlainDate | null | undefined, never>
  anchor_months: ColumnType<number | null, number | null | undefined, never>
  /** The fee of a year. */
  annual: ImmutableColumn<string>
  discount: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  /** Less the discount (D25). */
  pay_amount: ImmutableColumn<string>
  /** What would be to pay but is below the smallest payable amount; null: nothing. */
  waived: ColumnType<string | null, string | null | undefined, never>
  /** -1 invalid, 0 unpaid, 1 paid. */
  status: -1 | 0 | 1
}

/** One a service and month. */
export interface TrafficTable extends ServiceBillingColumns {
  /** Exclusive (D18): the first day after the month. */
  period_end: ImmutableColumn<PlainDate>
  /** GB that were measured. */
  pdb_traffic: ImmutableColumn<string>
  /** GB of a month that cost nothing. */
  free: ImmutableColumn<string>
  /** Of a GB beyond them. */
  price: ImmutableColumn<string>
  /** To be paid, with what was carried to it. */
  amount: ImmutableColumn<string>
  /** Of an earlier month, because nobody can pay so little. */
  carried_in: ColumnType<string, string | undefined, never>
  /** The latest of those months, `yyyy-MM`. */
  carried_from: ColumnType<string | null, string | null | undefined, never>
  /** To the next month that is billed. */
  carried_out: ColumnType<string, string | undefined, never>
  /** The record that it was added to. */
  carried_to: ColumnType<number | null, number | null | undefined, number | null>
  /** Filled together with what was paid (D25). */
  pay_date: PlainDate | null
  pay_amount: string | null
  /** People were told that it is overdue. */
  notified_overdue: Generated<boolean>
}

/** One that ran, or runs: an archive in the bucket (pdb2s3) or a schema of the other database (pdb2rds). */
export interface StoredBackupTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  service_id: ImmutableColumn<number>
  service_code: ImmutableColumn<string>
  pdb_type: ImmutableColumn<PdbType>
  /** `removed`: what it named is taken away, or is to be. */
  state: 'running' | 'done' | 'failed' | 'removed'
  cause: ImmutableColumn<'schedule' | 'person'>
  /** Who asked; null: the clock. */
  user_id: ImmutableColumn<number | null>
  user_name: ImmutableColumn<string | null>
  /** Of the provider's people, for a customer. */
  by_provider: ImmutableColumn<boolean>
  progress_key: ImmutableColumn<string>
  /** The archive's key in the bucket, or the schema's name. */
  location: string | null
  /** As it is stored. */
  bytes: number | null
  tables: number | null
  rows: number | null
  /** Of the archive; null: it is none. */
  sha256: string | null
  /** Of the data itself, whatever it was stored as: what is put back has the same. */
  digest: string | null
  /** The age recipient that it is encrypted for; null: it is not. */
  key_id: string | null
  fault: BackupFault | null
  /** When it was proven by a drill, epoch ms. */
  drilled: number | null
  row_version: Generated<number>
  change: number
  /** When it began. */
  create_time: ImmutableColumn<number>
  end_time: number | null
  update_time: number
}

export interface RestoreTable {
  id: Generated<number>
  /** Whose the backup is. */
  company_id: ImmutableColumn<number>
  backup_id: ImmutableColumn<number>
  kind: ImmutableColumn<'service' | 'drill'>
  /** Into which; null: a drill. */
  service_id: ImmutableColumn<number | null>
  user_id: ImmutableColumn<number | null>
  user_name: ImmutableColumn<string | null>
  by_provider: ImmutableColumn<boolean>
  state: 'running' | 'done' | 'failed'
  fault: BackupFault | null
  create_time: ImmutableColumn<number>
  end_time: number | null
}

/** Bytes that a run has moved in a month. */
export interface TrafficMovedTable {
  company_id: ImmutableColumn<number>
  service_id: ImmutableColumn<number>
  /** `backup-{id}` or `restore-{id}`. */
  run: ImmutableColumn<string>
  /** `yyyy-MM` of the business time zone. */
  month: ImmutableColumn<string>
  bytes: number
}

export interface BackupReminderTable {
  backup_order_id: ImmutableColumn<number>
  about: ImmutableColumn<'expiry' | 'expired' | 'due'>
  days: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  time: ImmutableColumn<number>
}

export interface BackupTables {
  backup_reminder: BackupReminderTable
  backup_order: BackupOrderTable
  traffic: TrafficTable
  backup: StoredBackupTable
  restore: RestoreTable
  traffic_moved: TrafficMovedTable
}
