import type { FastifyInstance } from 'fastify'
import { flushCompileCache } from 'node:module'
import type { Logger } from 'pino'
import { buildApp } from '#server/composition/app.ts'
import { chooseMail } from '#server/composition/choose-mail.ts'
import { closeOnSignal } from '#server/composition/close-on-signal.ts'
import { createAppContext, type StartedApp } from '#server/composition/create-app-context.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import { openBackups } from '#server/composition/open-backups.ts'
import { openHosting } from '#server/composition/open-hosting.ts'
import { openPayments } from '#server/composition/open-payments.ts'
import type { BackupSettings } from '#server/config/backup-config.ts'
import { type Config, StartProblem } from '#server/config/config.ts'
import type { HostingSettings } from '#server/config/hosting-config.ts'
import type { PaymentConfig } from '#server/config/payment-config.ts'
import type { AppContext } from '#server/context/context.ts'
import type { Database } from '#server/db/database.ts'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import {
  backupJobKinds,
  scheduledJobKinds,
  hostingJobKinds,
  requestJobKinds,
  createMailJobKinds,
  paymentJobKinds,
  restoreJobKinds,
} from '#server/jobs/job-registry.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { runJobs } from '#server/jobs/runner.ts'
import { schedule } from '#server/jobs/schedule.ts'
import { prepareDummyHash } from '#server/use-cases/accounts/password-hash.ts'

/** Time for active requests to finish after the shutdown has started, in ms. */
const maxRequestsMs = 7000

interface ServerOptions {
  config: Config
  log: Logger
  payments: PaymentConfig
  backups: BackupSettings
  checkpointStore: CheckpointStore
  databasePromise: Promise<Database>
  demo: DemoExtension | null
  hostedProgram: string
  hosting: HostingSettings
  /** Frees the reserved port just before the server listens on it. */
  release(): Promise<void>
}

/**
 * Starts the server and its jobs. If the start fails, closes the opened resources and throws. An unusable port or host is thrown as a
 * StartProblem.
 */
export async function serve({
  config,
  log,
  databasePromise,
  checkpointStore,
  demo,
  ...options
}: ServerOptions): Promise<void> {
  // Needed for the first sign-in. It starts here, so that it runs while the database is opened.
  prepareDummyHash(config.argon2).catch(() => undefined)
  // The folder of hosted services is in the data folder, so the data folder must be checked first.
  await databasePromise
  const hosting = openHosting(config, { settings: options.hosting, log, program: options.hostedProgram })
  const startedApp = await createAppContext({
    config,
    log,
    clock: Date.now,
    databasePromise,
    openPayments: () =>
      openPayments(options.payments, { config, log, clock: Date.now }, demo?.openPaymentSandbox ?? null),
    hosting: hosting.driver,
    backups: openBackups(options.backups, config, log),
    checkpointStore,
    demo,
  })
  const closeAppContext = async ({ database, payments, hosting: driver, backups } = startedApp.app) => {
    await Promise.all([database, payments, driver, backups, checkpointStore].map((resource) => resource.close()))
  }
  const fastify = buildApp(startedApp.app, {}, demo)
  try {
    await hosting.connect(startedApp.app)
    await options.release()
    await fastify.listen({ port: config.port, host: config.host })
  } catch (error) {
    await closeAppContext()
    throw toStartProblem(error, config)
  }
  const stopJobs = startJobs(startedApp.app, demo)
  closeOnSignal(log, async (signal) => {
    // Jobs are stopped while the last requests finish.
    await Promise.all([closeApp(fastify), ...stopJobs.map((stop) => stop())])
    // Ctrl-C stops the services too. After other signals the services keep running, because the server may be restarted.
    if (signal === 'SIGINT') await hosting.shutDown()
    await closeAppContext()
  })
  console.log(buildWelcome(startedApp, demo))
  // Written at the start, because the process may be killed later.
  flushCompileCache()
}

function startJobs(app: AppContext, demo: DemoExtension | null): (() => Promise<void>)[] {
  return [
    runSchedule(app, [...schedule, ...(demo?.scheduledJobs ?? [])]),
    runJobs(
      app,
      { ...requestJobKinds, ...scheduledJobKinds },
      paymentJobKinds,
      createMailJobKinds(chooseMail(app.config, app.clock)),
      ...(app.config.hosting === 'local' ? [hostingJobKinds, backupJobKinds, restoreJobKinds] : []),
    ),
  ]
}

function toStartProblem(error: unknown, { port, host }: Config): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new StartProblem(`Port ${port} is in use: stop the program that uses it, or set PORT to another number.`)
  if (code === 'EACCES')
    return new StartProblem(`This user is not allowed to use port ${port}: set PORT to another number.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartProblem(`HOST ${host} is not an address of this machine: set HOST to one of its addresses.`)
  return error
}

/** Refuses new connections and lets active requests finish. Closes open connections after `maxRequestsMs`. */
async function closeApp(fastify: FastifyInstance): Promise<void> {
  const cutTimer = setTimeout(() => fastify.server.closeAllConnections(), maxRequestsMs)
  await fastify.close()
  clearTimeout(cutTimer)
}

function buildWelcome({ app: { config }, firstAdminLink }: StartedApp, demo: DemoExtension | null): string {
  const lines = ['', `  The portal is running: ${config.publicUrl}/`, '']
  if (firstAdminLink)
    lines.push(
      '  Open this link within 72 hours to set the password of the first administrator. It works once:',
      `  ${firstAdminLink}`,
      '',
    )
  return [...lines, ...(demo?.welcome(config) ?? [])].join('\n')
}
