/** Backups and their traffic as Kysely sees them. Amounts, percents and GB are text with two decimals (D13, D22). */
import type { ColumnType, Generated } from 'kysely'
import type { BackupFault, BackupType } from '#contract/backups.ts'
import type { Step } from '#domain/fees/explain.ts'
import type { Currency } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'

/** Set once. */
type Fixed<T> = ColumnType<T, T, never>

/** What both hang on, and how each row is kept. */
interface OfService {
  id: Generated<number>
  company_id: Fixed<number>
  service_id: Fixed<number>
  service_code: Fixed<string>
  price_id: Fixed<number>
  currency: Fixed<Currency>
  steps: ColumnType<Step[], string, never>
  row_version: Generated<number>
  change: number
  create_time: Fixed<number>
  update_time: number
}

export interface BackupOrderTable extends OfService {
  pdb_type: Fixed<BackupType>
  /** As it was asked for; where the contract ends before, the end says so (D21). */
  period: Fixed<number>
  period_type: Fixed<'year' | 'month'>
  period_start: Fixed<PlainDate>
  /** Exclusive (D18). */
  period_end: Fixed<PlainDate>
  /** From where its months count, and the months bought since (decision 60); null: it was cut, or an older version wrote it. */
  anchor_date: ColumnType<PlainDate | null, PlainDate | null | undefined, never>
  anchor_months: ColumnType<number | null, number | null | undefined, never>
  /** The fee of a year. */
  annual: Fixed<string>
  discount: Fixed<string>
  amount: Fixed<string>
  /** Less the discount (D25). */
  pay_amount: Fixed<string>
  /** What would be to pay but is below the smallest payable amount; null: nothing. */
  waived: ColumnType<string | null, string | null | undefined, never>
  /** -1 invalid, 0 unpaid, 1 paid. */
  status: -1 | 0 | 1
}

/** One a service and month. */
export interface TrafficTable extends OfService {
  /** Exclusive (D18): the first day after the month. */
  period_end: Fixed<PlainDate>
  /** GB that were measured. */
  pdb_traffic: Fixed<string>
  /** GB of a month that cost nothing. */
  free: Fixed<string>
  /** Of a GB beyond them. */
  price: Fixed<string>
  /** To be paid, with what was carried to it. */
  amount: Fixed<string>
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
  told_overdue: Generated<boolean>
}

/** One that ran, or runs: an archive in the bucket (pdb2s3) or a schema of the other database (pdb2rds). */
export interface StoredBackupTable {
  id: Generated<number>
  company_id: Fixed<number>
  service_id: Fixed<number>
  service_code: Fixed<string>
  pdb_type: Fixed<BackupType>
  /** `removed`: what it named is taken away, or is to be. */
  state: 'running' | 'done' | 'failed' | 'removed'
  cause: Fixed<'schedule' | 'person'>
  /** Who asked; null: the clock. */
  user_id: Fixed<number | null>
  user_name: Fixed<string | null>
  /** Of the provider's people, for a customer. */
  by_provider: Fixed<boolean>
  progress_key: Fixed<string>
  /** The archive's key in the bucket, or the schema's name. */
  place: string | null
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
  create_time: Fixed<number>
  end_time: number | null
  update_time: number
}

export interface RestoreTable {
  id: Generated<number>
  /** Whose the backup is. */
  company_id: Fixed<number>
  backup_id: Fixed<number>
  kind: Fixed<'service' | 'drill'>
  /** Into which; null: a drill. */
  service_id: Fixed<number | null>
  user_id: Fixed<number | null>
  user_name: Fixed<string | null>
  by_provider: Fixed<boolean>
  state: 'running' | 'done' | 'failed'
  fault: BackupFault | null
  create_time: Fixed<number>
  end_time: number | null
}

/** Bytes that a run has moved in a month. */
export interface TrafficMovedTable {
  company_id: Fixed<number>
  service_id: Fixed<number>
  /** `backup-{id}` or `restore-{id}`. */
  run: Fixed<string>
  /** `yyyy-MM` of the business time zone. */
  month: Fixed<string>
  bytes: number
}

export interface BackupReminderTable {
  backup_order_id: Fixed<number>
  about: Fixed<'expiry' | 'expired' | 'due'>
  days: Fixed<number>
  company_id: Fixed<number>
  time: Fixed<number>
}

export interface BackupTables {
  backup_reminder: BackupReminderTable
  backup_order: BackupOrderTable
  traffic: TrafficTable
  backup: StoredBackupTable
  restore: RestoreTable
  traffic_moved: TrafficMovedTable
}
