/**
 * The database as Kysely sees it. bigint comes back as a string from the driver, so ids are `integer`; instants are
 * epoch milliseconds in `bigint` columns, read as numbers by the pool's type parser; dates are `YYYY-MM-DD` text.
 */
import type { ColumnType, Generated } from 'kysely'
import type { AccessLevel } from '#domain/access.ts'
import type { Language, UserTitle, UserStatus } from '#domain/accounts/users.ts'
import type { AuditTables } from '#server/db/tables/audit-tables.ts'
import type { BackupTables } from '#server/db/tables/backup-tables.ts'
import type { HostingTables } from '#server/db/tables/hosting-tables.ts'
import type { OrderTables } from '#server/db/tables/order-tables.ts'
import type { UploadTables } from '#server/db/tables/upload-tables.ts'

/** The last file in server/db/migrations: a start with any other one there is refused. Each new migration is named here. */
export const latestMigration = '049-column-names'

type JsonColumn<T> = ColumnType<T, string, string>
/** Set once. */
type ImmutableColumn<T> = ColumnType<T, T, never>

/** Of rows that belong to one user of a company. */
interface UserColumns {
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
}

export interface CompanyTable {
  id: Generated<number>
  code: string
  name: string
  country: 'CN' | 'HK' | null
  province: string | null
  city: string | null
  addr1: string | null
  addr2: string | null
  addr3: string | null
  tel: string | null
  email: string | null
  website: string | null
  /** As the company's invoices are made out to, never looked up anywhere. */
  tax_number: string | null
  /** Its users need a second factor. */
  mfa_required: Generated<boolean>
  row_version: Generated<number>
  create_time: ImmutableColumn<number>
  update_time: number
}

export interface UserTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  title: UserTitle
  name: string
  name_key: string
  email: string
  email_key: string
  password_hash: string | null
  admin: boolean
  /** The order flag; the word itself is SQL's. */
  orders: boolean
  alert: boolean
  status: UserStatus
  avatar: string | null
  language: Language
  access_level: AccessLevel
  /** 32 bytes, base64url: the account's first sealing key, which has the id 0. Each session has its own (SealKeyTable). */
  seal_key: ImmutableColumn<string>
  /** Of the demo world, whose passwords everybody knows. */
  demo: Generated<boolean>
  row_version: Generated<number>
  /** Change number at its last change (protocol 34). */
  change: number
  create_time: ImmutableColumn<number>
  update_time: number
  /** When the latest activation mail was sent; null: when the user was created. */
  invite_time: Generated<number | null>
}

/** One sign-in on one device: a family of tokens. */
export interface SessionTable extends UserColumns {
  id: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
  last_time: number
  /** The family never outlives this (K-06). */
  end_time: ImmutableColumn<number>
  ended: number | null
  ended_reason: string | null
  user_agent: string
  address: string
}

/** The key under which the device of one session seals unsent writes. There are as many as sign-ins, so its id is a bigint. */
export interface SealKeyTable extends UserColumns {
  id: Generated<number>
  /** The session may be gone. */
  session_id: ImmutableColumn<string>
  /** 32 bytes, base64url. */
  key: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
}

/** One generation of a family. Only hashes stand here (S-41). */
export interface TokenTable extends UserColumns {
  id: Generated<number>
  session_id: ImmutableColumn<string>
  refresh_hash: ImmutableColumn<string>
  access_hash: ImmutableColumn<string>
  parent_id: ImmutableColumn<number | null>
  create_time: ImmutableColumn<number>
  access_until: ImmutableColumn<number>
  refresh_until: ImmutableColumn<number>
  /** When its refresh token was first presented, and when its access token was (decision 69; only where it has a parent). Epoch ms. */
  used: number | null
  access_used: Generated<number | null>
}

/** A device from which a user has signed in, by a hash that is of that user alone. */
export interface DeviceTable extends UserColumns {
  hash: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
  last_time: number
}

/** Links of mails and the first admin's link: single use, hashed. */
export interface OneTimeKeyTable extends UserColumns {
  hash: ImmutableColumn<string>
  purpose: ImmutableColumn<'activate' | 'reset'>
  until: number
  used: number | null
}

/** Addresses that show somebody something once: hashed, single use, short-lived (D64, D65). */
export interface TicketTable extends UserColumns {
  hash: ImmutableColumn<string>
  kind: ImmutableColumn<TicketKind>
  /** The session that it ends with; null: it opens nothing by itself (`confirm`). */
  session_id: ImmutableColumn<string | null>
  /** What it shows: each kind knows its own. */
  subject: ColumnType<unknown, string, never>
  until: ImmutableColumn<number>
  used: number | null
  /** SHA-256 of the cookie of the browser that opened it first. */
  browser: string | null
}
export type TicketKind = 'price' | 'print' | 'confirm' | 'log'

/** What a price list's file held when it was looked into: imported from here. */
export interface PriceUploadTable extends UserColumns {
  md5: ImmutableColumn<string>
  content: ColumnType<unknown, string, string>
  create_time: number
}

/** What a user can prove themselves with beside the password. */
export interface FactorTable extends UserColumns {
  id: Generated<number>
  kind: ImmutableColumn<'totp' | 'passkey'>
  name: string
  /** Sealed (use-cases/factors/factor-secrets.ts). */
  secret: ImmutableColumn<string | null>
  /** The latest 30-second step whose code was taken: nothing up to it is taken again. */
  last_step: number | null
  credential_id: ImmutableColumn<string | null>
  /** COSE, base64url. */
  public_key: ImmutableColumn<string | null>
  /** How often the key says that it has signed; 0 for ever where it does not count. */
  counter: number | null
  /** As the browser named them, joined by commas. */
  transports: ImmutableColumn<string | null>
  create_time: ImmutableColumn<number>
  last_time: number | null
}

export interface RecoveryCodeTable extends UserColumns {
  hash: ImmutableColumn<string>
  used: number | null
}

/** A password step that waits for its second, or a signed-in user's right to change their factors: what `mfa_token` names. */
export interface MfaTokenTable extends UserColumns {
  hash: ImmutableColumn<string>
  /** Null: of a sign-in, which has none yet. */
  session_id: ImmutableColumn<string | null>
  /** Of the password's hash: with another password it is worth nothing. */
  password_print: ImmutableColumn<string>
  challenge: string
  /** The sealed secret of an authenticator that is being set up. */
  pending: string | null
  /** When its user gave a password or a factor, or set up the first one. */
  proven: number | null
  until: ImmutableColumn<number>
  done: number | null
}

/** Failed attempts, per account, address and all together (S-29); mails, per address (S-40). */
export interface AttemptTable {
  subject: string
  failures: number
  since: number
  not_before: number
}

/** Of calls without a session the user and the company are 0. */
export interface IdempotencyTable extends UserColumns {
  id: Generated<number>
  key: ImmutableColumn<string>
  intent: ImmutableColumn<string>
  fingerprint: ImmutableColumn<string>
  method: ImmutableColumn<string>
  path: ImmutableColumn<string>
  state: 'open' | 'done' | 'refused' | 'void' | 'started'
  status: number | null
  /** Headers of the stored answer that are part of it (ETag, Location). */
  headers: JsonColumn<Record<string, string>> | null
  /** The answer's exact bytes; dropped after 35 days, the rest stays as a stub. */
  body: string | null
  /** The row it left: what `~{intent}` names, and what `If-Match: "~{intent}"` compares (protocol 9, 17). */
  row_kind: string | null
  row_id: number | null
  row_version: number | null
  create_time: ImmutableColumn<number>
}

/** Per company, taken last in a writing transaction: change numbers follow the order of commits (protocol 34). */
export interface ChangeTable {
  company_id: ImmutableColumn<number>
  value: number
  /** The highest number whose tombstone is swept: who knows less than this must fill anew. */
  floor: Generated<number>
}

export interface TombstoneTable {
  company_id: ImmutableColumn<number>
  kind: ImmutableColumn<string>
  row_id: ImmutableColumn<number>
  change: ImmutableColumn<number>
  time: ImmutableColumn<number>
}

/** A long request: begun in the transaction that took it, worked by whoever holds the lease (protocol 26, 39). */
export interface JobTable extends UserColumns {
  id: ImmutableColumn<string>
  /** The write that began it; with its kind it is begun once. */
  intent: ImmutableColumn<string>
  kind: ImmutableColumn<string>
  state: 'queued' | 'running' | 'done' | 'failed'
  percent: number
  /** Names it in messages of the websocket (S-60). */
  progress_key: ImmutableColumn<string>
  input: ColumnType<unknown, string, never>
  /** How far it came, in its kind's own words; null: at the beginning. */
  point: JsonColumn<unknown> | null
  /** The final answer. Its bytes go after a day; of a failed one they are the problem's code and data. */
  status: number | null
  body: string | null
  /** Claims since it last came further. */
  tries: number
  /** Raised by every claim: who worked under an older one may record nothing. */
  fence: number
  /** Nobody else takes it before. */
  lease_until: number
  /** When a poll no longer answers "still running". The work goes on. */
  deadline: ImmutableColumn<number>
  create_time: ImmutableColumn<number>
  end_time: number | null
}

/** Pictures of users, made anew by us: what was uploaded is never kept. */
export interface AssetTable extends UserColumns {
  id: Generated<number>
  /** The id that answers and addresses bear. */
  name: ImmutableColumn<string>
  type: ImmutableColumn<'image/webp'>
  bytes: ImmutableColumn<Uint8Array>
  create_time: ImmutableColumn<number>
}

/** Facts about the installation: its id, the build that made it, whether the demo world was loaded. */
export interface FactTable {
  name: string
  value: string
}

export interface DatabaseTables extends AuditTables, BackupTables, HostingTables, OrderTables, UploadTables {
  company: CompanyTable
  portal_user: UserTable
  asset: AssetTable
  session: SessionTable
  seal_key: SealKeyTable
  token: TokenTable
  device: DeviceTable
  one_time_key: OneTimeKeyTable
  ticket: TicketTable
  price_upload: PriceUploadTable
  factor: FactorTable
  recovery_code: RecoveryCodeTable
  proof: MfaTokenTable
  attempt: AttemptTable
  idempotency: IdempotencyTable
  change: ChangeTable
  tombstone: TombstoneTable
  fact: FactTable
  job: JobTable
}
