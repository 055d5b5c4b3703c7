/** Brings a database to this build's shape. Several servers may start at once: the migrator takes an advisory lock. */
import { Migrator } from 'kysely/migration'
import type { Kysely } from 'kysely'
import { StartProblem } from '#server/config.ts'
import { migrations } from '#server/db/migrations/index.ts'
import type { Tables } from '#server/db/tables.ts'

/** Runs what has not run yet and answers its names. `upTo` is for tests that stop on the way. */
export async function migrate(kysely: Kysely<Tables>, upTo?: string): Promise<string[]> {
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } })
  await refuseNewer(migrator, kysely)
  const { error, results = [] } = upTo ? await migrator.migrateTo(upTo) : await migrator.migrateToLatest()
  if (error) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartProblem(`The database could not be brought up to date${failed ? ` (${failed})` : ''}: ${reason}`, {
      cause: error,
    })
  }
  return results.map(({ migrationName }) => migrationName)
}

/** An older build must not write into tables that it does not know. */
async function refuseNewer(migrator: Migrator, kysely: Kysely<Tables>): Promise<void> {
  const tables = await kysely.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return
  const known = new Set((await migrator.getMigrations()).map(({ name }) => name))
  const ran = await kysely
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  const unknown = ran.find(({ name }) => !known.has(name))
  if (!unknown) return
  throw new StartProblem(
    `The database was made by a newer version of the portal (it has ${unknown.name}): start that version.`,
  )
}
