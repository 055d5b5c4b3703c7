/**
 * What PostgreSQL does by itself and the embedded engine does not: rows that were overwritten give their room back, and pages of which
 * everybody sees all are marked so, or counting and listing read each row of them again. By the thresholds of PostgreSQL's autovacuum.
 */
import { sql } from 'kysely'
import type { AppContext } from '#server/context/context.ts'

/** Tables worth it, largest gain first. As the owner, outside of a transaction: `vacuum` takes none. */
async function findDueTables({ database: { kysely } }: AppContext): Promise<{ schema: string; name: string }[]> {
  // Counts are published with the statement that follows.
  await sql`select pg_stat_force_next_flush()`.execute(kysely)
  await sql`select 1`.execute(kysely)
  const { rows } = await sql<{ schema: string; name: string }>`
    select schemaname as schema, relname as name from pg_stat_user_tables
    where n_dead_tup > 50 + 0.2 * n_live_tup or n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
      or n_mod_since_analyze > 500 + 0.1 * n_live_tup
    order by n_dead_tup + n_ins_since_vacuum desc`.execute(kysely)
  return rows
}

/** One table after the other; requests get their turn in between. Answers how many; 0 on PostgreSQL. */
export async function vacuumEmbedded(app: AppContext): Promise<number> {
  if (!app.database.dumpTo) return 0
  const tables = await findDueTables(app)
  for (const { schema, name } of tables)
    await sql`vacuum (analyze) ${sql.id(schema, name)}`.execute(app.database.kysely)
  return tables.length
}
