import type { ColumnType, Generated } from 'kysely'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>

/** Member of the provider's staff who acted in a customer's log. The leaf contains only a hash of this object. */
export interface AuditActor {
  salt: string
  user_id: number
  user_name: string
}

/** An entry of the audit trail. Only `leaf` can be proven. The other columns except `actor` are copies of its fields for queries. */
export interface AuditEntryTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  /** Company of the caller if it is not the company of the log. Null for the company's own users. */
  actor_company_id: ImmutableColumn<number | null>
  actor: ColumnType<AuditActor | null, string | null, never>
  code: ImmutableColumn<AuditMenu>
  operation: ImmutableColumn<string>
  exec_user_id: ImmutableColumn<number | null>
  exec_user_name: ImmutableColumn<string>
  end_time: ImmutableColumn<number>
  /** 0 if the write succeeded, -1 if it failed. */
  status: ImmutableColumn<0 | -1>
  info: ColumnType<Record<string, unknown>, string, never>
  intent: ImmutableColumn<string | null>
  request_id: ImmutableColumn<string>
  /** Normalised text of the entry in which users search. */
  search: ImmutableColumn<string>
  /** Canonical JSON of an `AuditLeaf`. */
  leaf: ImmutableColumn<string>
}

export interface AuditPendingTable {
  entry_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  /** HMAC of the entry's leaf, as hex. Null for an entry from before seals. */
  seal: string | null
}

/** Position of an entry in its company's log, counted from 0 without gaps. */
export interface AuditLeafTable {
  company_id: ImmutableColumn<number>
  log_index: ImmutableColumn<number>
  entry_id: ImmutableColumn<number>
}

/** Part of the hash tree of a log: up to 256 hashes of 32 bytes (C2SP tlog-tiles). */
export interface AuditTileTable {
  company_id: ImmutableColumn<number>
  level: ImmutableColumn<number>
  tile_index: ImmutableColumn<number>
  hashes: Uint8Array
}

export interface AuditCheckpointTable {
  company_id: ImmutableColumn<number>
  size: ImmutableColumn<number>
  /** Signed text of the checkpoint (C2SP tlog-checkpoint). */
  note: ImmutableColumn<string>
  end_time: ImmutableColumn<number>
  /** Whether it stays stored after a newer checkpoint: it is the last one of a day, or was mailed. */
  is_permanent: Generated<boolean>
  /** When it was mailed to the admins, epoch ms. Null if it was not. */
  mail_time: number | null
}

/** Failed sign-ins to one account from one network, until they become one entry. */
export interface FailedSignInTable {
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  network: ImmutableColumn<string>
  /** Times of the first and the last failure, in epoch ms. */
  since: number
  until: number
  count: number
}

/** Range of the log whose entries were moved from the database to a file. */
export interface AuditArchiveTable {
  company_id: ImmutableColumn<number>
  from_index: ImmutableColumn<number>
  /** End of the range, exclusive. */
  to_index: ImmutableColumn<number>
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
