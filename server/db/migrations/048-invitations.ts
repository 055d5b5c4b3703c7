/** Adds the time of the user's last activation mail. Null means the creation time of the user. */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Epoch ms.
  await sql`alter table portal_user add column invite_time bigint`.execute(db)
}
