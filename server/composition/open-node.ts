import type { Logger } from 'pino'
import { openCheckpointStore } from '#server/composition/open-checkpoint-store.ts'
import { type BackupSettings, readBackupSettings } from '#server/config/backup-config.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { type Config, type EnvironmentVariables, readConfig } from '#server/config/config.ts'
import { type NodeSettings, readNodeSettings } from '#server/config/node-config.ts'
import { type PaymentConfig, readPaymentSettings } from '#server/config/payment-config.ts'
import { createLogger } from '#server/context/log.ts'
import type { Database } from '#server/db/database.ts'
import { openDatabase } from '#server/db/open.ts'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import type { HealthListener } from '#server/http/health/health-listener.ts'

/** What a server and a worker have in common before their database is open. */
export interface OpenedNode {
  config: Config
  log: Logger
  settings: NodeSettings
  payments: PaymentConfig
  backups: BackupSettings
  checkpointStore: CheckpointStore
}

/** What a server and a worker start with. */
export interface NodeOptions extends OpenedNode {
  databasePromise: Promise<Database>
  /** Null if there is no port for health checks. */
  health: HealthListener | null
  hostedProgram: string
}

/** Reads all settings. Throws StartProblem if one is invalid. */
export function openNode(env: EnvironmentVariables): OpenedNode & { openDatabase(): Promise<Database> } {
  const config = readConfig(env)
  const log = createLogger(config.logLevel)
  return {
    config,
    log,
    settings: readNodeSettings(env, config),
    payments: readPaymentSettings(env, config),
    backups: readBackupSettings(env, config),
    checkpointStore: openCheckpointStore(readCheckpointSettings(env, config)),
    // The embedded database opens in its own thread. Meanwhile the caller's thread loads other modules.
    openDatabase() {
      const databasePromise = openDatabase(config, log)
      databasePromise.catch(() => undefined)
      return databasePromise
    },
  }
}
