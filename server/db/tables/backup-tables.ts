/** Backups and their traffic as Kysely sees them. Amounts, percents and GB are text with two decimals (D13, D22). */
import type { ColumnType, Generated } from 'kysely'
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
  pdb_type: Fixed<'pdb2s3' | 'pdb2rds'>
  /** As it was asked for; where the contract ends before, the end says so (D21). */
  period: Fixed<number>
  period_type: Fixed<'year' | 'month'>
  period_start: Fixed<PlainDate>
  /** Exclusive (D18). */
  period_end: Fixed<PlainDate>
  /** The fee of a year. */
  annual: Fixed<string>
  discount: Fixed<string>
  amount: Fixed<string>
  /** Less the discount (D25). */
  pay_amount: Fixed<string>
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
  amount: Fixed<string>
  /** Filled together with what was paid (D25). */
  pay_date: PlainDate | null
  pay_amount: string | null
}

export interface BackupTables {
  backup_order: BackupOrderTable
  traffic: TrafficTable
}
