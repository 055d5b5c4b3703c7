import { flushCompileCache } from 'node:module'
import { buildApp } from '#server/composition/app.ts'
import { closeApp, closeAppContext, drain } from '#server/composition/close-app.ts'
import { closeOnSignal } from '#server/composition/close-on-signal.ts'
import { createAppContext, type StartedApp } from '#server/composition/create-app-context.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import { openBackups } from '#server/composition/open-backups.ts'
import { openHosting } from '#server/composition/open-hosting.ts'
import type { NodeOptions } from '#server/composition/open-node.ts'
import { openPayments } from '#server/composition/open-payments.ts'
import { startJobs } from '#server/composition/start-jobs.ts'
import { type Config, StartProblem } from '#server/config/config.ts'
import { createLifecycle } from '#server/context/lifecycle.ts'
import { prepareDummyHash } from '#server/use-cases/accounts/password-hash.ts'
import { createReadinessCheck, readinessMaxAgeMs } from '#server/use-cases/readiness.ts'

interface ServerOptions extends NodeOptions {
  demo: DemoExtension | null
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
  health,
  ...options
}: ServerOptions): Promise<void> {
  // Needed for the first sign-in. It starts here, so that it runs while the database is opened.
  prepareDummyHash(config.argon2).catch(() => undefined)
  // The folder of hosted services is in the data folder, so the data folder must be checked first.
  await databasePromise
  const hosting = openHosting(config, log, options.hostedProgram)
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
    hasFirstAdminLink: true,
  })
  const { app } = startedApp
  const lifecycle = createLifecycle()
  const fastify = buildApp(app, {}, demo, lifecycle)
  try {
    await options.release()
    await fastify.listen({ port: config.port, host: config.host })
  } catch (error) {
    await closeAppContext(app)
    throw toStartProblem(error, config)
  }
  const stopJobs = startJobs(app, demo, options.settings.jobs)
  health?.setCheck(createReadinessCheck(app, lifecycle, { maxAgeMs: readinessMaxAgeMs }))
  closeOnSignal(
    log,
    async (signal) => {
      // Jobs are stopped while the last requests finish.
      await Promise.all([closeApp(fastify, lifecycle), stopJobs()])
      // Ctrl-C stops the services too. After other signals the services keep running, because the server may be restarted.
      if (signal === 'SIGINT') await hosting.shutDown()
      await Promise.all([closeAppContext(app), health?.close()])
    },
    () => drain(log, lifecycle, options.settings.drainMs),
  )
  console.log(buildWelcome(startedApp, demo))
  // Written at the start, because the process may be killed later.
  flushCompileCache()
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
