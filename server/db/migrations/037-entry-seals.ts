/** The seal of an entry that waits for its place in the log (decision 67). `sealWaitingEntries` seals what waits already. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_pending add column seal text`.execute(db)
}
