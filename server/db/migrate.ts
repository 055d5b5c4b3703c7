/**
 * Migrates the database, and decides whether this build can use a database that a newer build has migrated. If several servers start at the
 * same time, the migrator's advisory lock makes them wait.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Migrator } from 'kysely/migration'
import { type Kysely, sql } from 'kysely'
import { StartProblem } from '#server/config/config.ts'
import { loadMigrations, listMigrationNames, type MigrationModule } from '#server/db/migrations/index.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

export interface AppliedMigration {
  name: string
  /** Null if it was applied by a build that did not record the kind. */
  kind: string | null
}

export interface SchemaState {
  /** Migrations of this build that the database does not have. */
  missingNames: string[]
  /** Compatible migrations of newer builds that the database has. */
  newerNames: string[]
}

/** Migrations of a test in addition to those of this build. */
export type ExtraMigrations = Record<string, MigrationModule>

/**
 * How a migration waits for a table that another statement uses. While it waits, all other statements on this table wait behind it, so it gives
 * up soon, and all migrations of the transaction are tried again after a pause.
 */
export interface LockWait {
  /** Wait for one lock, in ms. */
  lockMs: number
  pauseMs: number
  maxAttempts: number
  /** Called before each pause. */
  onPause?: () => void
}

/** About three minutes: longer than a statement of the portal may take, and shorter than supervisors wait for a start. */
const defaultLockWait: LockWait = { lockMs: 2000, pauseMs: 4000, maxAttempts: 30 }

const lockNotAvailable = '55P03'

/** Returns the names of the migrations that it ran. `lastMigration` lets tests stop at an earlier one. */
export async function migrate(
  kysely: Kysely<DatabaseTables>,
  lastMigration?: string,
  extraMigrations: ExtraMigrations = {},
  lockWait: Partial<LockWait> = {},
): Promise<string[]> {
  const names = [...listMigrationNames(), ...Object.keys(extraMigrations)]
  const { missingNames } = compareSchema(await readAppliedMigrations(kysely), names)
  // Avoids the migrator at every start except the first one of a build, because it inspects every table, which would take a third of the
  // start time.
  if (lastMigration === undefined && missingNames.length === 0) {
    await createKindTable(kysely)
    return []
  }
  const { lockMs, pauseMs, maxAttempts, onPause } = { ...defaultLockWait, ...lockWait }
  const migrations = { ...(await loadMigrations(listMigrationNames())), ...extraMigrations }
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => prepareMigrations(migrations, lockMs) },
  })
  for (let attempt = 1; ; attempt++) {
    const { error, results = [] } = lastMigration
      ? await migrator.migrateTo(lastMigration)
      : await migrator.migrateToLatest()
    if (!error) return results.map(({ migrationName }) => migrationName)
    const isLocked = getSqlState(error) === lockNotAvailable
    if (!isLocked || attempt === maxAttempts)
      throw createMigrationProblem(
        error,
        results.find(({ status }) => status === 'Error')?.migrationName,
        isLocked
          ? `another statement did not release a table in ${maxAttempts} attempts; end it, and start again`
          : null,
      )
    onPause?.()
    await sleep(pauseMs)
  }
}

function createMigrationProblem(error: unknown, failedMigration: string | undefined, knownReason: string | null) {
  const reason = knownReason ?? (error instanceof Error ? error.message : String(error))
  const name = failedMigration ? ` (${failedMigration})` : ''
  return new StartProblem(`Could not migrate the database${name}: ${reason}`, { cause: error })
}

/**
 * Compares the database with the migrations of this build. Throws StartProblem if a newer build has applied one that is not compatible: an
 * older build must not write to tables whose meaning has changed.
 */
export function compareSchema(
  appliedMigrations: readonly AppliedMigration[],
  names: readonly string[] = listMigrationNames(),
): SchemaState {
  const appliedNames = appliedMigrations.map(({ name }) => name)
  const newerMigrations = appliedMigrations.filter(({ name }) => !names.includes(name))
  const missingNames = names.filter((name) => !appliedNames.includes(name))
  const breakingMigration = newerMigrations.find(({ kind }) => kind !== 'compatible')
  if (breakingMigration)
    throw new StartProblem(
      `A newer version of the portal has migrated the database (to ${breakingMigration.name}): start that version.`,
    )
  if (newerMigrations[0] && missingNames[0])
    throw new StartProblem(
      `The database has ${newerMigrations[0].name} of another version of the portal, but lacks ${missingNames[0]} of this one: start the newer version.`,
    )
  return { missingNames, newerNames: newerMigrations.map(({ name }) => name) }
}

/** Returns the applied migrations in their order. The login must be the owner of the tables, or have the role portal_system. */
export async function readAppliedMigrations(kysely: Kysely<DatabaseTables>): Promise<AppliedMigration[]> {
  const { rows: tables } = await sql<{ names: unknown; kinds: unknown }>`
    select to_regclass('kysely_migration') as names, to_regclass('migration_kind') as kinds`.execute(kysely)
  if (!tables[0]?.names) return []
  const kind = tables[0].kinds ? sql`(select kind from migration_kind k where k.name = m.name)` : sql`null`
  const { rows } = await sql<AppliedMigration>`
    select name, ${kind} as kind from kysely_migration m order by name`.execute(kysely)
  return rows
}

/**
 * Returns the migrations, each of which waits at most `lockMs` for a lock, and stores its kind, so that an older build can decide whether it can
 * use the database.
 */
function prepareMigrations(
  migrations: Record<string, MigrationModule>,
  lockMs: number,
): Record<string, MigrationModule> {
  const prepare = ([name, migration]: [string, MigrationModule]) => {
    const up: MigrationModule['up'] = async (db) => {
      // Until the end of the transaction. The advisory lock, for which another starting node may wait longer, is set before.
      await sql`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`.execute(db)
      await migration.up(db)
      await createKindTable(db)
      await sql`insert into migration_kind values (${name}, ${migration.kind})
        on conflict (name) do update set kind = excluded.kind`.execute(db)
    }
    return [name, { ...migration, up }] as const
  }
  return Object.fromEntries(Object.entries(migrations).map(prepare))
}

/**
 * Creates the table of kinds. It is no migration, because it must exist before the first migration ends. Serving logins may read it and the
 * migrator's table, so that they can check the schema.
 */
async function createKindTable(db: Kysely<never> | Kysely<DatabaseTables>): Promise<void> {
  const { rows } = await sql<{ kinds: unknown }>`select to_regclass('migration_kind') as kinds`.execute(db)
  if (rows[0]?.kinds) return
  await sql`create table if not exists migration_kind (name text primary key, kind text not null)`.execute(db)
  await sql`grant select on kysely_migration, migration_kind to portal_system`.execute(db)
}
