/** Migrates the database at the start. If several servers start at the same time, the migrator's advisory lock makes them wait. */
import { Migrator } from 'kysely/migration'
import { type Kysely, sql } from 'kysely'
import { StartProblem } from '#server/config/config.ts'
import { listMigrationNames, loadMigrations } from '#server/db/migrations/index.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

/** Returns the names of the migrations that it ran. `lastMigration` lets tests stop at an earlier one. */
export async function migrate(kysely: Kysely<DatabaseTables>, lastMigration?: string): Promise<string[]> {
  const names = listMigrationNames()
  const appliedMigrations = await readAppliedMigrations(kysely)
  requireKnownMigrations(appliedMigrations, names)
  // Avoids the migrator at every start except the first one of a build, because it inspects every table, which would take a third of the
  // start time.
  if (lastMigration === undefined && appliedMigrations.length === names.length) return []
  const migrations = await loadMigrations(names)
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } })
  const { error, results = [] } = lastMigration
    ? await migrator.migrateTo(lastMigration)
    : await migrator.migrateToLatest()
  if (error) {
    const failedMigration = results.find(({ status }) => status === 'Error')?.migrationName
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartProblem(
      `Could not migrate the database${failedMigration ? ` (${failedMigration})` : ''}: ${reason}`,
      {
        cause: error,
      },
    )
  }
  return results.map(({ migrationName }) => migrationName)
}

async function readAppliedMigrations(kysely: Kysely<DatabaseTables>): Promise<string[]> {
  const { rows: tables } = await sql<{ it: unknown }>`select to_regclass('kysely_migration') as it`.execute(kysely)
  if (tables[0]?.it === null) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(kysely)
  return rows.map(({ name }) => name)
}

/** Throws StartProblem if the database has a migration that this build does not have: an older build must not write to newer tables. */
function requireKnownMigrations(appliedMigrations: readonly string[], names: readonly string[]): void {
  const unknownMigration = appliedMigrations.find((name) => !names.includes(name))
  if (unknownMigration === undefined) return
  throw new StartProblem(
    `A newer version of the portal has migrated the database (to ${unknownMigration}): start that version.`,
  )
}
