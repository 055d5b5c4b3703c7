/** The catalogue, orders, contracts and payments as Kysely sees them. Amounts are text with two decimals (D13). */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { AppRequirement } from '#domain/catalogue/apps.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import type { UserMode } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import type { PaymentType } from '#domain/payments.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'

type JsonColumn<T> = ColumnType<T, string, string>
/** Set once. */
type ImmutableColumn<T> = ColumnType<T, T, never>

interface VersionedColumns {
  id: Generated<number>
  row_version: Generated<number>
  change: number
  create_time: ImmutableColumn<number>
  update_time: number
}

/** The one row that numbers what changes in the catalogue. */
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
  /** Of a confirmed list: withdrawn. Its last update is then when and by whom. */
  deleted: Generated<boolean>
  update_user_name: string
}

/** A published version of an app; the newest one is what modules run. */
export interface AppVersionTable {
  id: Generated<number>
  /** Who made it, by the code in its manifest (D80). */
  provider: ImmutableColumn<string>
  code: ImmutableColumn<string>
  code_key: ImmutableColumn<string>
  name: ImmutableColumn<string>
  name_key: ImmutableColumn<string>
  /** What its package calls the module that it comes from. */
  module: ImmutableColumn<string>
  version: ImmutableColumn<string>
  /** The version as numbers, worked out by the database. */
  version_parts: ColumnType<number[], never, never>
  /** The lowest version from which it can be upgraded to (D79). */
  min_version_required: ImmutableColumn<string | null>
  release_date: ImmutableColumn<PlainDate | null>
  flags: ColumnType<AppFlagDefinition[], string, never>
  requires: ColumnType<AppRequirement[], string, never>
  /** Ids of web resources: its picture and its change log. */
  icon: ImmutableColumn<string | null>
  markdown: ImmutableColumn<string | null>
  /** Of its package; null: published before packages were. */
  sha256: ColumnType<string | null, string | null | undefined, never>
  change: ImmutableColumn<number>
  create_time: ImmutableColumn<number>
}

export interface AppFlagDefinition {
  key: string
  name: string
  type: 'boolean' | 'int'
  default: number | boolean
}

/** The version of an app that runs in a created service. */
export interface ServiceAppTable {
  service_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  version: ImmutableColumn<string>
}

export type OrderType = 'create' | 'extend' | 'change'

/** What an order and the contract that comes of it have alike. */
interface AgreementColumns {
  currency: ImmutableColumn<Currency>
  user_mode: ImmutableColumn<UserMode>
  users: ImmutableColumn<number>
  modules: ColumnType<string[], string, never>
  uat: ImmutableColumn<0 | 1>
  client_type: ImmutableColumn<ClientType>
  price_id: ImmutableColumn<number>
  /** The fee of a year. */
  annual: ImmutableColumn<string>
  contract_amount: ImmutableColumn<string>
  residual_amount: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  pay_amount: ImmutableColumn<string>
  /** Years. */
  period: ImmutableColumn<number>
  period_start: ImmutableColumn<PlainDate>
  /** Exclusive (D18). */
  period_end: ImmutableColumn<PlainDate>
}

export type AgreementRow = Selectable<AgreementColumns>

export interface OrderTable extends VersionedColumns, AgreementColumns {
  company_id: ImmutableColumn<number>
  /** Of the service. */
  code: ImmutableColumn<string>
  name: ImmutableColumn<string>
  name_key: ImmutableColumn<string>
  description: ImmutableColumn<string | null>
  type: ImmutableColumn<OrderType>
  /** The state is worked out of it (`getContractState`). */
  stored: 'invalid' | 'unpaid' | 'paid' | 'overwritten'
  invalid_reason: 'overdue' | 'replaced' | null
  uat_bound: ImmutableColumn<UatBound>
  steps: ColumnType<FeeStep[], string, never>
  /** The contract that is changed or extended. */
  base_id: ImmutableColumn<number | null>
  /** The contract whose terms it restores; null: it is no undo. */
  restores_id: ColumnType<number | null, number | null | undefined, never>
  /** The contract that came of it. */
  contract_id: number | null
  /** The last second in which it can be paid (D31). */
  due: ImmutableColumn<Timestamp>
  alert_date: PlainDate | null
  /** What a change comes to that is below the smallest payable amount, and is not charged; null: nothing. */
  waived: ColumnType<string | null, string | null | undefined, never>
  /** Whether it is the row of its service in the list (D35). */
  is_listed: Generated<boolean>
  /** Devices were told that it has expired. */
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
  /** Paid stretches in the order of their days (D12). */
  segments: ColumnType<{ start: PlainDate; end: PlainDate; annual: string }[], string, never>
  /** From where its years count, and the months bought since (decision 60); null: an older version wrote it. */
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

/** What is paid is one of three. */
interface PaidColumns {
  order_id: ImmutableColumn<number | null>
  backup_order_id: ImmutableColumn<number | null>
  traffic_id: ImmutableColumn<number | null>
}

/** What a gateway says that it took, each once. */
export interface PaymentTable extends PaidColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  gateway: ImmutableColumn<string>
  reference: ImmutableColumn<string>
  amount: ImmutableColumn<string>
  currency: ImmutableColumn<string>
  paid_at: ImmutableColumn<number>
  /** What became of it: only `applied` has an effect. */
  outcome: ImmutableColumn<'applied' | 'paid already' | 'another amount' | 'another currency' | 'too late' | 'replaced'>
  create_time: ImmutableColumn<number>
}

/** What was begun at a gateway; written before the gateway is asked. */
export interface PaymentAttemptTable extends PaidColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  /** Who pays. */
  user_id: ImmutableColumn<number | null>
  /** Of the call that began it; the same call again is told the same. */
  intent: ImmutableColumn<string | null>
  /** Under which the gateway knows it. */
  key: ImmutableColumn<string>
  gateway: ImmutableColumn<PaymentType>
  /** What the card's token hashes to; null: the gateway asks for the card. */
  token_hash: ImmutableColumn<string | null>
  amount: ImmutableColumn<string>
  currency: ImmutableColumn<Currency>
  language: ImmutableColumn<Language>
  device: ImmutableColumn<'desktop' | 'phone'>
  /** `starting`: nobody knows whether the gateway has heard of it. The last three are final, but for money that comes after all. */
  state: 'starting' | 'open' | 'processing' | 'paid' | 'declined' | 'closed'
  /** Why it was declined, in the gateway's code. */
  reason: string | null
  gateway_id: string | null
  /** Where the payer goes on. */
  url: string | null
  /** How often the gateway was asked about it. */
  looks: Generated<number>
  /** Epoch ms; null: nothing more is expected. */
  next_look: number | null
  started_at: ImmutableColumn<number>
  end_time: number | null
}

/** Money that was taken and no order waited for: each unit of it is on what it was paid for, was given back, or is such a task. */
export interface PaymentTaskTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  payment_id: ImmutableColumn<number>
  /** By which it was paid; null: it is not known, and the portal cannot refund it. */
  attempt_id: ImmutableColumn<number | null>
  state: 'open' | 'refunding' | 'refunded' | 'applied'
  /** Under which the gateway knows the refund. */
  refund_key: string | null
  /** The gateway's own name of it. */
  refund_reference: string | null
  /** Why the gateway refused the latest refund. */
  problem: string | null
  /** Who refunded or applied it. */
  user_id: number | null
  /** How often the gateway was asked about the refund. */
  looks: Generated<number>
  /** Epoch ms; null: nothing is expected of the gateway. */
  next_look: number | null
  create_time: ImmutableColumn<number>
  update_time: number
  end_time: number | null
}

/** Frozen when it was paid; without gaps in its numbers (D90). What it is of is one of three. */
export interface InvoiceTable extends PaidColumns {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  code: ImmutableColumn<string>
  content: ColumnType<unknown, string, never>
  create_time: ImmutableColumn<number>
}

/** A user's secret address for calendar programs. */
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
  service_app: ServiceAppTable
  service_order: OrderTable
  contract: ContractTable
  reminder: ReminderTable
  payment: PaymentTable
  payment_attempt: PaymentAttemptTable
  payment_task: PaymentTaskTable
  invoice: InvoiceTable
  calendar_feed: CalendarFeedTable
}
