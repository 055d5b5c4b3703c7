/** The browser that opened a ticket first: for a minute it may repeat its request (decision 73). */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // SHA-256 of its cookie; null: it had none, or the ticket was not opened yet.
  await sql`alter table ticket add column browser text collate "C"`.execute(db)
}
