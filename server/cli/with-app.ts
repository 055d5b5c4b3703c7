import pino from 'pino'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { readEnvironment } from '#server/config/secret-files.ts'
import type { AppContext } from '#server/context/context.ts'
import { readTokenKeyFile } from '#server/db/accounts/token-key.ts'
import { readFilesSettings } from '#server/config/files-config.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { openFiles } from '#server/composition/open-files.ts'
import { openCheckpointStore } from '#server/composition/open-checkpoint-store.ts'
import { openClusterClock } from '#server/db/cluster/cluster-clock.ts'
import { openDatabase } from '#server/db/open.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'

/** Returns the context of a command-line program: without payments, hosting and backups. */
export const createCommandContext = ({
  config,
  database,
  log,
  clock,
  files,
  checkpointStore,
}: Pick<AppContext, 'config' | 'database' | 'log' | 'clock' | 'files' | 'checkpointStore'>): AppContext => ({
  config,
  database,
  log,
  clock,
  payments: noPaymentMethods,
  hosting: noHosting,
  backups: noBackups,
  files,
  checkpointStore,
})

/**
 * Runs `work` with the configured database, then closes the database. Like the start of the server, it prints a StartProblem as one
 * sentence and sets exit code 1.
 */
export async function withApp(work: (app: AppContext) => Promise<void>): Promise<void> {
  try {
    const env = readEnvironment()
    const config = readConfig(env)
    const log = pino({ level: 'warn' })
    const files = openFiles(readFilesSettings(env, config), config)
    const checkpointStore = openCheckpointStore(readCheckpointSettings(env, config))
    const database = await openDatabase(config, log)
    const clusterClock = await openClusterClock(database, log).catch(async (error: unknown) => {
      await database.close()
      throw error
    })
    try {
      const tokenKey = config.isTokenKeyConfigured ? config.tokenKey : await readTokenKeyFile(config)
      const clock = clusterClock.now
      const context = { config: { ...config, tokenKey }, database, log, clock, files, checkpointStore }
      await work(createCommandContext(context))
    } finally {
      clusterClock.close()
      await Promise.all([database, files, checkpointStore].map((resource) => resource.close()))
    }
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
