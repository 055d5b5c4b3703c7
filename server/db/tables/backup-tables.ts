/** Amounts, percentages and GB are text with two decimals (D13, D22). */
import type { ColumnType, Generated } from 'kysely'
import type { BackupFault, PdbType } from '#contract/backups.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import type { Currency } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>

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
  /** Length of the period as ordered. If the contract ends earlier, only `period_end` shows it (D21). */
  period: ImmutableColumn<number>
  period_type: ImmutableColumn<'year' | 'month'>
  period_start: ImmutableColumn<PlainDate>
  /** Exclusive end of the period (D18). */
  period_end: ImmutableColumn<PlainDate>
  /** Start of the chain of consecutive periods, and months bought since (decision 60). Null for shortened periods and old rows. */
  anchor_date: ColumnType<PlainDate | null, PlainDate | null | undefined, never>
  anchor_months: ColumnType<number | null, number | null | undefined, never>
  /** Fee for one year. */
  annual: ImmutableColumn<string>
  discount: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  /** Amount to pay, after the discount (D25). */
  pay_amount: ImmutableColumn<string>
  /** Amount below the smallest payable amount, which is not charged. Null if nothing was waived. */
  waived: ColumnType<string | null, string | null | undefined, never>
  /** -1 invalid, 0 unpaid, 1 paid. */
  status: -1 | 0 | 1
}

export interface TrafficTable extends ServiceBillingColumns {
  /** Exclusive end of the month (D18): the first day of the next month. */
  period_end: ImmutableColumn<PlainDate>
  pdb_traffic: ImmutableColumn<string>
  /** GB per month that are free. */
  free: ImmutableColumn<string>
  /** Price of each GB beyond the free ones. */
  price: ImmutableColumn<string>
  /** Payable amount, including `carried_in`. */
  amount: ImmutableColumn<string>
  /** Amount that earlier months carried to this month, because it was too small to pay. */
  carried_in: ColumnType<string, string | undefined, never>
  /** Latest month from which `carried_in` comes, `yyyy-MM`. */
  carried_from: ColumnType<string | null, string | null | undefined, never>
  /** Amount carried to the next billed month, because it is too small to pay. */
  carried_out: ColumnType<string, string | undefined, never>
  /** Traffic row to which `carried_out` was added. Null if it was not added yet. */
  carried_to: ColumnType<number | null, number | null | undefined, number | null>
  /** Day of the payment. Set together with `pay_amount` (D25). */
  pay_date: PlainDate | null
  pay_amount: string | null
  notified_overdue: Generated<boolean>
}

/** A running or ended backup: an archive in the bucket (pdb2s3) or a schema in the second database (pdb2rds). */
export interface StoredBackupTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  service_id: ImmutableColumn<number>
  service_code: ImmutableColumn<string>
  pdb_type: ImmutableColumn<PdbType>
  /** `removed` means that the stored data was deleted or will be deleted. */
  state: 'running' | 'done' | 'failed' | 'removed'
  cause: ImmutableColumn<'schedule' | 'person'>
  /** User who requested the backup. Null for a scheduled backup. */
  user_id: ImmutableColumn<number | null>
  user_name: ImmutableColumn<string | null>
  by_provider: ImmutableColumn<boolean>
  progress_key: ImmutableColumn<string>
  /** The archive's key in the bucket, or the name of the schema. */
  location: string | null
  bytes: number | null
  tables: number | null
  rows: number | null
  /** SHA-256 of the archive. Null without an archive. */
  sha256: string | null
  /** Digest of the data itself, independent of the storage. The restored data must have the same digest. */
  digest: string | null
  /** Public key (age recipient) for which the archive is encrypted. Null if it is not encrypted. */
  key_id: string | null
  fault: BackupFault | null
  /** When a drill last restored it successfully, epoch ms. Null if none did. */
  drilled: number | null
  row_version: Generated<number>
  change: number
  create_time: ImmutableColumn<number>
  end_time: number | null
  update_time: number
}

export interface RestoreTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  backup_id: ImmutableColumn<number>
  kind: ImmutableColumn<'service' | 'drill'>
  /** Service into which the backup is restored. Null for a drill. */
  service_id: ImmutableColumn<number | null>
  user_id: ImmutableColumn<number | null>
  user_name: ImmutableColumn<string | null>
  by_provider: ImmutableColumn<boolean>
  state: 'running' | 'done' | 'failed'
  fault: BackupFault | null
  create_time: ImmutableColumn<number>
  end_time: number | null
}

export interface TrafficMovedTable {
  company_id: ImmutableColumn<number>
  service_id: ImmutableColumn<number>
  /** Name of the run that moved the bytes: `backup-{id}` or `restore-{id}`. */
  run: ImmutableColumn<string>
  /** Month in which the bytes were moved, `yyyy-MM` in the business time zone. */
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
