/** Brings a database to this build's shape. Several servers may start at once: the migrator takes an advisory lock. */
import { Migrator } from 'kysely/migration'
import { type Kysely, sql } from 'kysely'
import { StartProblem } from '#server/config/config.ts'
import { listMigrationNames, loadMigrations } from '#server/db/migrations/index.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

/** Runs what has not run yet and answers its names. `lastMigration` is for tests that stop on the way. */
export async function migrate(kysely: Kysely<DatabaseTables>, lastMigration?: string): Promise<string[]> {
  const names = listMigrationNames()
  const appliedMigrations = await readAppliedMigrations(kysely)
  requireKnownMigrations(appliedMigrations, names)
  // Every start but the first of a build ends here: the migrator alone, which looks at every table, would be a third of it.
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
      `The database could not be brought up to date${failedMigration ? ` (${failedMigration})` : ''}: ${reason}`,
      {
        cause: error,
      },
    )
  }
  return results.map(({ migrationName }) => migrationName)
}

/** Names of the migrations that this database has had; empty before the first. */
async function readAppliedMigrations(kysely: Kysely<DatabaseTables>): Promise<string[]> {
  const { rows: tables } = await sql<{ it: unknown }>`select to_regclass('kysely_migration') as it`.execute(kysely)
  if (tables[0]?.it === null) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(kysely)
  return rows.map(({ name }) => name)
}

/** An older build must not write into tables that it does not know. */
function requireKnownMigrations(appliedMigrations: readonly string[], names: readonly string[]): void {
  const unknownMigration = appliedMigrations.find((name) => !names.includes(name))
  if (unknownMigration === undefined) return
  throw new StartProblem(
    `The database was made by a newer version of the portal (it has ${unknownMigration}): start that version.`,
  )
}
