import type { Logger } from 'pino'
import { openCheckpointStore } from '#server/composition/open-checkpoint-store.ts'
import { openFiles } from '#server/composition/open-files.ts'
import { type BackupSettings, readBackupSettings } from '#server/config/backup-config.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { type Config, type EnvironmentVariables, readConfig } from '#server/config/config.ts'
import { readFilesSettings } from '#server/config/files-config.ts'
import { type HostingSettings, readHostingSettings } from '#server/config/hosting-config.ts'
import { type NodeSettings, readNodeSettings } from '#server/config/node-config.ts'
import { type PaymentConfig, readPaymentSettings } from '#server/config/payment-config.ts'
import { createLogger } from '#server/context/log.ts'
import type { Database } from '#server/db/database.ts'
import { openDatabase } from '#server/db/open.ts'
import type { CheckpointSettings, CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import type { HealthListener } from '#server/http/health/health-listener.ts'

/** What a server and a worker have in common before their database is open. */
export interface OpenedNode {
  config: Config
  log: Logger
  settings: NodeSettings
  payments: PaymentConfig
  hosting: HostingSettings
  backups: BackupSettings
  files: FileStore
  checkpoints: CheckpointSettings
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
  const checkpoints = readCheckpointSettings(env, config)
  return {
    config,
    log,
    settings: readNodeSettings(env, config),
    payments: readPaymentSettings(env, config),
    hosting: readHostingSettings(env, config),
    backups: readBackupSettings(env, config),
    files: openFiles(readFilesSettings(env, config), config),
    checkpoints,
    checkpointStore: openCheckpointStore(checkpoints),
    // The embedded database opens in its own thread. Meanwhile the caller's thread loads other modules.
    openDatabase() {
      const databasePromise = openDatabase(config, log)
      databasePromise.catch(() => undefined)
      return databasePromise
    },
  }
}
