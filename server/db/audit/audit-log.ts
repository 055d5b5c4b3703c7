/** The log of a company: places of entries, the tree's hashes in tiles, signed checkpoints. Written by the integrator alone. */
import { sql } from 'kysely'
import { edgeTiles, type Tile, widthOf } from '#domain/audit-log/tiles.ts'
import type { Edge } from '#domain/audit-log/tree.ts'
import { hashBytes } from '#domain/audit-log/hash.ts'
import { archivedUpTo } from '#server/db/audit/audit-archive.ts'
import type { Handle } from '#server/db/handle.ts'

const lockSpace = 7801

/** Whether this transaction is the one that writes the company's log, until it ends. */
export async function lockLog(db: Handle, companyId: number): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${lockSpace}, ${companyId}) as taken`.execute(db)
  return rows[0]?.taken === true
}

/** Nobody else writes the company's log until this transaction ends. */
export async function holdLog(db: Handle, companyId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockSpace}, ${companyId})`.execute(db)
}

export interface PendingLog {
  companyId: number
  /** Time of the oldest entry that waits, epoch ms. */
  oldest: number
}

/** The logs that entries wait for. */
export async function pendingLogs(db: Handle): Promise<PendingLog[]> {
  // Ids are drawn in about the order of time, which is as exact as an alarm needs it.
  const { rows } = await sql<PendingLog>`
    select first.company_id as "companyId", coalesce(entry.end_time, 0) as oldest
    from (select company_id, min(entry_id) as id from audit_pending group by company_id) first
    left join audit_entry entry on entry.id = first.id order by first.company_id`.execute(db)
  return rows
}

export async function countPending(db: Handle, companyId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_pending where company_id = ${companyId}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface Pending {
  id: number
  /** Null: the entry is gone. */
  leaf: string | null
  seal: string | null
}

export async function pendingEntries(db: Handle, companyId: number, most: number): Promise<Pending[]> {
  const { rows } = await sql<Pending>`
    select pending.entry_id as id, entry.leaf, pending.seal from audit_pending pending
    left join audit_entry entry on entry.id = pending.entry_id
    where pending.company_id = ${companyId} order by pending.entry_id limit ${most}`.execute(db)
  return rows
}

/** Entries that are in an archive have their places too, also where none came after them. */
export async function sizeOf(db: Handle, companyId: number): Promise<number> {
  const last = await db
    .selectFrom('audit_leaf')
    .select('log_index')
    .where('company_id', '=', companyId)
    .orderBy('log_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last ? last.log_index + 1 : archivedUpTo(db, companyId)
}

/** What it takes to append to the log. Tiles are cut to the size: the rest of a tile is not there yet for this size. */
export async function edgeOf(db: Handle, companyId: number, size: number): Promise<Edge> {
  const tiles = await Promise.all(
    edgeTiles(size).map(async ({ level, index }) => {
      const hashes = (await tileOf(db, companyId, level, index)) ?? new Uint8Array()
      return { level, index, hashes: hashes.slice(0, widthOf({ level, index }, size) * hashBytes) }
    }),
  )
  return { size, tiles }
}

export async function tileOf(db: Handle, companyId: number, level: number, index: number): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom('audit_tile')
    .select('hashes')
    .where('company_id', '=', companyId)
    .where('level', '=', level)
    .where('tile_index', '=', index)
    .executeTakeFirst()
  return row ? new Uint8Array(row.hashes) : null
}

export async function countTiles(db: Handle, companyId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from audit_tile where company_id = ${companyId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Entries take the places from `from` on, in this order, and wait no longer; the tiles that changed are written. */
export async function appendEntries(
  db: Handle,
  companyId: number,
  { from, ids, changed }: { from: number; ids: readonly number[]; changed: readonly Tile[] },
): Promise<void> {
  const leaves = ids.map((entry_id, at) => ({ company_id: companyId, log_index: from + at, entry_id }))
  await sql`
    with placed as (
      insert into audit_leaf (company_id, log_index, entry_id)
      select company_id, log_index, entry_id from jsonb_to_recordset(${JSON.stringify(leaves)}::jsonb)
        as leaf(company_id integer, log_index integer, entry_id integer))
    delete from audit_pending where entry_id = any(${ids as number[]}::integer[])`.execute(db)
  for (const { level, index, hashes } of changed)
    await db
      .insertInto('audit_tile')
      .values({ company_id: companyId, level, tile_index: index, hashes })
      .onConflict((conflict) => conflict.columns(['company_id', 'level', 'tile_index']).doUpdateSet({ hashes }))
      .execute()
}

export interface Checkpoint {
  size: number
  note: string
  /** Epoch ms. */
  time: number
}

export interface StoredCheckpoint extends Checkpoint {
  /** It stays when a newer one comes. */
  kept: boolean
}

export async function newestCheckpoint(db: Handle, companyId: number): Promise<StoredCheckpoint | null> {
  const row = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'end_time as time', 'kept'])
    .where('company_id', '=', companyId)
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** All of them, the smallest first. */
export function listCheckpoints(db: Handle, companyId: number): Promise<StoredCheckpoint[]> {
  return db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'end_time as time', 'kept'])
    .where('company_id', '=', companyId)
    .orderBy('size')
    .execute()
}

/** Notes that name a next key, the newest of each key. */
export async function handoverNotes(db: Handle, companyId: number): Promise<string[]> {
  const { rows } = await sql<{ note: string }>`
    select distinct on (named) note from (
      select note, size, substring(note from E'\nnext key ([^\n]+)\n') as named
      from audit_checkpoint where company_id = ${companyId}) noted
    where named is not null order by named, size desc`.execute(db)
  return rows.map(({ note }) => note)
}

/** Takes the place of the newest one, unless that is to be kept. */
export async function putCheckpoint(
  db: Handle,
  companyId: number,
  { size, note, time }: Checkpoint,
  before: { size: number; isKept: boolean } | null,
): Promise<void> {
  if (before) {
    const newest = { company_id: companyId, size: before.size }
    if (before.isKept) await keepCheckpoint(db, newest)
    await db.deleteFrom('audit_checkpoint').where('company_id', '=', companyId).where('kept', '=', false).execute()
  }
  await db
    .insertInto('audit_checkpoint')
    .values({ company_id: companyId, size, note, end_time: time, mail_time: null })
    .execute()
}

/** It stays when a newer one comes. */
async function keepCheckpoint(db: Handle, one: { company_id: number; size: number }): Promise<void> {
  await db
    .updateTable('audit_checkpoint')
    .set({ kept: true })
    .where('company_id', '=', one.company_id)
    .where('size', '=', one.size)
    .execute()
}

export interface MailedLog {
  companyId: number
  size: number
}

/** The newest checkpoints of companies that were sent none since `before` (epoch ms), although their log has grown. */
export async function checkpointsToMail(db: Handle, before: number): Promise<MailedLog[]> {
  const { rows } = await sql<MailedLog>`
    select newest.company_id as "companyId", newest.size
    from (select company_id, max(size) as size, max(size) filter (where mail_time is not null) as mailed,
      max(mail_time) as last from audit_checkpoint group by company_id) newest
    join company on company.id = newest.company_id
    where coalesce(newest.last, company.create_time) <= ${before}::bigint and newest.size > coalesce(newest.mailed, 0)
    order by newest.company_id`.execute(db)
  return rows
}

export async function markMailed(db: Handle, { companyId, size }: MailedLog, now: number): Promise<void> {
  await db
    .updateTable('audit_checkpoint')
    .set({ kept: true, mail_time: now })
    .where('company_id', '=', companyId)
    .where('size', '=', size)
    .execute()
}

export async function checkpointOf(db: Handle, { companyId, size }: MailedLog): Promise<Checkpoint | null> {
  const row = await db
    .selectFrom('audit_checkpoint')
    .select(['size', 'note', 'end_time as time'])
    .where('company_id', '=', companyId)
    .where('size', '=', size)
    .executeTakeFirst()
  return row ?? null
}
