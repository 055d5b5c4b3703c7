import { createAppContext, type StartedApp } from '#server/composition/create-app-context.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import { openBackups } from '#server/composition/open-backups.ts'
import { openCluster } from '#server/composition/open-cluster.ts'
import { openHosting } from '#server/composition/open-hosting.ts'
import type { NodeOptions } from '#server/composition/open-node.ts'
import { openPayments } from '#server/composition/open-payments.ts'
import type { NodeRole } from '#server/db/tables/node-tables.ts'
import { checkFileStore } from '#server/use-cases/uploads/file-problems.ts'
import { defaultHttpSettings, readClientBuild } from '#server/http/http-context.ts'

/** The context of a server or a worker, and what is closed with it. */
export interface RunningNode extends StartedApp {
  /** Whether this node may run the hosted services at the moment. */
  canHost: () => boolean
  /** Stops the services of this machine. They start again with the next start of the server. */
  shutDownHosting(): Promise<void>
  close(): Promise<void>
}

/** Opens everything that a server and a worker need. If that fails, closes the opened resources and throws. */
export async function startApp(
  node: NodeOptions,
  { demo, role }: { demo: DemoExtension | null; role: NodeRole },
): Promise<RunningNode> {
  const { config, log, databasePromise, files, checkpointStore, payments, backups, checkpoints } = node
  // The folder of hosted services is in the data folder, so the data folder must be checked first.
  const cluster = await openCluster(config, await databasePromise, log)
  const { clock, hostingLease } = cluster
  const hosting = openHosting(config, { settings: node.hosting, log, program: node.hostedProgram, role, demo })
  const startedApp = await createAppContext({
    config,
    log,
    clock,
    databasePromise,
    openPayments: () => openPayments(payments, { config, log, clock }, demo?.openPaymentSandbox ?? null),
    hosting: hosting.driver,
    backups: openBackups(backups, config, log),
    files,
    checkpointStore,
    demo,
    cluster: {
      payments,
      hosting: node.hosting,
      backups,
      checkpoints,
      runsJobs: role === 'worker' || node.settings.jobs === 'local',
      role,
      build: readClientBuild(config.clientDir ?? defaultHttpSettings.dist).build,
      onDifference: () => process.kill(process.pid, 'SIGTERM'),
    },
  })
  const { app } = startedApp
  async function close() {
    await Promise.all([startedApp.leaveCluster(), cluster.close()])
    const resources = [app.database, app.payments, app.hosting, app.backups, files, checkpointStore]
    await Promise.all(resources.map((resource) => resource.close()))
  }
  try {
    // Only the holder of the lease may publish its address.
    await hosting.connect(app)
  } catch (error) {
    await close()
    throw error
  }
  // In the background: an unreachable bucket stops only uploads.
  void checkFileStore(app)
  return { ...startedApp, canHost: () => hostingLease.isHeld(), shutDownHosting: () => hosting.shutDown(), close }
}
