/** Tables of money that was sent back (decision 123). Amounts are text with two decimals. Times are epoch ms. */
import type { ColumnType } from 'kysely'
import type { Currency } from '#domain/money.ts'
import type { MoneyRule } from '#domain/money-faults.ts'
import type { PlainDate } from '#domain/time.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>
type IdColumn = ColumnType<number, never, never>
/** May be omitted on insert, and may be updated. */
type OptionalColumn<T> = ColumnType<T, T | undefined, T>

export interface RefundTable {
  id: IdColumn
  company_id: ImmutableColumn<number>
  payment_id: ImmutableColumn<number>
  /** Null for a refund at the gateway until it is known which of several invoices it is for, and for payments without an invoice. */
  invoice_id: number | null
  amount: string
  currency: ImmutableColumn<Currency>
  /** `credit`: it was added to the credit balance. */
  route: ImmutableColumn<'gateway' | 'transfer' | 'credit'>
  /** `gateway`: the portal found it at the gateway. `dispute`: the bank took the money back after a lost dispute. */
  cause: ImmutableColumn<'staff' | 'gateway' | 'dispute'>
  /** What the staff wrote. Null for any other cause. */
  reason: ImmutableColumn<string | null>
  /** Day of a bank transfer in the business time zone. Null for any other route. */
  transfer_date: ColumnType<PlainDate | null, PlainDate | null | undefined, never>
  /**
   * `requested`: not sent yet, or the response is unknown. `pending`: accepted by the gateway. The amount of a failed one is free again. A failed
   * one that the portal found at the gateway, without a problem, was sent back beyond what was left of the payment.
   */
  state: 'requested' | 'pending' | 'done' | 'failed'
  /** Key by which the gateway identifies the refund. Null if the portal did not send it. */
  refund_key: ColumnType<string | null, string | null | undefined, never>
  /** The refund's number at the gateway or the bank. */
  reference: OptionalColumn<string | null>
  /** Reason of a refusal. Of a refund that is done: why the gateway could not complete it later. */
  problem: OptionalColumn<string | null>
  user_id: OptionalColumn<number | null>
  looks: OptionalColumn<number>
  next_look: OptionalColumn<number | null>
  create_time: ImmutableColumn<number>
  update_time: number
  end_time: OptionalColumn<number | null>
  /** When the staff settled the task about a refund at the gateway, or about a failed one. */
  seen_time: OptionalColumn<number | null>
}

/** A credit note, whose content never changes. Its numbers have no gaps. */
export interface CreditNoteTable {
  id: IdColumn
  company_id: ImmutableColumn<number>
  invoice_id: ImmutableColumn<number>
  refund_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  content: ColumnType<unknown, string, never>
  create_time: ImmutableColumn<number>
}

/** A payer's dispute about a payment, as the gateway reports it. */
export interface DisputeTable {
  id: IdColumn
  company_id: ImmutableColumn<number>
  payment_id: ImmutableColumn<number>
  gateway: ImmutableColumn<string>
  reference: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  currency: ImmutableColumn<string>
  /** The gateway's code. */
  reason: ImmutableColumn<string>
  /** A question of the bank before a dispute. The payment is still complete, and a refund may settle it. */
  is_inquiry: boolean
  /** `closed`: ended without a decision. */
  state: 'open' | 'won' | 'lost' | 'closed'
  respond_by: OptionalColumn<number | null>
  /** Time of the next check at the gateway. Null if the dispute has ended. */
  next_look: OptionalColumn<number | null>
  create_time: ImmutableColumn<number>
  update_time: number
  end_time: OptionalColumn<number | null>
}

/** Result of a check of all money. Without faults the list is empty. */
export interface MoneyCheckTable {
  id: IdColumn
  faults: ColumnType<MoneyCheckFault[], string, never>
  create_time: ImmutableColumn<number>
}

export interface MoneyCheckFault {
  /** Name of the rule that does not hold. */
  rule: MoneyRule
  /** Null if the rule is about all companies. */
  company_id: number | null
  company_name: string | null
  /** Codes, ids and amounts, which the text of the rule names. Null if the rule could not be checked. */
  values: Record<string, string> | null
}

export interface RefundTables {
  refund: RefundTable
  credit_note: CreditNoteTable
  dispute: DisputeTable
  money_check: MoneyCheckTable
}
