import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

export interface ArchivableRange {
  companyId: number
  from: number
  /** Exclusive. `from` and `to` are log indexes at the borders of tiles. */
  to: number
}

/**
 * Returns the complete tiles at the start of each log that are old enough to archive: at most 64 tiles of each log. `endedBefore` is in
 * epoch ms.
 */
export async function findArchivableRanges(db: DatabaseHandle, endedBefore: number): Promise<ArchivableRange[]> {
  const { rows } = await sql<ArchivableRange>`
    with begun as (
      select company_id, min(log_index) as first from audit_leaf group by company_id)
    select begun.company_id as "companyId", begun.first as "from",
      (least(coalesce(young.at, whole.size), begun.first + 64 * 256, whole.size) / 256) * 256 as "to"
    from begun
    cross join lateral (select max(log_index) + 1 as size from audit_leaf where company_id = begun.company_id) whole
    cross join lateral (
      select min(place.log_index) as at from audit_leaf place join audit_entry entry on entry.id = place.entry_id
      where place.company_id = begun.company_id and place.log_index < begun.first + 64 * 256
        and entry.end_time >= ${endedBefore}::bigint) young
    where begun.first % 256 = 0`.execute(db)
  return rows.filter(({ from, to }) => to > from)
}

/**
 * Deletes archived entries and returns their number. The database refuses anything except complete old tiles at the beginning of the log
 * (42501).
 */
export async function deleteArchivedEntries(
  db: DatabaseHandle,
  { companyId, from, to, sha256, now }: ArchivableRange & { sha256: string; now: number },
): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    select remove_archived_audit(${companyId}::integer, ${from}::integer, ${to}::integer, ${sha256}, ${now}::bigint) as removed`.execute(
    db,
  )
  return rows[0]?.removed ?? 0
}

/** Returns the log index up to which entries are archived (exclusive). */
export async function readArchivedEnd(db: DatabaseHandle, companyId: number): Promise<number> {
  const { rows } = await sql<{ upto: number }>`
    select coalesce(max(to_index), 0) as upto from audit_archive where company_id = ${companyId}`.execute(db)
  return rows[0]?.upto ?? 0
}

/** Returns whether the trail contains the entry of `archiveOldEntries` about the latest archive. Returns true if there is no archive. */
export async function isArchiveRecorded(db: DatabaseHandle, companyId: number): Promise<boolean> {
  const { rows } = await sql<{ recorded: boolean }>`
    select exists (select from audit_entry entry
      where entry.company_id = ${companyId} and entry.code = 'system' and entry.operation = 'remove'
        and entry.info @> jsonb_build_object('Sha256', newest.sha256, 'To', newest.to_index - 1)) as recorded
    from audit_archive newest where newest.company_id = ${companyId} order by newest.to_index desc limit 1`.execute(db)
  return rows[0]?.recorded ?? true
}
