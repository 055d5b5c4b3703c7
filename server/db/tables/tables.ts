/** Types of the tables. Times are epoch ms. Dates are `YYYY-MM-DD` text. */
import type { ColumnType, Generated } from 'kysely'
import type { AccessLevel } from '#domain/access.ts'
import type { Language, UserTitle, UserStatus } from '#domain/accounts/users.ts'
import type { AuditTables } from '#server/db/tables/audit-tables.ts'
import type { BackupTables } from '#server/db/tables/backup-tables.ts'
import type { ClientBuildTables } from '#server/db/tables/client-build-tables.ts'
import type { CreditTables } from '#server/db/tables/credit-tables.ts'
import type { CustomerTables } from '#server/db/tables/customer-tables.ts'
import type { HostingTables } from '#server/db/tables/hosting-tables.ts'
import type { NodeTables } from '#server/db/tables/node-tables.ts'
import type { NotificationTables } from '#server/db/tables/notification-tables.ts'
import type { OrderTables } from '#server/db/tables/order-tables.ts'
import type { RefundTables } from '#server/db/tables/refund-tables.ts'
import type { UploadTables } from '#server/db/tables/upload-tables.ts'

/**
 * The last file in server/db/migrations. The server does not start if the folder's last file is another one. Update it with each new
 * migration.
 */
export const latestMigration = '066-returned-refunds'

type JsonColumn<T> = ColumnType<T, string, string>
type ImmutableColumn<T> = ColumnType<T, T, never>

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
  /** Printed on invoices as entered. It is not checked with an authority. */
  tax_number: string | null
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
  /** Whether the user has the right to order. The column is not named `order` because that is an SQL keyword. */
  orders: boolean
  alert: boolean
  status: UserStatus
  avatar: string | null
  language: Language
  access_level: AccessLevel
  /** 32 bytes, base64url: the account's first sealing key, with id 0. Each session has its own key (SealKeyTable). */
  seal_key: ImmutableColumn<string>
  demo: Generated<boolean>
  row_version: Generated<number>
  /** Change number of the user's last change (protocol 34). */
  change: number
  create_time: ImmutableColumn<number>
  update_time: number
  /** When the latest activation mail was sent, epoch ms. Null means the creation time of the user. */
  invite_time: Generated<number | null>
  /** Whether the user has hidden the first steps of the home page (decision 112). Not a part of the row that devices store. */
  is_setup_hidden: Generated<boolean>
}

/** A sign-in on one device, with all token pairs that follow from it (a token family). */
export interface SessionTable extends UserColumns {
  id: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
  last_time: number
  /** Latest possible end of the session (K-06), epoch ms. */
  end_time: ImmutableColumn<number>
  ended: number | null
  ended_reason: string | null
  /** The consent under which the session acts for a customer. Null for most sessions. */
  acting_consent_id: Generated<number | null>
  user_agent: string
  address: string
}

/** Key with which a session's device seals unsent writes. There is one row per sign-in, so the id is a bigint. */
export interface SealKeyTable extends UserColumns {
  id: Generated<number>
  /** Id of the session, which may already be deleted. */
  session_id: ImmutableColumn<string>
  /** Key of 32 bytes, as base64url. */
  key: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
}

/** A token pair of a session. Only hashes are stored (S-41). */
export interface TokenTable extends UserColumns {
  id: Generated<number>
  session_id: ImmutableColumn<string>
  refresh_hash: ImmutableColumn<string>
  access_hash: ImmutableColumn<string>
  parent_id: ImmutableColumn<number | null>
  create_time: ImmutableColumn<number>
  access_until: ImmutableColumn<number>
  refresh_until: ImmutableColumn<number>
  /**
   * When the refresh token was first used. `access_used` is the same for the access token, stored only for pairs with a parent (decision
   * 69). Epoch ms.
   */
  used: number | null
  access_used: Generated<number | null>
}

/** A device from which a user has signed in. The hash is different for each user. */
export interface DeviceTable extends UserColumns {
  hash: ImmutableColumn<string>
  create_time: ImmutableColumn<number>
  last_time: number
}

/** Keys of mailed links and of the first admin's link: single use, stored as a hash. */
export interface OneTimeKeyTable extends UserColumns {
  hash: ImmutableColumn<string>
  purpose: ImmutableColumn<'activate' | 'reset'>
  until: number
  used: number | null
}

/** Keys of addresses that show one document or page once: stored as a hash, single use, short-lived (D64, D65). */
export interface TicketTable extends UserColumns {
  hash: ImmutableColumn<string>
  kind: ImmutableColumn<TicketKind>
  /** The ticket ends with this session. Null for `confirm`, which opens nothing by itself. */
  session_id: ImmutableColumn<string | null>
  /** Document or page that the ticket shows. The format depends on the kind. */
  subject: ColumnType<unknown, string, never>
  until: ImmutableColumn<number>
  used: number | null
  /** SHA-256 of the cookie of the browser that first opened the ticket. Null without a cookie or before it is opened. */
  browser: string | null
}
export type TicketKind = 'price' | 'print' | 'confirm' | 'log'

/** Content of a checked price list file. The import reads it from here. */
export interface PriceUploadTable extends UserColumns {
  md5: ImmutableColumn<string>
  content: ColumnType<unknown, string, string>
  create_time: number
}

export interface FactorTable extends UserColumns {
  id: Generated<number>
  kind: ImmutableColumn<'totp' | 'passkey'>
  name: string
  /** Secret of an authenticator, encrypted (use-cases/factors/factor-secrets.ts). */
  secret: ImmutableColumn<string | null>
  /** Latest 30-second step whose code was used. Codes up to this step are refused. */
  last_step: number | null
  credential_id: ImmutableColumn<string | null>
  /** Public key of a passkey, as COSE in base64url. */
  public_key: ImmutableColumn<string | null>
  /** Signature counter of a passkey. Always 0 if the passkey does not count. */
  counter: number | null
  /** Transports of a passkey, as the browser reported them, separated by commas. */
  transports: ImmutableColumn<string | null>
  create_time: ImmutableColumn<number>
  last_time: number | null
}

export interface RecoveryCodeTable extends UserColumns {
  hash: ImmutableColumn<string>
  used: number | null
}

/** A token in the wire field `mfa_token`: for a sign-in that waits for the second factor, or for a user's right to change factors. */
export interface MfaTokenTable extends UserColumns {
  hash: ImmutableColumn<string>
  /** Session of the user. Null during sign-in, before there is a session. */
  session_id: ImmutableColumn<string | null>
  /** Fingerprint of the password hash. The token becomes invalid when the password changes. */
  password_print: ImmutableColumn<string>
  challenge: string
  /** Encrypted secret of an authenticator that is being set up. */
  pending: string | null
  /** When the user proved a password or factor, or set up the first factor. */
  proven: number | null
  until: ImmutableColumn<number>
  done: number | null
}

/** Counts of failed attempts per account, per address and in total (S-29), and of mails per address (S-40). */
export interface AttemptTable {
  subject: string
  failures: number
  since: number
  not_before: number
}

/** Number of requests of a caller within a minute, over all nodes. The key is a hash. */
export interface RequestCountTable {
  key: ImmutableColumn<string>
  /** First request of the current minute, epoch ms. */
  window_start: number
  count: number
}

/** A stored write. For calls without a session, user and company are 0. */
export interface IdempotencyTable extends UserColumns {
  id: Generated<number>
  key: ImmutableColumn<string>
  intent: ImmutableColumn<string>
  fingerprint: ImmutableColumn<string>
  method: ImmutableColumn<string>
  path: ImmutableColumn<string>
  state: 'open' | 'done' | 'refused' | 'void' | 'started'
  status: number | null
  headers: JsonColumn<Record<string, string>> | null
  /** Exact bytes of the response. They are deleted after 35 days, and the rest of the row stays. */
  body: string | null
  /** Row that the write created or changed. `~{intent}` and `If-Match: "~{intent}"` refer to it (protocol 9, 17). */
  row_kind: string | null
  row_id: number | null
  row_version: number | null
  create_time: ImmutableColumn<number>
}

/**
 * Change counter of a company. A writing transaction takes its number last, so change numbers follow the order of commits (protocol 34).
 */
export interface ChangeTable {
  company_id: ImmutableColumn<number>
  value: number
  /** Highest change number whose tombstone was deleted. A device with a lower number must load all rows again. */
  floor: Generated<number>
}

export interface TombstoneTable {
  company_id: ImmutableColumn<number>
  kind: ImmutableColumn<string>
  row_id: ImmutableColumn<number>
  change: ImmutableColumn<number>
  time: ImmutableColumn<number>
}

/** A long request. It is created in the transaction of its write, and processed by the holder of the lease (protocol 26, 39). */
export interface JobTable extends UserColumns {
  id: ImmutableColumn<string>
  /** Intent of the write that started the job. Unique together with the kind. */
  intent: ImmutableColumn<string>
  kind: ImmutableColumn<string>
  state: 'queued' | 'running' | 'done' | 'failed'
  percent: number
  /** Identifies the job in websocket messages (S-60). */
  progress_key: ImmutableColumn<string>
  input: ColumnType<unknown, string, never>
  /** Progress of the job, in a format that depends on its kind. Null before the first completed step. */
  point: JsonColumn<unknown> | null
  /** Status of the final response. `body` is deleted after a day. For a failed job, `body` has the problem's code and data. */
  status: number | null
  body: string | null
  /** Number of claims since the last progress. */
  tries: number
  /** Raised by every claim. A worker with a lower value may store nothing. */
  fence: number
  /** No other worker may claim the job before this time. */
  lease_until: number
  /** From this time on, a poll no longer returns "still running", but the work itself continues. */
  deadline: ImmutableColumn<number>
  create_time: ImmutableColumn<number>
  end_time: number | null
}

/** A picture of a user, which the server has encoded again. The uploaded file is never stored. */
export interface AssetTable extends UserColumns {
  id: Generated<number>
  /** Public id, used in responses and addresses. */
  name: ImmutableColumn<string>
  type: ImmutableColumn<'image/webp'>
  bytes: ImmutableColumn<Uint8Array>
  create_time: ImmutableColumn<number>
}

/** Facts about the installation, such as a fingerprint of its token key, or whether the demo data was loaded. */
export interface FactTable {
  name: string
  value: string
}

/** One holder at a time does what the name stands for, such as a scheduled job. Times are epoch ms of the database's clock. */
export interface LeaseTable {
  name: ImmutableColumn<string>
  holder: string
  /** For people: the machine and the process of the holder. */
  node: string
  since: number
  until: number
  /** Rises with each change of the holder. */
  fence: number
}

/** Latest run of a scheduled job in the cluster. Without `ended_at` the job is running or was interrupted. */
export interface ScheduledRunTable {
  name: ImmutableColumn<string>
  started_at: number
  ended_at: number | null
}

export interface DatabaseTables
  extends AuditTables,
    BackupTables,
    ClientBuildTables,
    CreditTables,
    CustomerTables,
    HostingTables,
    NodeTables,
    NotificationTables,
    OrderTables,
    RefundTables,
    UploadTables {
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
  request_count: RequestCountTable
  idempotency: IdempotencyTable
  change: ChangeTable
  tombstone: TombstoneTable
  fact: FactTable
  job: JobTable
  lease: LeaseTable
  scheduled_run: ScheduledRunTable
}
