/** When a user was last sent an activation mail; null: when the user was created. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Epoch ms.
  await sql`alter table portal_user add column invite_time bigint`.execute(db)
}
