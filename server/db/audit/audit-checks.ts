/** What a check of a log reads: its length, and its entries place by place with the columns beside their leaves. */
import { sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { Actor } from '#server/db/tables/audit-tables.ts'

export interface LogToCheck {
  companyId: number
  /** Null: of callers that belong to no company. */
  companyCode: string | null
  rows: number
}

/** Every company that has entries, or the one that is named. */
export async function logsToCheck(db: Handle, companyId: number | null): Promise<LogToCheck[]> {
  const { rows } = await sql<LogToCheck>`
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

/** A place in the log; the columns are null where the entry is gone. */
export interface CheckedEntry {
  log_index: number
  entry_id: number
  leaf: string | null
  actor: Actor | null
  search: string | null
  columns: Record<string, unknown> | null
}

export async function entriesFrom(
  db: Handle,
  companyId: number,
  { from, most }: { from: number; most: number },
): Promise<CheckedEntry[]> {
  const { rows } = await sql<CheckedEntry>`
    select place.log_index, place.entry_id, entry.leaf, entry.actor, entry.search,
      case when entry.id is null then null else jsonb_build_object('id', entry.id, 'company', entry.company_id,
        'time', entry.end_time, 'code', entry.code, 'operation', entry.operation, 'user_id', entry.exec_user_id,
        'user_name', entry.exec_user_name, 'status', entry.status, 'info', entry.info, 'intent', entry.intent,
        'request_id', entry.request_id) end as columns
    from (select * from audit_leaf where company_id = ${companyId} and log_index >= ${from}
      order by log_index limit ${most}) place
    left join audit_entry entry on entry.id = place.entry_id order by place.log_index`.execute(db)
  return rows
}

/** Entries that have no place and wait for none: nothing of ours leaves one so. */
export async function strayEntries(db: Handle, companyId: number, most: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from audit_entry entry where company_id = ${companyId}
      and not exists (select from audit_leaf where entry_id = entry.id)
      and not exists (select from audit_pending where entry_id = entry.id and company_id = entry.company_id)
    order by id limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/** What tells most of a change at little cost: `entriesFrom` has the rest. The columns are null where the entry is gone. */
export interface EntryGlance {
  log_index: number
  id: number | null
  leaf: string | null
  end_time: number
  exec_user_id: number | null
  exec_user_name: string
  code: string
  operation: string
  status: number
  info: unknown
}

/** The places from `from` up to `to` that the log has, in order. */
export async function glanceAtEntries(
  db: Handle,
  companyId: number,
  { from, to }: { from: number; to: number },
): Promise<EntryGlance[]> {
  const { rows } = await sql<EntryGlance>`
    select place.log_index, entry.id, entry.leaf, entry.end_time, entry.exec_user_id, entry.exec_user_name, entry.code,
      entry.operation, entry.status, entry.info
    from audit_leaf place left join audit_entry entry on entry.id = place.entry_id
    where place.company_id = ${companyId} and place.log_index >= ${from} and place.log_index < ${to}
    order by place.log_index`.execute(db)
  return rows
}
