/** The trail: who did what, when, by which write. Rows are added and never changed (S-91). */
import { sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { AuditEntry } from '#server/context.ts'

export interface TrailEntry {
  companyId: number
  userId: number | null
  now: number
  /** -1: it failed. */
  status: 0 | -1
  intent: string | null
  requestId: string
}

/** The table gives id, previous and hash by itself, behind the company's lock: add it late in a transaction. */
export async function addToTrail(db: Handle, entry: TrailEntry, notes: readonly AuditEntry[]): Promise<void> {
  if (notes.length === 0) return
  const name = sql<string>`coalesce((select name from portal_user where id = ${entry.userId}::integer), '')`
  await db
    .insertInto('trail')
    .values(
      notes.map((note) => ({
        id: 0,
        company_id: entry.companyId,
        code: note.code,
        operation: note.operation,
        exec_user_id: entry.userId,
        exec_user_name: name,
        end_time: entry.now,
        status: entry.status,
        info: JSON.stringify(note.info),
        intent: entry.intent,
        request_id: entry.requestId,
      })),
    )
    .execute()
}

export interface Author {
  id: number
  name: string
}

/**
 * Whose change left a row as it is: the entry bears the very moment that the row does. `info` says which row it is, where
 * more of them may change in one millisecond. Null: nobody knows, as of rows that came with a backup.
 */
export async function whoLeft(
  db: Handle,
  companyId: number,
  { code, info, at }: Pick<AuditEntry, 'code' | 'info'> & { at: number },
): Promise<Author | null> {
  const found = await db
    .selectFrom('trail')
    .select(['exec_user_id as id', 'exec_user_name as name'])
    .where('company_id', '=', companyId)
    .where('end_time', '=', at)
    .where('code', '=', code)
    .where('status', '=', 0)
    .where(sql<boolean>`info @> ${JSON.stringify(info)}::jsonb`)
    .orderBy('trail.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found && found.id !== null ? { id: found.id, name: found.name } : null
}

/** A row whose hash is not that of its content, or that does not follow the one before it. */
export interface Broken {
  company_id: number
  id: number
}

/** Walks every company's chain and answers the first broken rows: none, as long as nobody touched the table. */
export async function brokenLinks(db: Handle, most = 10): Promise<Broken[]> {
  const { rows } = await sql<Broken>`
    select company_id, id from (
      select entry.company_id, entry.id, entry.previous, entry.hash, trail_hash(entry) as content,
        lag(entry.hash, 1, '') over (partition by entry.company_id order by entry.id) as before
      from trail entry) links
    where hash is distinct from content or previous is distinct from before
    order by company_id, id limit ${most}`.execute(db)
  return rows
}
