/** Listens and closes. Trouble at the start is one clear sentence and exit code 1. */
import type { FastifyInstance } from 'fastify'
import { flushCompileCache } from 'node:module'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { closeOnSignal } from '#server/close-on-signal.ts'
import { type Config, readConfig, StartProblem } from '#server/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { readBackupSettings } from '#server/backup-config.ts'
import { openCheckpointStore, readCheckpointSettings } from '#server/open-checkpoint-store.ts'
import { readPaymentSettings } from '#server/payment-config.ts'
import { demoCompanies, demoPassword } from '#server/dev/demo-data.ts'
import { buildLog } from '#server/log.ts'
import type { AppContext } from '#server/context.ts'
import type { Started } from '#server/create-context.ts'

/** How long requests at work may take to finish once the end was asked for, in ms. */
const requestsMs = 7000

try {
  await main()
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { env, release } = await withPort(process.env)
  const config = readConfig(env)
  const log = buildLog(config.logLevel)
  const paymentSettings = readPaymentSettings(process.env, config)
  const backupSettings = readBackupSettings(process.env, config)
  const checkpointStore = openCheckpointStore(readCheckpointSettings(process.env, config))
  // A thread of its own opens the embedded database: meanwhile this one loads the rest.
  const opening = openDatabase(config, log)
  opening.catch(() => undefined)
  const { createAppContext, buildApp, startJobs, warmUp, openPayments, openHosting, openBackups } = await loadTheRest()
  // Waited for before the first request; begun here, beside the database.
  warmUp(config.argon2).catch(() => undefined)
  const place = { config, log, clock: Date.now }
  // Its folder is in the data folder, which has to be found ours first.
  await opening
  const hosting = openHosting(config, log)
  const started = await createAppContext(
    config,
    log,
    Date.now,
    opening,
    () => openPayments(paymentSettings, place),
    hosting.driver,
    openBackups(backupSettings, config, log),
    checkpointStore,
  )
  const closeAppContext = async ({ database, payments, hosting: driver, backups } = started.app) => {
    await Promise.all([database, payments, driver, backups, checkpointStore].map((part) => part.close()))
  }
  const fastify = buildApp(started.app)
  try {
    await release()
    await fastify.listen({ port: config.port, host: config.host })
  } catch (error) {
    await closeAppContext()
    throw asStartProblem(error, config)
  }
  const stopJobs = startJobs(started.app)
  closeOnSignal(log, async (signal) => {
    // Jobs put down their work while the last requests finish.
    await Promise.all([closeApp(fastify), ...stopJobs.map((stop) => stop())])
    // Who presses Ctrl-C wants an end of all of it; what ends us otherwise may start us again, and services go on meanwhile.
    if (signal === 'SIGINT') await hosting.shutDown()
    await closeAppContext()
  })
  console.log(welcome(started))
  // Now and not only at the end, which may be sudden.
  flushCompileCache()
}

async function loadTheRest() {
  const [
    { createAppContext },
    { buildApp },
    { warmUp },
    { sweepHourly },
    { sweepPackagesOften },
    { tendHourly },
    { dumpHourly },
    { reconcileOften },
    { closeTrafficOften },
    { integrateOften },
    { writeFailures },
    { archiveOld },
    { checkWholeLogs },
    { mailCheckpoints },
    { bringUpServices },
    { lookAfterOften },
    { tendServices },
    { openHosting },
    { vacuumEmbedded },
    { openBackups },
    { onClock },
    { runJobs },
    { keepBackups, tidyBackups },
    { tendBackups },
    { backupKinds, clockKinds, hostingKinds, kinds, mailKinds, paymentKinds, restoreKinds },
    { chooseMail },
    { openPayments },
  ] = await Promise.all([
    import('#server/create-context.ts'),
    import('#server/app.ts'),
    import('#server/services/accounts/password-hash.ts'),
    import('#server/jobs/delete-expired-data.ts'),
    import('#server/jobs/delete-expired-uploads.ts'),
    import('#server/jobs/expire-orders.ts'),
    import('#server/jobs/dump-database.ts'),
    import('#server/jobs/reconcile-payments.ts'),
    import('#server/jobs/close-traffic.ts'),
    import('#server/jobs/integrate-audit-trail.ts'),
    import('#server/services/sessions/failed-sign-ins.ts'),
    import('#server/services/audit/archive.ts'),
    import('#server/services/audit/check-whole-logs.ts'),
    import('#server/services/audit/mail-checkpoints.ts'),
    import('#server/dev/bring-up-services.ts'),
    import('#server/jobs/look-after-services.ts'),
    import('#server/services/hosting/tend-services.ts'),
    import('#server/drivers/hosting/create-driver.ts'),
    import('#server/jobs/vacuum-embedded.ts'),
    import('#server/open-backups.ts'),
    import('#server/jobs/interval.ts'),
    import('#server/jobs/runner.ts'),
    import('#server/services/hosting/backups/keep-backups.ts'),
    import('#server/services/hosting/backups/tend-backups.ts'),
    import('#server/jobs/registry.ts'),
    import('#server/drivers/mail/create-driver.ts'),
    import('#server/drivers/payment/create-drivers.ts'),
  ])
  const bringing = 'services of the demo world could not be brought up'
  const backing = 'backups could not be tended'
  const keeping = 'old backups could not be taken away'
  const tidying = 'what cut off backups have left could not be taken away'
  const tending = 'services could not be tended'
  const mailing = 'checkpoints of the audit trail could not be mailed'
  const checking = 'the logs of the audit trail could not be checked'
  const archiving = 'old entries of the audit trail could not be archived'
  const vacuuming = 'tables of the embedded database could not be vacuumed'
  const failures = 'failed sign-ins could not be written into the audit trail'
  const startJobs = (app: AppContext) => [
    sweepHourly(app),
    sweepPackagesOften(app),
    tendHourly(app),
    dumpHourly(app),
    reconcileOften(app),
    closeTrafficOften(app),
    integrateOften(app),
    onClock(app, { firstMs: 10_000, everyMs: 30_000 }, writeFailures, failures),
    onClock(app, { firstMs: 2 * 60_000, everyMs: 60_000 }, vacuumEmbedded, vacuuming),
    onClock(app, { firstMs: 5_000, everyMs: 24 * 3_600_000 }, checkWholeLogs, checking),
    onClock(app, { firstMs: 5 * 60_000, everyMs: 24 * 3_600_000 }, archiveOld, archiving),
    onClock(app, { firstMs: 7 * 60_000, everyMs: 3_600_000 }, mailCheckpoints, mailing),
    ...(app.config.hosting !== 'local'
      ? []
      : [
          ...(app.config.demo
            ? [onClock(app, { firstMs: 1_000, everyMs: 24 * 3_600_000 }, bringUpServices, bringing)]
            : []),
          onClock(app, { firstMs: 10_000, everyMs: 20_000 }, tendServices, tending),
          lookAfterOften(app),
          onClock(app, { firstMs: 15_000, everyMs: 60_000 }, tendBackups, backing),
          onClock(app, { firstMs: 30_000, everyMs: 60_000 }, keepBackups, keeping),
          onClock(app, { firstMs: 10 * 60_000, everyMs: 24 * 3_600_000 }, tidyBackups, tidying),
        ]),
    runJobs(
      app,
      { ...kinds, ...clockKinds },
      paymentKinds,
      mailKinds(chooseMail(app.config, app.clock)),
      ...(app.config.hosting === 'local' ? [hostingKinds, backupKinds, restoreKinds] : []),
    ),
  ]
  return { createAppContext, buildApp, startJobs, warmUp, openPayments, openHosting, openBackups }
}

/**
 * Port 0 is settled before anything is built, because links name the port. It is held until the server takes it, which is
 * seconds later: meanwhile any connection of this machine might be given it.
 */
async function withPort(env: NodeJS.ProcessEnv): Promise<{ env: NodeJS.ProcessEnv; release: () => Promise<void> }> {
  if (env.PORT !== '0') return { env, release: async () => undefined }
  // A start that fails before is over all the same.
  const holder = createServer().unref()
  holder.listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const release = async () => void (await once(holder.close(), 'close'))
  return { env: { ...env, PORT: String(port) }, release }
}

function asStartProblem(error: unknown, { port, host }: Config): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new StartProblem(`Port ${port} is in use: stop what listens there, or set PORT to another number.`)
  if (code === 'EACCES')
    return new StartProblem(`Port ${port} may not be used by this user: set PORT to another number.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartProblem(`HOST ${host} is not an address of this machine.`)
  return error
}

/** Readiness turns red, no new connection is taken, requests at work finish; what hangs is cut off in the end. */
async function closeApp(fastify: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => fastify.server.closeAllConnections(), requestsMs)
  await fastify.close()
  clearTimeout(cut)
}

function welcome({ app: { config }, firstAdminLink }: Started): string {
  const lines = ['', `  The portal is open: ${config.publicUrl}/`, '']
  if (firstAdminLink)
    lines.push('  Set the password of the first administrator (once, within 72 hours):', `  ${firstAdminLink}`, '')
  if (!config.demo) return lines.join('\n')
  lines.push('  Sign in with one of these:', '')
  const accounts = demoCompanies.flatMap(({ code, users }) => users.slice(0, 2).map(({ email }) => ({ code, email })))
  for (const { code, email } of accounts) lines.push(`    company ${code.padEnd(7)}  e-mail ${email}`)
  if (config.smtpUrl === null)
    lines.push('', `  Mails that the portal sends can be read at ${config.publicUrl}/dev/mail`)
  lines.push('', `  The password of all of them is ${demoPassword}`, '')
  return lines.join('\n')
}
