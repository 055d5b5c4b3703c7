/** Adds the running nodes, so that a node that starts can compare its settings with theirs (decision 97). */
import { type Kysely, sql } from 'kysely'
import { allow } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Times are epoch ms.
  await sql`
    create table node (
      id text collate "C" primary key,
      host_name text not null,
      role text collate "C" not null check (role in ('serve', 'worker')),
      build text not null,
      started_at bigint not null,
      seen_at bigint not null
    )`.execute(db)
  await allow(db, 'node', [], ['select', 'insert', 'update', 'delete'])
}
