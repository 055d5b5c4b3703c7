/** Adds seals of entries that wait for their position in the log (decision 67). `sealWaitingEntries` seals entries without a seal. */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_pending add column seal text`.execute(db)
}
