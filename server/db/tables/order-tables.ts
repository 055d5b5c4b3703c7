/** The catalogue, orders, contracts and payments as Kysely sees them. Amounts are text with two decimals (D13). */
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { Requirement } from '#domain/catalogue/apps.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import type { Step } from '#domain/fees/explain.ts'
import type { UserMode } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import type { PaymentType } from '#domain/payments.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'

type Json<T> = ColumnType<T, string, string>
/** Set once. */
type Fixed<T> = ColumnType<T, T, never>

interface Kept {
  id: Generated<number>
  row_version: Generated<number>
  change: number
  create_time: Fixed<number>
  update_time: number
}

/** The one row that numbers what changes in the catalogue. */
export interface CatalogueTable {
  one: Generated<boolean>
  change: number
}

export interface ModuleTable extends Kept {
  type: Fixed<ClientType>
  code: Fixed<string>
  code_key: Fixed<string>
  name: string
  name_key: string
  hidden: Fixed<boolean>
  dependencies: Json<string[]>
  conditions: Json<string[]>
  any_condition: boolean
  apps: Json<{ code: string; flag: Record<string, number | boolean> }[]>
  version: Generated<string>
  deleted: Generated<boolean>
}

export interface PriceListTable extends Kept {
  type: Fixed<ClientType>
  effective_date: PlainDate
  description: string
  description_key: string
  confirmed: boolean
  content: Json<PriceContent>
  /** Of a confirmed list: withdrawn. Its last update is then when and by whom. */
  deleted: Generated<boolean>
  update_user_name: string
}

/** A published version of an app; the newest one is what modules run. */
export interface AppVersionTable {
  id: Generated<number>
  /** Who made it, by the code in its manifest (D80). */
  provider: Fixed<string>
  code: Fixed<string>
  code_key: Fixed<string>
  name: Fixed<string>
  name_key: Fixed<string>
  /** What its package calls the module that it comes from. */
  module: Fixed<string>
  version: Fixed<string>
  /** The version as numbers, worked out by the database. */
  place: ColumnType<number[], never, never>
  /** The lowest version from which it can be upgraded to (D79). */
  min_version_required: Fixed<string | null>
  release_date: Fixed<PlainDate | null>
  flags: ColumnType<AppFlag[], string, never>
  requires: ColumnType<Requirement[], string, never>
  /** Ids of web resources: its picture and its change log. */
  icon: Fixed<string | null>
  markdown: Fixed<string | null>
  /** Of its package; null: published before packages were. */
  sha256: ColumnType<string | null, string | null | undefined, never>
  change: Fixed<number>
  create_time: Fixed<number>
}

export interface AppFlag {
  key: string
  name: string
  type: 'boolean' | 'int'
  default: number | boolean
}

/** The version of an app that runs in a created service. */
export interface ServiceAppTable {
  service_id: Fixed<number>
  company_id: Fixed<number>
  code: Fixed<string>
  version: Fixed<string>
}

export type OrderType = 'create' | 'extend' | 'change'

/** What an order and the contract that comes of it have alike. */
interface Agreed {
  currency: Fixed<Currency>
  user_mode: Fixed<UserMode>
  users: Fixed<number>
  modules: ColumnType<string[], string, never>
  uat: Fixed<0 | 1>
  client_type: Fixed<ClientType>
  price_id: Fixed<number>
  /** The fee of a year. */
  annual: Fixed<string>
  contract_amount: Fixed<string>
  residual_amount: Fixed<string>
  amount: Fixed<string>
  pay_amount: Fixed<string>
  /** Years. */
  period: Fixed<number>
  period_start: Fixed<PlainDate>
  /** Exclusive (D18). */
  period_end: Fixed<PlainDate>
}

export type AgreedRow = Selectable<Agreed>

export interface OrderTable extends Kept, Agreed {
  company_id: Fixed<number>
  /** Of the service. */
  code: Fixed<string>
  name: Fixed<string>
  name_key: Fixed<string>
  description: Fixed<string | null>
  type: Fixed<OrderType>
  /** The state is worked out of it (`stateOf`). */
  stored: 'invalid' | 'unpaid' | 'paid' | 'overwritten'
  invalid_why: 'overdue' | 'replaced' | null
  uat_bound: Fixed<UatBound>
  steps: ColumnType<Step[], string, never>
  /** The contract that is changed or extended. */
  base_id: Fixed<number | null>
  /** The contract whose terms it restores; null: it is no undo. */
  restores_id: ColumnType<number | null, number | null | undefined, never>
  /** The contract that came of it. */
  contract_id: number | null
  /** The last second in which it can be paid (D31). */
  due: Fixed<Timestamp>
  alert_date: PlainDate | null
  /** What a change comes to that is below the smallest payable amount, and is not charged; null: nothing. */
  waived: ColumnType<string | null, string | null | undefined, never>
  /** Whether it is the row of its service in the list (D35). */
  shown: Generated<boolean>
  /** Devices were told that it has expired. */
  told_expired: Generated<boolean>
  deleted: Generated<boolean>
}

export interface ContractTable extends Agreed {
  id: Generated<number>
  company_id: Fixed<number>
  code: Fixed<string>
  service_code: Fixed<string>
  order_id: Fixed<number>
  type: Fixed<OrderType>
  /** Paid stretches in the order of their days (D12). */
  segments: ColumnType<{ start: PlainDate; end: PlainDate; annual: string }[], string, never>
  /** From where its years count, and the months bought since (decision 60); null: an older version wrote it. */
  anchor_date: ColumnType<PlainDate | null, PlainDate | null | undefined, never>
  anchor_months: ColumnType<number | null, number | null | undefined, never>
  overwritten: Generated<boolean>
  create_time: Fixed<number>
}

export interface ReminderTable {
  order_id: Fixed<number>
  about: Fixed<'expiry' | 'expired' | 'due'>
  days: Fixed<number>
  company_id: Fixed<number>
  time: Fixed<number>
}

/** What a gateway says that it took, each once. */
export interface PaymentTable {
  id: Generated<number>
  company_id: Fixed<number>
  /** What is paid is one of three. */
  order_id: Fixed<number | null>
  backup_order_id: Fixed<number | null>
  traffic_id: Fixed<number | null>
  gateway: Fixed<string>
  reference: Fixed<string>
  amount: Fixed<string>
  currency: Fixed<string>
  paid_at: Fixed<number>
  /** What became of it: only `applied` has an effect. */
  outcome: Fixed<'applied' | 'paid already' | 'another amount' | 'another currency' | 'too late' | 'replaced'>
  create_time: Fixed<number>
}

/** What was begun at a gateway; written before the gateway is asked. */
export interface PaymentAttemptTable {
  id: Generated<number>
  company_id: Fixed<number>
  /** What is paid is one of three. */
  order_id: Fixed<number | null>
  backup_order_id: Fixed<number | null>
  traffic_id: Fixed<number | null>
  /** Who pays. */
  user_id: Fixed<number | null>
  /** Of the call that began it; the same call again is told the same. */
  intent: Fixed<string | null>
  /** Under which the gateway knows it. */
  key: Fixed<string>
  gateway: Fixed<PaymentType>
  /** What the card's token hashes to; null: the gateway asks for the card. */
  token_hash: Fixed<string | null>
  amount: Fixed<string>
  currency: Fixed<Currency>
  language: Fixed<Language>
  device: Fixed<'desktop' | 'phone'>
  /** `begun`: nobody knows whether the gateway has heard of it. The last three are final, but for money that comes after all. */
  state: 'begun' | 'open' | 'processing' | 'paid' | 'declined' | 'closed'
  /** Why it was declined, in the gateway's code. */
  reason: string | null
  gateway_id: string | null
  /** Where the payer goes on. */
  url: string | null
  /** How often the gateway was asked about it. */
  looks: Generated<number>
  /** Epoch ms; null: nothing more is expected. */
  next_look: number | null
  begun_at: Fixed<number>
  end_time: number | null
}

/** Money that was taken and no order waited for: each unit of it is on what it was paid for, was given back, or is such a task. */
export interface PaymentTaskTable {
  id: Generated<number>
  company_id: Fixed<number>
  payment_id: Fixed<number>
  /** By which it was paid; null: it is not known, and the portal cannot refund it. */
  attempt_id: Fixed<number | null>
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
  create_time: Fixed<number>
  update_time: number
  end_time: number | null
}

/** Frozen when it was paid; without gaps in its numbers (D90). What it is of is one of three. */
export interface InvoiceTable {
  id: Generated<number>
  company_id: Fixed<number>
  code: Fixed<string>
  order_id: Fixed<number | null>
  backup_order_id: Fixed<number | null>
  traffic_id: Fixed<number | null>
  content: ColumnType<unknown, string, never>
  create_time: Fixed<number>
}

/** A user's secret address for calendar programs. */
export interface CalendarFeedTable {
  user_id: Fixed<number>
  company_id: Fixed<number>
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
