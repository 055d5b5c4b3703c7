/** Migrates the database or checks its schema at the start, with the login that is allowed to do so. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Logger } from 'pino'
import { type Config, StartProblem } from '#server/config/config.ts'
import { describePostgresAddress } from '#server/config/postgres-address.ts'
import { type AppliedMigration, compareSchema, migrate, readAppliedMigrations } from '#server/db/migrate.ts'
import { connectToServer } from '#server/db/postgres/connect.ts'
import type { ServerClient } from '#server/db/postgres/server-client.ts'
import { createServerTarget, type ServerTarget } from '#server/config/postgres-target.ts'
import { checkLogin, checkServer, toStartProblem } from '#server/db/postgres/start-checks.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

/**
 * Limits in ms at the start. A database that is just starting may be slow, and no user waits. A refused connection fails without a wait. A
 * migration may take as long as it needs.
 */
export const startLimits = { connectMs: 30_000, queryMs: 0 }

/** Returns the names of the migrations that it ran. Throws StartProblem. */
export async function migrateServer(url: string, log: Logger): Promise<string[]> {
  const target = createServerTarget(url, 'portal-migrate')
  try {
    const client = await connectToServer(target, startLimits)
    try {
      await checkServer(client)
      const onPause = () =>
        log.warn(
          { event: 'migration_waits' },
          'another statement uses a table that a migration changes: the migration is tried again in a few seconds',
        )
      const appliedMigrations = await migrate(createClientKysely(client), undefined, {}, { onPause })
      if (appliedMigrations.length > 0)
        log.info({ event: 'database_migrated', migrations: appliedMigrations }, 'the database schema was migrated')
      return appliedMigrations
    } finally {
      await client.end().catch(() => undefined)
    }
  } catch (error) {
    throw toStartProblem(error, target)
  }
}

/**
 * Makes sure that the schema is the one of this build, or a newer compatible one, and that the login of DATABASE_URL can serve. Returns the
 * names of the migrations that it ran. Throws StartProblem.
 */
export async function prepareSchema(
  { migrateDatabaseUrl, migrateAtStart }: Pick<Config, 'migrateDatabaseUrl' | 'migrateAtStart'>,
  databaseUrl: string,
  { client, target }: { client: ServerClient; target: ServerTarget },
  log: Logger,
): Promise<string[]> {
  const kysely = createClientKysely(client)
  const migratesAtStart = migrateDatabaseUrl !== null && migrateAtStart
  let names = migratesAtStart ? await migrateServer(migrateDatabaseUrl, log) : []
  const mayChangeSchema = await canChangeSchema(kysely)
  let applied = await readAsServingLogin(kysely, mayChangeSchema, () => checkLogin(client, log))
  if (compareSchema(applied).missingNames.length > 0 && mayChangeSchema && migrateAtStart && !migratesAtStart) {
    log.warn(
      { event: 'migration_login_missing' },
      'MIGRATE_DATABASE_URL is not set: the login that serves requests also changes the schema',
    )
    names = await migrateServer(databaseUrl, log)
    applied = await readAsServingLogin(kysely, mayChangeSchema, async () => undefined)
  }
  const { missingNames, newerNames } = compareSchema(applied)
  if (missingNames.length > 0) throw createMissingProblem(target, missingNames)
  if (newerNames.length > 0)
    log.info(
      { event: 'database_schema_newer', migrations: newerNames },
      'a newer version has migrated the database in a way that this version can use',
    )
  await checkLogin(client, log)
  return names
}

const createMissingProblem = ({ address }: ServerTarget, missingNames: readonly string[]) =>
  new StartProblem(
    `The database at ${describePostgresAddress(address)} lacks the migration ${missingNames.at(-1)} of this version: ` +
      'run "node main.ts migrate" with MIGRATE_DATABASE_URL set to the login that owns the schema.',
  )

/** Runs queries on one connection, one after another. The caller closes the connection. */
const createClientKysely = (client: ServerClient): Kysely<DatabaseTables> =>
  new Kysely<DatabaseTables>({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => Object.assign(client, { release: () => undefined }),
        end: async () => undefined,
        options: {},
      },
    }),
  })

/** Returns whether the login owns the tables, or may create them in an empty database. */
async function canChangeSchema(kysely: Kysely<DatabaseTables>): Promise<boolean> {
  const { rows } = await sql<{ canChange: boolean | null }>`select coalesce(
      (select pg_has_role(current_user, relowner, 'usage') from pg_class where oid = to_regclass('kysely_migration')),
      has_schema_privilege(current_user, current_schema()::text, 'create')) as "canChange"`.execute(kysely)
  return rows[0]?.canChange === true
}

/**
 * Reads the applied migrations with the rights of the serving login. Returns none if the tables are missing, or if they are so old that
 * this login may not read them.
 */
async function readAsServingLogin(
  kysely: Kysely<DatabaseTables>,
  mayChangeSchema: boolean,
  checkRoles: () => Promise<void>,
): Promise<AppliedMigration[]> {
  if (mayChangeSchema) return readAppliedMigrations(kysely)
  const { rows } = await sql<{ table: unknown }>`select to_regclass('kysely_migration') as table`.execute(kysely)
  if (!rows[0]?.table) return []
  await checkRoles()
  return kysely.transaction().execute(async (db) => {
    await sql`set local role portal_system`.execute(db)
    const { rows: rights } = await sql<{ canRead: boolean }>`
      select has_table_privilege('kysely_migration', 'select') as "canRead"`.execute(db)
    return rights[0]?.canRead ? readAppliedMigrations(db) : []
  })
}
