/** Adds the browser that first opened a ticket. It may repeat its request for a minute (decision 73). */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // SHA-256 of the browser's cookie. Null if there was no cookie or the ticket is unopened.
  await sql`alter table ticket add column browser text collate "C"`.execute(db)
}
