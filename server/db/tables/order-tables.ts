/** Amounts are text with two decimals (D13). */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { AppRequirement } from '#domain/catalogue/apps.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import type { DueType } from '#domain/dues.ts'
import type { UserMode } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import type { PaymentType } from '#domain/payments.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'

type JsonColumn<T> = ColumnType<T, string, string>
type ImmutableColumn<T> = ColumnType<T, T, never>

interface VersionedColumns {
  id: Generated<number>
  row_version: Generated<number>
  change: number
  create_time: ImmutableColumn<number>
  update_time: number
}

export interface CatalogueTable {
  one: Generated<boolean>
  change: number
}

export interface ModuleTable extends VersionedColumns {
  type: ImmutableColumn<ClientType>
  code: ImmutableColumn<string>
  code_key: ImmutableColumn<string>
  name: string
  name_key: string
  hidden: ImmutableColumn<boolean>
  dependencies: JsonColumn<string[]>
  conditions: JsonColumn<string[]>
  any_condition: boolean
  apps: JsonColumn<{ code: string; flag: Record<string, number | boolean> }[]>
  version: Generated<string>
  deleted: Generated<boolean>
}

export interface PriceListTable extends VersionedColumns {
  type: ImmutableColumn<ClientType>
  effective_date: PlainDate
  description: string
  description_key: string
  confirmed: boolean
  content: JsonColumn<PriceContent>
  /**
   * Whether the list is deleted, or withdrawn if it was confirmed. The last update of a withdrawn list says when and by whom it was
   * withdrawn.
   */
  deleted: Generated<boolean>
  update_user_name: string
}

/** A published version of an app. Modules use the latest version of each app. */
export interface AppVersionTable {
  id: Generated<number>
  /** Code of the author in the manifest (D80). */
  provider: ImmutableColumn<string>
  code: ImmutableColumn<string>
  code_key: ImmutableColumn<string>
  name: ImmutableColumn<string>
  name_key: ImmutableColumn<string>
  /** Module that the app comes from, as the package names it. */
  module: ImmutableColumn<string>
  version: ImmutableColumn<string>
  /** Numbers of the version, computed by the database for sorting. */
  version_parts: ColumnType<number[], never, never>
  /** Lowest version that can be upgraded to this one (D79). */
  min_version_required: ImmutableColumn<string | null>
  release_date: ImmutableColumn<PlainDate | null>
  flags: ColumnType<AppFlagDefinition[], string, never>
  requires: ColumnType<AppRequirement[], string, never>
  /** Id of the web resource with the app's icon. `markdown` is the id of its change log. */
  icon: ImmutableColumn<string | null>
  markdown: ImmutableColumn<string | null>
  /** Hash of the package. Null if the version was published before packages existed. */
  sha256: ColumnType<string | null, string | null | undefined, never>
  change: ImmutableColumn<number>
  create_time: ImmutableColumn<number>
}

/** The latest version of each app. A trigger writes it. `service_change` is the publication's change number in the list of services. */
export interface AppReleaseTable {
  code: ColumnType<string, never, never>
  version: ColumnType<string, never, never>
  version_parts: ColumnType<number[], never, never>
  service_change: ColumnType<number, never, never>
}

export interface AppFlagDefinition {
  key: string
  name: string
  type: 'boolean' | 'int'
  default: number | boolean
}

export interface ServiceAppTable {
  service_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  version: ImmutableColumn<string>
}

export type OrderType = 'create' | 'extend' | 'change'

interface AgreementColumns {
  currency: ImmutableColumn<Currency>
  user_mode: ImmutableColumn<UserMode>
  users: ImmutableColumn<number>
  modules: ColumnType<string[], string, never>
  uat: ImmutableColumn<0 | 1>
  client_type: ImmutableColumn<ClientType>
  price_id: ImmutableColumn<number>
  /** Fee for one year. */
  annual: ImmutableColumn<string>
  contract_amount: ImmutableColumn<string>
  residual_amount: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  pay_amount: ImmutableColumn<string>
  /** Length of the period in years. */
  period: ImmutableColumn<number>
  period_start: ImmutableColumn<PlainDate>
  /** Exclusive end of the period (D18). */
  period_end: ImmutableColumn<PlainDate>
}

export type AgreementRow = Selectable<AgreementColumns>

export interface OrderTable extends VersionedColumns, AgreementColumns {
  company_id: ImmutableColumn<number>
  /** Code of the service. */
  code: ImmutableColumn<string>
  name: ImmutableColumn<string>
  name_key: ImmutableColumn<string>
  description: ImmutableColumn<string | null>
  type: ImmutableColumn<OrderType>
  /** Stored state, from which `getContractState` computes the current state. */
  stored: 'invalid' | 'unpaid' | 'paid' | 'overwritten'
  invalid_reason: 'overdue' | 'replaced' | null
  uat_bound: ImmutableColumn<UatBound>
  steps: ColumnType<FeeStep[], string, never>
  /** The contract that is changed or extended. Null for the order of a new service. */
  base_id: ImmutableColumn<number | null>
  /** Contract whose terms an undo restores. Null for other orders. */
  restores_id: ColumnType<number | null, number | null | undefined, never>
  contract_id: number | null
  /** Last second in which the order can be paid (D31). */
  due: ImmutableColumn<Timestamp>
  alert_date: PlainDate | null
  /** Amount of a change below the smallest payable amount, which is not charged. Null if nothing was waived. */
  waived: ColumnType<string | null, string | null | undefined, never>
  /** Whether the order represents its service in the list (D35). */
  is_listed: Generated<boolean>
  /** Whether the order got a change number when its contract expired, so that devices load the new status. */
  notified_expired: Generated<boolean>
  deleted: Generated<boolean>
}

export interface ContractTable extends AgreementColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  service_code: ImmutableColumn<string>
  order_id: ImmutableColumn<number>
  type: ImmutableColumn<OrderType>
  /** Paid periods in chronological order (D12). */
  segments: ColumnType<{ start: PlainDate; end: PlainDate; annual: string }[], string, never>
  /** Start of the chain of consecutive periods, and months bought since (decision 60). Null in rows of older versions. */
  anchor_date: ColumnType<PlainDate | null, PlainDate | null | undefined, never>
  anchor_months: ColumnType<number | null, number | null | undefined, never>
  overwritten: Generated<boolean>
  create_time: ImmutableColumn<number>
}

export interface ReminderTable {
  order_id: ImmutableColumn<number>
  about: ImmutableColumn<'expiry' | 'expired' | 'due'>
  days: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  time: ImmutableColumn<number>
}

/** Exactly one of the three columns is set. */
interface PaidColumns {
  order_id: ImmutableColumn<number | null>
  backup_order_id: ImmutableColumn<number | null>
  traffic_id: ImmutableColumn<number | null>
}

/** The paid item. If several items are paid together, `group_id` is their group, and the other columns name its first item. */
interface PaidOrGroupColumns extends PaidColumns {
  group_id: ColumnType<number | null, number | null | undefined, never>
}

/** Items that are paid together. `items` is the sorted list of their names, so that each set of items has one group. */
interface PaymentGroupTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  items: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
}

interface PaymentGroupItemTable extends PaidColumns {
  id: Generated<number>
  group_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
}

/** A payment that a gateway reported. Each payment is stored once. */
export interface PaymentTable extends PaidOrGroupColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  gateway: ImmutableColumn<string>
  reference: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  currency: ImmutableColumn<string>
  paid_at: ImmutableColumn<number>
  /** Whether the payment was applied, or the reason why not. Only `applied` has an effect. */
  outcome: ImmutableColumn<'applied' | 'paid already' | 'another amount' | 'another currency' | 'too late' | 'replaced'>
  create_time: ImmutableColumn<number>
}

/** A payment attempt at a gateway, written before the gateway is called. */
export interface PaymentAttemptTable extends PaidOrGroupColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  user_id: ImmutableColumn<number | null>
  /** Intent of the call that started the attempt. A repeated call gets the same result. */
  intent: ImmutableColumn<string | null>
  /** Key by which the gateway identifies the attempt. */
  key: ImmutableColumn<string>
  /** `credit`: the balance paid all, and no gateway was called. */
  gateway: ImmutableColumn<PaymentType | 'credit'>
  /** Hash of the card's token. Null if the gateway's own page reads the card. */
  token_hash: ImmutableColumn<string | null>
  /** What the gateway takes. */
  amount: ImmutableColumn<string>
  /**
   * What credit pays in addition. The company cannot use it otherwise while the attempt is not settled (decision 124). Becomes 0 if the item is
   * paid in another way.
   */
  credit: ColumnType<string, string | undefined, string>
  currency: ImmutableColumn<Currency>
  language: ImmutableColumn<Language>
  device: ImmutableColumn<'desktop' | 'phone'>
  /** Purchase order number of the payer, for the invoice. */
  po_number: ColumnType<string | null, string | null | undefined, string | null>
  /** `starting` means that the request may not have reached the gateway. The last three states are final unless a payment arrives. */
  state: 'starting' | 'open' | 'processing' | 'paid' | 'declined' | 'closed'
  reason: string | null
  gateway_id: string | null
  /** Page of the gateway where the payer continues. */
  url: string | null
  /** Number of checks at the gateway. */
  looks: Generated<number>
  /** Time of the next check, epoch ms. Null if no further check is needed. */
  next_look: number | null
  started_at: ImmutableColumn<number>
  end_time: number | null
}

/** A received payment that could not be applied when it arrived. Every received amount is applied, refunded, or waiting in such a task. */
export interface PaymentTaskTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  payment_id: ImmutableColumn<number>
  /** Attempt that led to the payment. Null if it is unknown. The portal can then not refund the payment. */
  attempt_id: ImmutableColumn<number | null>
  state: 'open' | 'refunding' | 'refunded' | 'applied'
  /** Key by which the gateway identifies the refund. */
  refund_key: string | null
  /** Id that the gateway gave the refund. */
  refund_reference: string | null
  problem: string | null
  /** User who refunded or applied the payment. */
  user_id: number | null
  /** Number of refund checks at the gateway. */
  looks: Generated<number>
  /** Time of the next check, epoch ms. Null if no further check is needed. */
  next_look: number | null
  create_time: ImmutableColumn<number>
  update_time: number
  end_time: number | null
}

/**
 * An invoice, whose content never changes after the payment. Its numbers have no gaps (D90). Exactly one of the three payable columns is
 * set.
 */
export interface InvoiceTable extends PaidColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  content: ColumnType<unknown, string, never>
  create_time: ImmutableColumn<number>
}

export type DocumentKind = 'invoice' | 'creditNote'

/**
 * The register of issued documents. Triggers insert the rows. Only `refunded`, `disputed`, `change` and `row_version` may be updated.
 * Amounts are positive, also those of credit notes.
 */
export interface DocumentTable {
  id: ColumnType<number, never, never>
  company_id: ImmutableColumn<number>
  kind: ImmutableColumn<DocumentKind>
  code: ImmutableColumn<string>
  /** The invoice itself, or the credited invoice. */
  invoice_id: ImmutableColumn<number>
  issued: ImmutableColumn<Timestamp>
  type: ImmutableColumn<DueType>
  service_code: ImmutableColumn<string>
  service_name: ImmutableColumn<string>
  service_name_key: ImmutableColumn<string>
  /** Contract of a paid order. Null for backups and traffic. */
  contract_id: ImmutableColumn<number | null>
  po_number: ImmutableColumn<string | null>
  po_number_key: ImmutableColumn<string>
  currency: ImmutableColumn<Currency>
  amount: ImmutableColumn<string>
  /** Payment method and the payment's number there. */
  method: ImmutableColumn<string>
  reference: ImmutableColumn<string>
  reference_key: ImmutableColumn<string>
  /** Sum of the refunds that were sent, from 0 to `amount`. Always 0 for a credit note. */
  refunded: string
  /** Sum of the refunds that are requested or pending. Together with `refunded` at most `amount`. */
  refunding: ColumnType<string, string | undefined, string>
  /** Whether a dispute about the payment is open. */
  disputed: boolean
  change: number
  row_version: number
  create_time: ImmutableColumn<number>
}

export interface CalendarFeedTable {
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  hash: string
  create_time: number
}

export interface OrderTables {
  catalogue: CatalogueTable
  module: ModuleTable
  price_list: PriceListTable
  app_version: AppVersionTable
  app_release: AppReleaseTable
  service_app: ServiceAppTable
  service_order: OrderTable
  contract: ContractTable
  reminder: ReminderTable
  payment: PaymentTable
  payment_attempt: PaymentAttemptTable
  payment_group: PaymentGroupTable
  payment_group_item: PaymentGroupItemTable
  payment_task: PaymentTaskTable
  invoice: InvoiceTable
  document: DocumentTable
  calendar_feed: CalendarFeedTable
}
