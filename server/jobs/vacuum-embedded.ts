/**
 * Vacuums the embedded database, which has no autovacuum. This frees the space of overwritten rows and updates the visibility map, without
 * which counting and listing read each row. The thresholds are those of PostgreSQL's autovacuum.
 */
import { sql } from 'kysely'
import type { AppContext } from '#server/context/context.ts'

/** Returns the tables to vacuum, those with the most dead and inserted rows first. */
async function findDueTables({ database: { kysely } }: AppContext): Promise<{ schema: string; name: string }[]> {
  // The flushed statistics become visible after the next statement.
  await sql`select pg_stat_force_next_flush()`.execute(kysely)
  await sql`select 1`.execute(kysely)
  const { rows } = await sql<{ schema: string; name: string }>`
    select schemaname as schema, relname as name from pg_stat_user_tables
    where n_dead_tup > 50 + 0.2 * n_live_tup or n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
      or n_mod_since_analyze > 500 + 0.1 * n_live_tup
    order by n_dead_tup + n_ins_since_vacuum desc`.execute(kysely)
  return rows
}

/**
 * Vacuums the tables one by one, so that requests can run in between. `vacuum` must run as the owner and outside of a transaction. Returns
 * the number of tables, or 0 on PostgreSQL.
 */
export async function vacuumEmbedded(app: AppContext): Promise<number> {
  if (!app.database.dumpTo) return 0
  const tables = await findDueTables(app)
  for (const { schema, name } of tables)
    await sql`vacuum (analyze) ${sql.id(schema, name)}`.execute(app.database.kysely)
  return tables.length
}
