/** A house that is ready to serve: database opened and brought up to date, key found, first people there. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Logger } from 'pino'
import { type Config, publicSetting, StartProblem } from '#server/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { factOf } from '#server/db/installation.ts'
import type { Database } from '#server/db/handle.ts'
import { restoredMark } from '#server/db/embedded/restore-dump.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { checkKey, keyOfFolder } from '#server/db/accounts/token-key.ts'
import { demoFact, loadDemoWorld } from '#server/dev/load-demo-data.ts'
import { linkForFirstAdmin } from '#server/first-admin.ts'
import type { AppContext } from '#server/context.ts'
import { beginEpoch } from '#server/services/audit/begin-epoch.ts'
import { type CheckpointStore, noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import type { HostingDriver } from '#server/drivers/hosting/driver.ts'
import { noHosting } from '#server/no-hosting.ts'
import { changeKey } from '#server/services/audit/change-key.ts'
import { sealMigration, sealWaiting } from '#server/services/audit/seal-waiting.ts'
import { type BackupPlaces, noBackups } from '#server/backup-places.ts'
import { noPayments, type Payments } from '#server/payment-methods.ts'

export interface Started {
  app: AppContext
  /** Outside demo mode, until the provider's first admin has a password. */
  firstAdminLink: string | null
}

/** Throws StartProblem; nothing is left open then. `opening`: a database that is on its way already. */
export async function createAppContext(
  config: Config,
  log: Logger,
  clock: () => number = Date.now,
  opening: Promise<Database> = openDatabase(config, log),
  openPayments: () => Promise<Payments> = async () => noPayments,
  hosting: HostingDriver = noHosting,
  backups: BackupPlaces = noBackups,
  checkpointStore: CheckpointStore = noCheckpointStore,
): Promise<Started> {
  const database = await opening
  let payments = noPayments
  try {
    const tokenKey = config.tokenKeyGiven ? config.tokenKey : await keyOfFolder(config)
    payments = await openPayments()
    const app: AppContext = {
      config: { ...config, tokenKey },
      database,
      log,
      clock,
      payments,
      hosting,
      backups,
      checkpointStore,
    }
    await checkKey(app)
    if (database.migrated.includes(sealMigration)) await sealWaiting(app)
    await sayRestored(app)
    await changeKey(app)
    if (config.demo) {
      await loadDemoWorld(app)
      return { app, firstAdminLink: null }
    }
    await refuseDemoWorld(app)
    return { app, firstAdminLink: await linkForFirstAdmin(app) }
  } catch (error) {
    await Promise.all([database, payments, hosting, backups, checkpointStore].map((part) => part.close()))
    throw error
  }
}

/** The database came out of a dump: its logs say so before anything is added to them. Cut off in between, it is said again. */
async function sayRestored(app: AppContext): Promise<void> {
  const mark = restoredMark(app.config.dataDir)
  if (app.database.engine !== 'embedded' || !existsSync(mark)) return
  await beginEpoch(app)
  await rm(mark)
}

/** Everybody knows its passwords, so it is served only where that was asked for, and on this machine alone. */
async function refuseDemoWorld(app: AppContext): Promise<void> {
  const loaded = await inTransaction(app, { role: 'portal_system' }, (db) => factOf(db, demoFact))
  if (!loaded) return
  const reached = publicSetting(app.config)
  throw new StartProblem(
    reached === null
      ? 'This database holds the demo world, whose passwords everybody knows: set DEMO=1 to serve it on this machine, or use another DATA_DIR or DATABASE_URL.'
      : `This database holds the demo world, whose passwords everybody knows, and ${reached} is for more than this machine: use another DATA_DIR or DATABASE_URL, or take a loopback address for HOST and PUBLIC_URL, and no TRUST_PROXY.`,
  )
}
