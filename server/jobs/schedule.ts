/** All that the server does by the clock. A job of the demo stands in `demo/demo.ts`. */
import type { Config } from '#server/config/config.ts'
import { deleteExpiredDataAndLog } from '#server/jobs/delete-expired-data.ts'
import { deleteExpiredUploadFiles } from '#server/jobs/delete-expired-uploads.ts'
import { dumpDatabaseIfDue } from '#server/jobs/dump-database.ts'
import { requestOrderUpkeep } from '#server/jobs/expire-orders.ts'
import { requestReconcileIfDue } from '#server/jobs/reconcile-payments.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { vacuumEmbedded } from '#server/jobs/vacuum-embedded.ts'
import { archiveOldEntries } from '#server/use-cases/audit/archive.ts'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { mailCheckpoints } from '#server/use-cases/audit/mail-checkpoints.ts'
import { expireBackups, cleanUpBackups } from '#server/use-cases/hosting/backups/expire-backups.ts'
import { startDueBackups } from '#server/use-cases/hosting/backups/start-due-backups.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import { runDueServiceWork } from '#server/use-cases/hosting/run-due-service-work.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { writeFailedSignIns } from '#server/use-cases/sessions/failed-sign-ins.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const isHostingLocal = ({ hosting }: Config) => hosting === 'local'

export const schedule: readonly ScheduledJob[] = [
  // An entry waits a second at most; each look costs a transaction for every company that wrote meanwhile.
  { name: 'integrate-audit-trail', firstMs: 800, everyMs: 800, runs: 'cluster', run: integrate },
  {
    name: 'reconcile-payments',
    firstMs: secondMs,
    everyMs: 10 * secondMs,
    runs: 'cluster',
    run: requestReconcileIfDue,
  },
  { name: 'expire-orders', firstMs: 5 * secondMs, everyMs: 10 * minuteMs, runs: 'cluster', run: requestOrderUpkeep },
  { name: 'check-audit-logs', firstMs: 5 * secondMs, everyMs: dayMs, runs: 'cluster', run: checkCompleteLogs },
  // Whether or not anything is hosted here: an overdue month suspends backups.
  { name: 'close-traffic-months', firstMs: 8 * secondMs, everyMs: minuteMs, runs: 'cluster', run: closeTraffic },
  {
    name: 'record-failed-sign-ins',
    firstMs: 10 * secondMs,
    everyMs: 30 * secondMs,
    runs: 'node',
    run: writeFailedSignIns,
  },
  {
    name: 'delete-expired-data',
    firstMs: minuteMs,
    everyMs: hourMs,
    runs: 'cluster',
    run: deleteExpiredDataAndLog,
    failureLevel: 'error',
  },
  // Within ten minutes.
  {
    name: 'delete-expired-uploads',
    firstMs: minuteMs,
    everyMs: 4 * minuteMs,
    runs: 'cluster',
    run: deleteExpiredUploadFiles,
  },
  { name: 'vacuum-embedded', firstMs: 2 * minuteMs, everyMs: minuteMs, runs: 'node', run: vacuumEmbedded },
  { name: 'archive-audit-trail', firstMs: 5 * minuteMs, everyMs: dayMs, runs: 'cluster', run: archiveOldEntries },
  // Every hour, also after a restart: what is looked at is the age of the newest dump.
  {
    name: 'dump-database',
    firstMs: 5 * minuteMs,
    everyMs: 5 * minuteMs,
    runs: 'node',
    run: dumpDatabaseIfDue,
    failureLevel: 'error',
  },
  { name: 'mail-audit-checkpoints', firstMs: 7 * minuteMs, everyMs: hourMs, runs: 'cluster', run: mailCheckpoints },
  // The health check: every few seconds, and as soon as the host says that something has changed.
  {
    name: 'check-services',
    firstMs: 4 * secondMs,
    everyMs: 5 * secondMs,
    runs: 'node',
    isNeeded: isHostingLocal,
    run: (app) => checkServices(app),
    listen: ({ hosting }, wake) => hosting.watch(wake),
  },
  {
    name: 'tend-services',
    firstMs: 10 * secondMs,
    everyMs: 20 * secondMs,
    runs: 'node',
    isNeeded: isHostingLocal,
    run: runDueServiceWork,
  },
  {
    name: 'tend-backups',
    firstMs: 15 * secondMs,
    everyMs: minuteMs,
    runs: 'node',
    isNeeded: isHostingLocal,
    run: startDueBackups,
  },
  {
    name: 'delete-old-backups',
    firstMs: 30 * secondMs,
    everyMs: minuteMs,
    runs: 'node',
    isNeeded: isHostingLocal,
    run: expireBackups,
  },
  {
    name: 'delete-parts-of-backups',
    firstMs: 10 * minuteMs,
    everyMs: dayMs,
    runs: 'node',
    isNeeded: isHostingLocal,
    run: cleanUpBackups,
  },
]
