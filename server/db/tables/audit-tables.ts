/** The audit trail and its log as Kysely sees them. */
import type { ColumnType, Generated } from 'kysely'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

/** Set once. */
type ImmutableColumn<T> = ColumnType<T, T, never>

/** Who of the provider's staff acted in a customer's log: the leaf holds the hash of this in its canonical form. */
export interface AuditActor {
  salt: string
  user_id: number
  user_name: string
}

/** What was done. `leaf` is what is proven; the other columns are copies of it for queries, but for `actor`. */
export interface AuditEntryTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  /** Another company's people did it; null: the company's own. */
  actor_company_id: ImmutableColumn<number | null>
  actor: ColumnType<AuditActor | null, string | null, never>
  code: ImmutableColumn<AuditMenu>
  operation: ImmutableColumn<string>
  exec_user_id: ImmutableColumn<number | null>
  exec_user_name: ImmutableColumn<string>
  end_time: ImmutableColumn<number>
  /** -1: it failed. */
  status: ImmutableColumn<0 | -1>
  info: ColumnType<Record<string, unknown>, string, never>
  intent: ImmutableColumn<string | null>
  request_id: ImmutableColumn<string>
  /** `search_text` of the entry, folded. */
  search: ImmutableColumn<string>
  /** Canonical JSON of an `AuditLeaf`. */
  leaf: ImmutableColumn<string>
}

/** Written and not in the log yet. */
export interface AuditPendingTable {
  entry_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  /** HMAC of the entry's leaf, hex. */
  seal: string | null
}

/** The place of an entry in its company's log, from 0 without a gap. */
export interface AuditLeafTable {
  company_id: ImmutableColumn<number>
  log_index: ImmutableColumn<number>
  entry_id: ImmutableColumn<number>
}

/** Up to 256 hashes of 32 bytes (C2SP tlog-tiles). */
export interface AuditTileTable {
  company_id: ImmutableColumn<number>
  level: ImmutableColumn<number>
  tile_index: ImmutableColumn<number>
  hashes: Uint8Array
}

export interface AuditCheckpointTable {
  company_id: ImmutableColumn<number>
  size: ImmutableColumn<number>
  /** Signed (C2SP tlog-checkpoint). */
  note: ImmutableColumn<string>
  end_time: ImmutableColumn<number>
  /** The last of a day, or mailed. */
  is_permanent: Generated<boolean>
  /** When it was mailed to the admins; null: it was not. */
  mail_time: number | null
}

/** Sign-ins that failed at one account from one network, until they become one entry. */
export interface FailedSignInTable {
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  network: ImmutableColumn<string>
  /** Epoch ms: the first and the last of them. */
  since: number
  until: number
  count: number
}

/** Places of the log whose entries are in a file and no longer here. */
export interface AuditArchiveTable {
  company_id: ImmutableColumn<number>
  from_index: ImmutableColumn<number>
  /** Not included. */
  to_index: ImmutableColumn<number>
  /** Of the file. */
  sha256: ImmutableColumn<string>
  end_time: ImmutableColumn<number>
}

export interface AuditTables {
  audit_archive: AuditArchiveTable
  failed_sign_in: FailedSignInTable
  audit_entry: AuditEntryTable
  audit_pending: AuditPendingTable
  audit_leaf: AuditLeafTable
  audit_tile: AuditTileTable
  audit_checkpoint: AuditCheckpointTable
}
