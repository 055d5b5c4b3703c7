/** Opens the configured database and migrates it. Throws StartProblem with one clear sentence. */
import type { Logger } from 'pino'
import type { Config } from '#server/config/config.ts'
import { openEmbeddedDatabase } from '#server/db/embedded/open.ts'
import type { Database } from '#server/db/database.ts'
import { openPostgres } from '#server/db/postgres.ts'

export const openDatabase = (config: Config, log: Logger): Promise<Database> =>
  config.databaseUrl === null ? openEmbeddedDatabase(config, log) : openPostgres(config, config.databaseUrl, log)
