/**
 * Rows of a company's log: positions of entries, tree hashes in tiles, signed checkpoints. Only the integrator (`integrate.ts`) writes
 * them.
 */
import { sql } from 'kysely'
import { listEdgeTiles, type LogTile, getTileWidth } from '#domain/audit-log/tiles.ts'
import type { TreeEdge } from '#domain/audit-log/tree-edge.ts'
import { hashLength } from '#domain/audit-log/hash.ts'
import { readArchivedEnd } from '#server/db/audit/audit-archive.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

const lockSpace = 7801

/** Tries to lock the company's log for writing until the transaction ends. Returns false if another transaction has the lock. */
export async function tryLockLog(db: DatabaseHandle, companyId: number): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${lockSpace}, ${companyId}) as "isLocked"`.execute(db)
  return rows[0]?.isLocked === true
}

export async function waitForLogLock(db: DatabaseHandle, companyId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockSpace}, ${companyId})`.execute(db)
}

export interface PendingLog {
  companyId: number
  /** Time of the oldest waiting entry, epoch ms. */
  oldest: number
}

export async function listPendingLogs(db: DatabaseHandle): Promise<PendingLog[]> {
  // The entry with the lowest id is taken as the oldest one. Ids follow the time only roughly, which is exact enough for a warning about
  // late entries.
  const { rows } = await sql<PendingLog>`
    select first.company_id as "companyId", coalesce(entry.end_time, 0) as oldest
    from (select company_id, min(entry_id) as id from audit_pending group by company_id) first
    left join audit_entry entry on entry.id = first.id order by first.company_id`.execute(db)
  return rows
}

export async function countPendingEntries(db: DatabaseHandle, companyId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_pending where company_id = ${companyId}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface PendingAuditEntry {
  id: number
  /** Null if the entry is missing. */
  leaf: string | null
  seal: string | null
}

export async function listPendingEntries(
  db: DatabaseHandle,
  companyId: number,
  limit: number,
): Promise<PendingAuditEntry[]> {
  const { rows } = await sql<PendingAuditEntry>`
    select pending.entry_id as id, entry.leaf, pending.seal from audit_pending pending
    left join audit_entry entry on entry.id = pending.entry_id
    where pending.company_id = ${companyId} order by pending.entry_id limit ${limit}`.execute(db)
  return rows
}

/** Returns the number of positions. Archived entries keep their positions, also if all entries are archived. */
export async function getLogSize(db: DatabaseHandle, companyId: number): Promise<number> {
  const lastLeaf = await db
    .selectFrom('audit_leaf')
    .select('log_index')
    .where('company_id', '=', companyId)
    .orderBy('log_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return lastLeaf ? lastLeaf.log_index + 1 : readArchivedEnd(db, companyId)
}

/** Returns the hashes needed to append to the log. Hashes of entries from `size` on are left out. */
export async function readEdge(db: DatabaseHandle, companyId: number, size: number): Promise<TreeEdge> {
  const tiles = await Promise.all(
    listEdgeTiles(size).map(async ({ level, index }) => {
      const hashes = (await readTile(db, companyId, level, index)) ?? new Uint8Array()
      return { level, index, hashes: hashes.slice(0, getTileWidth({ level, index }, size) * hashLength) }
    }),
  )
  return { size, tiles }
}

export async function readTile(
  db: DatabaseHandle,
  companyId: number,
  level: number,
  index: number,
): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom('audit_tile')
    .select('hashes')
    .where('company_id', '=', companyId)
    .where('level', '=', level)
    .where('tile_index', '=', index)
    .executeTakeFirst()
  return row ? new Uint8Array(row.hashes) : null
}

export async function countTiles(db: DatabaseHandle, companyId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_tile where company_id = ${companyId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Gives the entries the positions from `from` on, removes them from the waiting entries, and writes the changed tiles. */
export async function appendEntries(
  db: DatabaseHandle,
  companyId: number,
  { from, ids, changedTiles }: { from: number; ids: readonly number[]; changedTiles: readonly LogTile[] },
): Promise<void> {
  const leaves = ids.map((entry_id, offset) => ({ company_id: companyId, log_index: from + offset, entry_id }))
  await sql`
    with placed as (
      insert into audit_leaf (company_id, log_index, entry_id)
      select company_id, log_index, entry_id from jsonb_to_recordset(${JSON.stringify(leaves)}::jsonb)
        as leaf(company_id integer, log_index integer, entry_id integer))
    delete from audit_pending where entry_id = any(${ids as number[]}::integer[])`.execute(db)
  for (const { level, index, hashes } of changedTiles)
    await db
      .insertInto('audit_tile')
      .values({ company_id: companyId, level, tile_index: index, hashes })
      .onConflict((conflict) => conflict.columns(['company_id', 'level', 'tile_index']).doUpdateSet({ hashes }))
      .execute()
}

export interface CheckpointRecord {
  size: number
  note: string
  /** Epoch ms. */
  time: number
}

export interface StoredCheckpoint extends CheckpointRecord {
  /** Whether the checkpoint stays stored after a newer one is stored. */
  is_permanent: boolean
}

export async function readLatestCheckpoint(db: DatabaseHandle, companyId: number): Promise<StoredCheckpoint | null> {
  const row = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'end_time as time', 'is_permanent'])
    .where('company_id', '=', companyId)
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Returns all checkpoints, smallest first. */
export function listCheckpoints(db: DatabaseHandle, companyId: number): Promise<StoredCheckpoint[]> {
  return db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'end_time as time', 'is_permanent'])
    .where('company_id', '=', companyId)
    .orderBy('size')
    .execute()
}

/** Returns the latest note for each next key that a note names. */
export async function listHandoverNotes(db: DatabaseHandle, companyId: number): Promise<string[]> {
  const { rows } = await sql<{ note: string }>`
    select distinct on (named) note from (
      select note, size, substring(note from E'\nnext key ([^\n]+)\n') as named
      from audit_checkpoint where company_id = ${companyId}) noted
    where named is not null order by named, size desc`.execute(db)
  return rows.map(({ note }) => note)
}

/** Stores a checkpoint and deletes the previous one, unless that is permanent or `isRetained` makes it permanent. */
export async function storeCheckpoint(
  db: DatabaseHandle,
  companyId: number,
  { size, note, time }: CheckpointRecord,
  previous: { size: number; isRetained: boolean } | null,
): Promise<void> {
  if (previous) {
    const previousKey = { company_id: companyId, size: previous.size }
    if (previous.isRetained) await retainCheckpoint(db, previousKey)
    await db
      .deleteFrom('audit_checkpoint')
      .where('company_id', '=', companyId)
      .where('is_permanent', '=', false)
      .execute()
  }
  await db
    .insertInto('audit_checkpoint')
    .values({ company_id: companyId, size, note, end_time: time, mail_time: null })
    .execute()
}

async function retainCheckpoint(db: DatabaseHandle, key: { company_id: number; size: number }): Promise<void> {
  await db
    .updateTable('audit_checkpoint')
    .set({ is_permanent: true })
    .where('company_id', '=', key.company_id)
    .where('size', '=', key.size)
    .execute()
}

export interface CheckpointKey {
  companyId: number
  size: number
}

/**
 * Returns the latest checkpoint of each log that has grown since its last mail and got no mail after `mailedBefore` (epoch ms). With
 * `companyId`, only the log of that company is considered.
 */
export async function listCheckpointsToMail(
  db: DatabaseHandle,
  mailedBefore: number,
  companyId: number | null = null,
): Promise<CheckpointKey[]> {
  const { rows } = await sql<CheckpointKey>`
    select newest.company_id as "companyId", newest.size
    from (select company_id, max(size) as size, max(size) filter (where mail_time is not null) as mailed,
      max(mail_time) as last from audit_checkpoint
      where ${companyId}::integer is null or company_id = ${companyId}::integer group by company_id) newest
    join company on company.id = newest.company_id
    where coalesce(newest.last, company.create_time) <= ${mailedBefore}::bigint and newest.size > coalesce(newest.mailed, 0)
    order by newest.company_id`.execute(db)
  return rows
}

export async function markCheckpointMailed(
  db: DatabaseHandle,
  { companyId, size }: CheckpointKey,
  now: number,
): Promise<void> {
  await db
    .updateTable('audit_checkpoint')
    .set({ is_permanent: true, mail_time: now })
    .where('company_id', '=', companyId)
    .where('size', '=', size)
    .execute()
}

export async function findCheckpoint(
  db: DatabaseHandle,
  { companyId, size }: CheckpointKey,
): Promise<CheckpointRecord | null> {
  const row = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'end_time as time'])
    .where('company_id', '=', companyId)
    .where('size', '=', size)
    .executeTakeFirst()
  return row ?? null
}
