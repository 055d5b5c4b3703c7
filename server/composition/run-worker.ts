import { flushCompileCache } from 'node:module'
import { closeAppContext, drain } from '#server/composition/close-app.ts'
import { closeOnSignal } from '#server/composition/close-on-signal.ts'
import { createAppContext } from '#server/composition/create-app-context.ts'
import { openBackups } from '#server/composition/open-backups.ts'
import { openHosting } from '#server/composition/open-hosting.ts'
import type { NodeOptions } from '#server/composition/open-node.ts'
import { openPayments } from '#server/composition/open-payments.ts'
import { startJobs } from '#server/composition/start-jobs.ts'
import { createLifecycle } from '#server/context/lifecycle.ts'
import { createReadinessCheck, readinessMaxAgeMs } from '#server/use-cases/readiness.ts'

/** A timer with this interval only keeps the process alive. */
const keepAliveMs = 2 ** 30

/** Starts the jobs and the schedule. If the start fails, closes the opened resources and throws. */
export async function runWorker({
  config,
  log,
  databasePromise,
  checkpointStore,
  health,
  ...options
}: NodeOptions): Promise<void> {
  // The folder of hosted services is in the data folder, so the data folder must be checked first.
  await databasePromise
  const hosting = openHosting(config, log, options.hostedProgram)
  const { app } = await createAppContext({
    config,
    log,
    clock: Date.now,
    databasePromise,
    openPayments: () => openPayments(options.payments, { config, log, clock: Date.now }, null),
    hosting: hosting.driver,
    backups: openBackups(options.backups, config, log),
    checkpointStore,
    demo: null,
    // Each new link makes the previous one invalid, and nobody looks for it in the output of a worker.
    hasFirstAdminLink: false,
  })
  const lifecycle = createLifecycle()
  // Without a connection to the database, nothing else would keep the process alive.
  const keepAliveTimer = setInterval(() => undefined, keepAliveMs)
  const stopJobs = startJobs(app, null, 'local')
  health?.setCheck(createReadinessCheck(app, lifecycle, { maxAgeMs: readinessMaxAgeMs }))
  closeOnSignal(
    log,
    async (signal) => {
      lifecycle.phase = 'closing'
      await stopJobs()
      if (signal === 'SIGINT') await hosting.shutDown()
      await Promise.all([closeAppContext(app), health?.close()])
      clearInterval(keepAliveTimer)
    },
    () => drain(log, lifecycle, options.settings.drainMs),
  )
  console.log('\n  The worker is running.\n')
  flushCompileCache()
}
