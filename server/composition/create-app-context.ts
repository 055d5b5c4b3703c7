import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { findPublicSetting, StartProblem } from '#server/config/config.ts'
import { readFact } from '#server/db/installation-facts.ts'
import type { Database } from '#server/db/database.ts'
import type { NodeRole } from '#server/db/tables/node-tables.ts'
import { getRestoredMarkPath } from '#server/db/embedded/restore-dump.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { checkTokenKey, readTokenKeyFile } from '#server/db/accounts/token-key.ts'
import { type DemoExtension, demoFactName } from '#server/composition/demo.ts'
import {
  describeBackupStores,
  describeFileStore,
  getClusterSettings,
  type OtherSettings,
} from '#server/composition/cluster-settings.ts'
import { createFirstAdminLink, type FirstAdminLink } from '#server/composition/first-admin.ts'
import { type ClusterMember, joinCluster } from '#server/composition/join-cluster.ts'
import type { AppContext } from '#server/context/context.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { recordKeyChange } from '#server/use-cases/audit/change-key.ts'
import { sealMigration, sealWaitingEntries } from '#server/use-cases/audit/seal-waiting-entries.ts'
import { noPaymentMethods, type PaymentMethods } from '#server/context/payment-methods.ts'

export interface StartedApp {
  app: AppContext
  /** Link with which the provider's first admin sets a password. Null in demo mode and if the provider has an active admin. */
  firstAdminLink: FirstAdminLink | null
  /** Call it at the stop, before the database is closed. Other nodes then no longer count this one as running. */
  leaveCluster(): Promise<void>
}

export interface ClusterOptions extends OtherSettings {
  role: NodeRole
  build: string
  /** Stops this node, see `JoinOptions`. */
  onDifference: () => void
}

interface AppContextOptions
  extends Pick<AppContext, 'config' | 'log' | 'clock' | 'hosting' | 'backups' | 'files' | 'checkpointStore'> {
  databasePromise: Promise<Database>
  openPayments(): Promise<PaymentMethods>
  demo: DemoExtension | null
  cluster: ClusterOptions
}

/**
 * Creates the context of the server. If that fails after the database is open, closes all resources and throws the error, for example a
 * StartProblem.
 */
export async function createAppContext({
  config,
  log,
  clock,
  databasePromise,
  openPayments,
  hosting,
  backups,
  files,
  checkpointStore,
  demo,
  cluster,
}: AppContextOptions): Promise<StartedApp> {
  const database = await databasePromise
  let payments = noPaymentMethods
  let member: ClusterMember | null = null
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
      files,
      checkpointStore,
    }
    await checkTokenKey(app)
    // Before anything is written with keys that other nodes may not have.
    member = await joinAsNode(app, cluster)
    const leaveCluster = member.leave
    if (database.appliedMigrations.includes(sealMigration)) await sealWaitingEntries(app)
    await recordRestore(app)
    await recordKeyChange(app)
    if (demo) {
      await demo.loadData(app)
      return { app, firstAdminLink: null, leaveCluster }
    }
    await requireNoDemoData(app)
    // Nobody looks for the link in the output of a worker.
    const firstAdminLink = cluster.role === 'serve' ? await createFirstAdminLink(app, member) : null
    return { app, firstAdminLink, leaveCluster }
  } catch (error) {
    await member?.leave()
    await Promise.all(
      [database, payments, hosting, backups, files, checkpointStore].map((resource) => resource.close()),
    )
    throw error
  }
}

async function joinAsNode(
  app: AppContext,
  { role, build, onDifference, ...otherSettings }: ClusterOptions,
): Promise<ClusterMember> {
  const { config, database } = app
  const isAlone = database.engine === 'embedded'
  const fileStore = isAlone ? {} : await describeFileStore(app.files.location)
  const hasBackups = !isAlone && config.hosting === 'docker' && otherSettings.runsJobs
  const backupStores = hasBackups ? await describeBackupStores(otherSettings.backups) : {}
  return joinCluster(app, {
    role,
    build,
    settings: getClusterSettings({ ...otherSettings, config, fileStore, backupStores }),
    onDifference,
  })
}

/**
 * Records a restore from a dump in the logs before the first write. If the server crashes before the mark is deleted, the next start
 * records it again.
 */
async function recordRestore(app: AppContext): Promise<void> {
  const markPath = getRestoredMarkPath(app.config.dataDir)
  if (app.database.engine !== 'embedded' || !existsSync(markPath)) return
  await beginEpoch(app)
  await rm(markPath)
}

/**
 * Throws StartProblem if the database contains demo data. Called outside demo mode: the demo passwords are public, so demo data is served
 * only with `DEMO`, and only to this machine.
 */
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
