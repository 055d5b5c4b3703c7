/** Adds the session in which a ticket was created. The ticket ends with the session (decision 71). */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for `confirm`. Tickets of the previous build have no session either and are refused; they would have expired within minutes.
  await sql`alter table ticket add column session_id uuid`.execute(db)
}
