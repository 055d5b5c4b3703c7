/** The trail: who did what, when, by which write. Rows are added and never changed (S-91). */
import { sql } from 'kysely'
import { behind } from '#server/db/client.ts'
import type { Handle, TrailNote } from '#server/house.ts'

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
export async function addToTrail(db: Handle, entry: TrailEntry, notes: readonly TrailNote[]): Promise<void> {
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
    .modifyEnd(sql.raw(behind))
    .execute()
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
