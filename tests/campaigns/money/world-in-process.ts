/**
 * Runs a portal in the process of the campaign. It is never killed or restarted, so that thousands of histories take minutes instead of days.
 * A stop finishes the requests in progress and holds new ones back, until the next start.
 */
import pino from 'pino'
import { toPlainDate } from '#domain/time.ts'
import { buildApp } from '#server/composition/app.ts'
import { listScheduledJobs } from '#server/composition/start-jobs.ts'
import { openPayments } from '#server/composition/open-payments.ts'
import { readPaymentSettings } from '#server/config/payment-config.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { openDatabase } from '#server/db/open.ts'
import { paymentJobKinds, requestJobKinds, scheduledJobKinds } from '#server/jobs/job-registry.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { runJobs } from '#server/jobs/runner.ts'
import { schedule } from '#server/jobs/schedule.ts'
import { type MoneyWorld, openGateways, readErrors, timeZone } from '#tests/campaigns/money/world.ts'
import { buildGatewayEnv } from '#tests/campaigns/payments.ts'
import { openTestFiles } from '#tests/support/server/files.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { raisedLimits } from '#tests/support/network/raised-limits.ts'
import { readFolderConfig } from '#tests/support/server/read-folder-config.ts'

export async function openWorldInProcess(
  env: Record<string, string> & { DATA_DIR: string },
): Promise<{ world: MoneyWorld; close: () => Promise<void> }> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  let shiftMs = 0
  const clock = () => Date.now() + shiftMs
  const sandbox = await openGateways(`${env.DATA_DIR}-gateways`, url, clock)
  const settings = { ...env, ...buildGatewayEnv(sandbox), PORT: String(port), PUBLIC_URL: url }
  const config = await readFolderConfig(settings)
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const database = await openDatabase(config, log)
  const app: AppContext = {
    config,
    database,
    log,
    clock,
    payments: await openPayments(readPaymentSettings(settings, config), { config, log, clock }, null),
    hosting: noHosting,
    backups: noBackups,
    files: openTestFiles(config),
    checkpointStore: noCheckpointStore,
  }
  const fastify = buildApp(app, raisedLimits)
  const requests = countRequests(fastify)
  await fastify.listen({ port, host: '127.0.0.1' })
  // No mails: their attached documents take a fifth of the time.
  const scheduledJobs = listScheduledJobs(schedule, { hosting: config.hosting, jobs: 'local' })
  const stopFunctions = [
    runSchedule(app, scheduledJobs, { canHost: () => false }),
    runJobs(app, { ...requestJobKinds, ...scheduledJobKinds }, paymentJobKinds),
  ]
  let readiness = Promise.withResolvers<void>()
  const today = () => toPlainDate(timeZone, clock())
  const world: MoneyWorld = {
    url,
    sandbox,
    clock,
    today,
    portalDay: today,
    waitUntilUp: () => readiness.promise,
    async start() {
      readiness.resolve()
    },
    async stop() {
      readiness = Promise.withResolvers<void>()
      await requests.waitUntilNone()
    },
    takeErrors: () => readErrors(lines.splice(0).join('')),
    moveClock(ms) {
      shiftMs += ms
    },
    inspect: (work) => work(database),
  }
  const close = async () => {
    readiness.resolve()
    await Promise.all([fastify.close(), ...stopFunctions.map((stop) => stop())])
    await Promise.all([database, app.payments, app.files, sandbox].map((resource) => resource.close()))
  }
  return { world, close }
}

/** Counts the requests in progress, including those of the gateways. */
function countRequests(fastify: ReturnType<typeof buildApp>) {
  let count = 0
  const waiting: (() => void)[] = []
  fastify.addHook('onRequest', async () => void (count += 1))
  fastify.addHook('onResponse', async () => {
    count -= 1
    if (count === 0) for (const resolve of waiting.splice(0)) resolve()
  })
  return {
    waitUntilNone: () => new Promise<void>((resolve) => (count === 0 ? resolve() : void waiting.push(resolve))),
  }
}
