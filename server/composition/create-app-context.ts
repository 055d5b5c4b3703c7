import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { findPublicSetting, StartProblem } from '#server/config/config.ts'
import { readFact } from '#server/db/installation-facts.ts'
import type { Database } from '#server/db/database.ts'
import { getRestoredMarkPath } from '#server/db/embedded/restore-dump.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { checkTokenKey, readTokenKeyFile } from '#server/db/accounts/token-key.ts'
import { type DemoExtension, demoFactName } from '#server/composition/demo.ts'
import { createFirstAdminLink } from '#server/composition/first-admin.ts'
import type { AppContext } from '#server/context/context.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { recordKeyChange } from '#server/use-cases/audit/change-key.ts'
import { sealMigration, sealWaitingEntries } from '#server/use-cases/audit/seal-waiting-entries.ts'
import { noPaymentMethods, type PaymentMethods } from '#server/context/payment-methods.ts'

export interface StartedApp {
  app: AppContext
  /** Set outside demo mode until the provider's first admin has a password. */
  firstAdminLink: string | null
}

interface AppContextOptions
  extends Pick<AppContext, 'config' | 'log' | 'clock' | 'hosting' | 'backups' | 'checkpointStore'> {
  databasePromise: Promise<Database>
  openPayments(): Promise<PaymentMethods>
  demo: DemoExtension | null
}

/** Throws StartProblem after closing everything that it opened. */
export async function createAppContext({
  config,
  log,
  clock,
  databasePromise,
  openPayments,
  hosting,
  backups,
  checkpointStore,
  demo,
}: AppContextOptions): Promise<StartedApp> {
  const database = await databasePromise
  let payments = noPaymentMethods
  try {
    const tokenKey = config.isTokenKeyConfigured ? config.tokenKey : await readTokenKeyFile(config)
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
    await checkTokenKey(app)
    if (database.appliedMigrations.includes(sealMigration)) await sealWaitingEntries(app)
    await recordRestore(app)
    await recordKeyChange(app)
    if (demo) {
      await demo.loadData(app)
      return { app, firstAdminLink: null }
    }
    await requireNoDemoData(app)
    return { app, firstAdminLink: await createFirstAdminLink(app) }
  } catch (error) {
    await Promise.all([database, payments, hosting, backups, checkpointStore].map((resource) => resource.close()))
    throw error
  }
}

/** Records the restore in the logs before any other entry. After a crash it is recorded again. */
async function recordRestore(app: AppContext): Promise<void> {
  const markPath = getRestoredMarkPath(app.config.dataDir)
  if (app.database.engine !== 'embedded' || !existsSync(markPath)) return
  await beginEpoch(app)
  await rm(markPath)
}

/** The demo passwords are public, so demo data is served only if that was configured, and only on this machine. */
async function requireNoDemoData(app: AppContext): Promise<void> {
  const demoLoadedAt = await writeAsSystem(app, (db) => readFact(db, demoFactName))
  if (!demoLoadedAt) return
  const publicSetting = findPublicSetting(app.config)
  throw new StartProblem(
    publicSetting === null
      ? 'This database contains demo data with publicly known passwords: set DEMO=1 to use it on this machine, or set DATA_DIR or DATABASE_URL to another database.'
      : `This database contains demo data with publicly known passwords, but ${publicSetting} opens the server to other machines: set DATA_DIR or DATABASE_URL to another database, or set HOST and PUBLIC_URL to a loopback address and unset TRUST_PROXY.`,
  )
}
