/** Loads the migrations in the order of their file names. A released migration is never edited. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Migration } from 'kysely/migration'
import { StartProblem } from '#server/config/config.ts'
import { latestMigration } from '#server/db/tables/tables.ts'

const migrationsFolder = import.meta.dirname

/**
 * `compatible` if servers of the previous build keep working on the migrated database: the migration only adds. Otherwise `breaking`: all
 * servers must be replaced at the same time.
 */
export type MigrationKind = 'compatible' | 'breaking'

export interface MigrationModule extends Migration {
  kind: MigrationKind
}

/**
 * Returns names such as `049-column-names`. Throws StartProblem if a file has a wrong name, or if the last file is not the last migration
 * of this version.
 */
export function listMigrationNames(folder = migrationsFolder, latestName: string = latestMigration): string[] {
  const files = readdirSync(folder).filter((file) => /^\d/.test(file))
  const misnamedFile = files.find((file) => !/^\d{3}-[a-z0-9-]+\.ts$/.test(file))
  if (misnamedFile !== undefined)
    throw new StartProblem(
      `${join(folder, misnamedFile)} is not named like a migration: rename it, for example to 049-column-names.ts.`,
    )
  const names = files.map((file) => file.slice(0, -'.ts'.length)).sort()
  if (names.at(-1) !== latestName)
    throw new StartProblem(
      `The last migration of this version is ${latestName}, but the last one in ${folder} is ${names.at(-1) ?? 'missing'}: ` +
        'install this version into an empty folder. If you added a migration, set latestMigration in server/db/tables/tables.ts.',
    )
  return names
}

/** Throws StartProblem if a file does not export `up`. A file without a kind is `breaking`. */
export async function loadMigrations(
  names: readonly string[],
  folder = migrationsFolder,
): Promise<Record<string, MigrationModule>> {
  const load = async (name: string) => [name, await loadMigration(join(folder, `${name}.ts`))] as const
  return Object.fromEntries(await Promise.all(names.map(load)))
}

async function loadMigration(file: string): Promise<MigrationModule> {
  const {
    up,
    down,
    kind = 'breaking',
  } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Partial<MigrationModule>
  if (typeof up !== 'function') throw new StartProblem(`${file} is not a migration: it does not export up.`)
  if (kind !== 'compatible' && kind !== 'breaking')
    throw new StartProblem(`${file} must export the kind 'compatible' or 'breaking'.`)
  return { up, kind, ...(down ? { down } : {}) }
}
