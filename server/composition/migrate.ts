/** Runs the command `migrate`: migrates the PostgreSQL database with the login that owns the schema. */
import { openCheckpointStore } from '#server/composition/open-checkpoint-store.ts'
import { openFiles } from '#server/composition/open-files.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { type Config, type EnvironmentVariables, readConfig, StartProblem } from '#server/config/config.ts'
import { readFilesSettings } from '#server/config/files-config.ts'
import { readEnvironment } from '#server/config/secret-files.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { createLogger } from '#server/context/log.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import { readTokenKeyFile } from '#server/db/accounts/token-key.ts'
import { openClusterClock } from '#server/db/cluster/cluster-clock.ts'
import { openPostgres } from '#server/db/postgres.ts'
import { migrateServer } from '#server/db/postgres-schema.ts'
import { sealMigration, sealWaitingEntries } from '#server/use-cases/audit/seal-waiting-entries.ts'

/** Prints one line, and sets exit code 1 if the database could not be migrated. */
export async function migrateDatabase(): Promise<void> {
  try {
    const env = readEnvironment()
    const config = readConfig(env)
    const url = config.migrateDatabaseUrl ?? config.databaseUrl
    if (url === null)
      throw new StartProblem(
        'There is nothing to migrate: set MIGRATE_DATABASE_URL to the login that owns the schema. An embedded database is migrated when the server starts.',
      )
    // This command prints the names.
    const names = await migrateServer(url, createLogger('warn'))
    // An older database has audit entries that its new version must seal.
    if (names.includes(sealMigration) && names.length > 0 && !names[0]?.startsWith('001'))
      await sealEntries(env, config, url)
    console.log(names.length === 0 ? 'The database is up to date.' : `The database was migrated: ${names.join(', ')}.`)
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function sealEntries(env: EnvironmentVariables, config: Config, url: string): Promise<void> {
  const log = createLogger(config.logLevel)
  const files = openFiles(readFilesSettings(env, config), config)
  const checkpointStore = openCheckpointStore(readCheckpointSettings(env, config))
  const database = await openPostgres({ ...config, migrateDatabaseUrl: null, listenDatabaseUrl: null }, url, log)
  const clusterClock = await openClusterClock(database, log)
  try {
    const tokenKey = config.isTokenKeyConfigured ? config.tokenKey : await readTokenKeyFile(config)
    await sealWaitingEntries({
      config: { ...config, tokenKey },
      database,
      log,
      clock: clusterClock.now,
      payments: noPaymentMethods,
      hosting: noHosting,
      backups: noBackups,
      files,
      checkpointStore,
    })
  } finally {
    clusterClock.close()
    await Promise.all([database, files, checkpointStore].map((resource) => resource.close()))
  }
}
