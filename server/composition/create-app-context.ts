/** Makes a server ready to serve: its database opened and up to date, its key found, its first people there. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { publicSetting, StartProblem } from '#server/config/config.ts'
import { factOf } from '#server/db/installation.ts'
import type { Database } from '#server/db/handle.ts'
import { restoredMark } from '#server/db/embedded/restore-dump.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { checkKey, keyOfFolder } from '#server/db/accounts/token-key.ts'
import { type Demo, demoFact } from '#server/composition/demo.ts'
import { linkForFirstAdmin } from '#server/composition/first-admin.ts'
import type { AppContext } from '#server/context/context.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { changeKey } from '#server/use-cases/audit/change-key.ts'
import { sealMigration, sealWaiting } from '#server/use-cases/audit/seal-waiting.ts'
import { noPayments, type Payments } from '#server/context/payment-methods.ts'

export interface Started {
  app: AppContext
  /** Outside demo mode, until the provider's first admin has a password. */
  firstAdminLink: string | null
}

interface ContextParts
  extends Pick<AppContext, 'config' | 'log' | 'clock' | 'hosting' | 'backups' | 'checkpointStore'> {
  /** The database, which is on its way already. */
  opening: Promise<Database>
  openPayments(): Promise<Payments>
  /** Null: `DEMO` is off. */
  demo: Demo | null
}

/** Throws StartProblem; nothing is left open then. */
export async function createAppContext({
  config,
  log,
  clock,
  opening,
  openPayments,
  hosting,
  backups,
  checkpointStore,
  demo,
}: ContextParts): Promise<Started> {
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
    if (demo) {
      await demo.loadData(app)
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
