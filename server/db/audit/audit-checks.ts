import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { AuditActor } from '#server/db/tables/audit-tables.ts'

export interface AuditLogSummary {
  companyId: number
  /** Null for the log of callers without a company. */
  companyCode: string | null
  rows: number
}

export async function listLogsToCheck(db: DatabaseHandle, companyId: number | null): Promise<AuditLogSummary[]> {
  const { rows } = await sql<AuditLogSummary>`
    select log.company_id as "companyId", company.code as "companyCode", log.rows
    from (
      select company_id, count(*)::integer as rows from audit_entry
      where ${companyId}::integer is null or company_id = ${companyId}::integer group by company_id
      union
      select company_id, 0 from audit_leaf
      where (${companyId}::integer is null or company_id = ${companyId}::integer)
        and not exists (select from audit_entry entry where entry.company_id = audit_leaf.company_id) group by company_id
      union
      select company_id, 0 from audit_checkpoint
      where (${companyId}::integer is null or company_id = ${companyId}::integer)
        and not exists (select from audit_entry entry where entry.company_id = audit_checkpoint.company_id)
        and not exists (select from audit_leaf leaf where leaf.company_id = audit_checkpoint.company_id) group by company_id
    ) log left join company on company.id = log.company_id order by log.company_id`.execute(db)
  return rows
}

/** Returns ids of entries that are neither in the log nor waiting for it. The portal never leaves an entry in this state. */
export async function findUnplacedEntries(db: DatabaseHandle, companyId: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from audit_entry entry where company_id = ${companyId}
      and not exists (select from audit_leaf where entry_id = entry.id)
      and not exists (select from audit_pending where entry_id = entry.id and company_id = entry.company_id)
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** A position of the log with its entry. The columns of the entry are null if the entry is missing. */
export interface LogEntryRow {
  log_index: number
  id: number | null
  company_id: number
  actor_company_id: number | null
  actor: AuditActor | null
  leaf: string | null
  end_time: number
  exec_user_id: number | null
  exec_user_name: string
  code: string
  operation: string
  status: number
  info: unknown
  intent: string | null
  request_id: string
  search: string
}

/** Returns at most `limit` positions of the log in order, from `from` to `to` (exclusive, default: the end). */
export async function readLogEntries(
  db: DatabaseHandle,
  companyId: number,
  { from, to, limit }: { from: number; to?: number; limit?: number },
): Promise<LogEntryRow[]> {
  const { rows } = await sql<LogEntryRow>`
    select place.log_index, entry.id, entry.company_id, entry.actor_company_id, entry.actor, entry.leaf, entry.end_time,
      entry.exec_user_id, entry.exec_user_name, entry.code, entry.operation, entry.status, entry.info, entry.intent,
      entry.request_id, entry.search
    from audit_leaf place left join audit_entry entry on entry.id = place.entry_id
    where place.company_id = ${companyId} and place.log_index >= ${from}
      and place.log_index < coalesce(${to ?? null}::integer, 2147483647)
    order by place.log_index limit ${limit ?? null}::integer`.execute(db)
  return rows
}

export async function filterUnplacedEntries(db: DatabaseHandle, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids as number[]}::integer[]) as given(id)
    where not exists (select from audit_leaf where entry_id = given.id)
      and not exists (select from audit_pending where entry_id = given.id)
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the id of an entry that is in the log but still waits for it, or null. Such an entry would be added a second time. */
export async function findPlacedPendingEntry(db: DatabaseHandle, companyId: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select entry_id as id from audit_pending pending where company_id = ${companyId}
      and exists (select from audit_leaf place where place.entry_id = pending.entry_id)
    order by entry_id limit 1`.execute(db)
  return rows[0]?.id ?? null
}

/** Returns whether the log has an entry about the latest restore (`beginEpoch` writes it in the same transaction). */
export async function isEpochRecorded(db: DatabaseHandle, companyId: number, epoch: number): Promise<boolean> {
  const { rows } = await sql<{ recorded: boolean }>`
    select exists (select from audit_entry where company_id = ${companyId} and code = 'system' and operation = 'restore'
      and info @> jsonb_build_object('Epoch', ${epoch}::integer)) as recorded`.execute(db)
  return rows[0]?.recorded === true
}
