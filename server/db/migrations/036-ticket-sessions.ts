/** The session that a ticket was made in: it ends with it (decision 71). */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for `confirm`, and for tickets of the build before this one: those are refused, and would have ended within minutes.
  await sql`alter table ticket add column session_id uuid`.execute(db)
}
