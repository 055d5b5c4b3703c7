/**
 * Tables of credit balances, bank transfers and pro-forma invoices (decision 124). Amounts are text with two decimals. Times are epoch ms, days
 * are in the business time zone.
 */
import type { ColumnType } from 'kysely'
import type { Currency } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'
import type { CreditCause, TransferState } from '#domain/credit.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>
type OptionalImmutableColumn<T> = ColumnType<T, T | undefined, never>
type IdColumn = ColumnType<number, never, never>
/** May be omitted on insert, and may be updated. */
type OptionalColumn<T> = ColumnType<T, T | undefined, T>

/** What a company has left in a currency. The row is locked by everything that uses or adds credit. */
export interface CreditBalanceTable {
  company_id: ImmutableColumn<number>
  currency: ImmutableColumn<Currency>
  balance: string
}

/** An entry of the ledger of credit. It never changes. Its cause decides which of the sources is set. */
export interface CreditEntryTable {
  id: IdColumn
  company_id: ImmutableColumn<number>
  currency: ImmutableColumn<Currency>
  cause: ImmutableColumn<CreditCause>
  /** Positive if it adds credit. */
  amount: ImmutableColumn<string>
  /** The balance after the entry. */
  balance: ImmutableColumn<string>
  transfer_id: OptionalImmutableColumn<number | null>
  refund_id: OptionalImmutableColumn<number | null>
  contract_id: OptionalImmutableColumn<number | null>
  payment_id: OptionalImmutableColumn<number | null>
  /** The bank's reference, the day and the reason of a withdrawal. Null for any other cause, because customers read them. */
  reference: OptionalImmutableColumn<string | null>
  transfer_date: OptionalImmutableColumn<PlainDate | null>
  reason: OptionalImmutableColumn<string | null>
  user_id: ImmutableColumn<number | null>
  create_time: ImmutableColumn<number>
}

/** Money that arrived at the bank. */
export interface BankTransferTable {
  id: IdColumn
  /** Finds the transfer again when a statement is imported twice. */
  identity: ImmutableColumn<string>
  source: ImmutableColumn<'staff' | 'statement'>
  /** The provider's account: of `BANK_ACCOUNTS`, or as the statement names it. Empty if the staff recorded the transfer. */
  account: ImmutableColumn<string>
  day: ImmutableColumn<PlainDate>
  currency: ImmutableColumn<Currency>
  amount: ImmutableColumn<string>
  sender: ImmutableColumn<string>
  /** What the sender wrote. */
  reference: ImmutableColumn<string>
  /** The bank's own number of the entry, or empty. */
  bank_reference: ImmutableColumn<string>
  state: TransferState
  /** Set while the money is, or was, credit of a company. */
  company_id: OptionalColumn<number | null>
  /** Why it was returned, dismissed or corrected. */
  note: OptionalColumn<string | null>
  return_reference: OptionalColumn<string | null>
  return_date: OptionalColumn<PlainDate | null>
  /** Who recorded it, or last changed its state. */
  user_id: number | null
  row_version: OptionalColumn<number>
  create_time: ImmutableColumn<number>
  update_time: number
}

/** A pro-forma invoice with the bank details. Its content never changes. `credit` is what credit paid of `amount` at that time. */
export interface ProformaTable {
  id: IdColumn
  company_id: ImmutableColumn<number>
  order_id: OptionalImmutableColumn<number | null>
  backup_order_id: OptionalImmutableColumn<number | null>
  traffic_id: OptionalImmutableColumn<number | null>
  /** With a group, the other columns name its first item, as in payments. */
  group_id: OptionalImmutableColumn<number | null>
  code: ImmutableColumn<string>
  currency: ImmutableColumn<Currency>
  amount: ImmutableColumn<string>
  credit: ImmutableColumn<string>
  content: ColumnType<unknown, string, never>
  user_id: ImmutableColumn<number | null>
  create_time: ImmutableColumn<number>
}

export interface CreditTables {
  credit_balance: CreditBalanceTable
  credit_entry: CreditEntryTable
  bank_transfer: BankTransferTable
  proforma: ProformaTable
}
