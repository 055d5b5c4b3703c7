/** All scheduled jobs of the server. The jobs of the demo are in `demo/demo.ts`. */
import type { Config } from '#server/config/config.ts'
import { deleteExpiredDataAndLog } from '#server/jobs/delete-expired-data.ts'
import { deleteExpiredUploadFiles, deletePartsOfFiles } from '#server/jobs/delete-expired-uploads.ts'
import { dumpDatabaseIfDue } from '#server/jobs/dump-database.ts'
import { requestOrderUpkeep } from '#server/jobs/expire-orders.ts'
import { requestReconcileIfDue } from '#server/jobs/reconcile-payments.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { vacuumEmbedded } from '#server/jobs/vacuum-embedded.ts'
import { archiveOldEntries } from '#server/use-cases/audit/archive.ts'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { mailCheckpoints } from '#server/use-cases/audit/mail-checkpoints.ts'
import { deleteOldClientBuilds } from '#server/use-cases/client-builds/expire-builds.ts'
import { expireBackups, cleanUpBackups } from '#server/use-cases/hosting/backups/expire-backups.ts'
import { startDueBackups } from '#server/use-cases/hosting/backups/start-due-backups.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import { runDueServiceWork } from '#server/use-cases/hosting/run-due-service-work.ts'
import { recordEndedConsents } from '#server/use-cases/customers/acting-consents.ts'
import { findLostRefunds } from '#server/use-cases/refunds/find-lost-refunds.ts'
import { checkMoney } from '#server/use-cases/money/check-money.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { writeFailedSignIns } from '#server/use-cases/sessions/failed-sign-ins.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const hostingJob = {
  runs: 'hosting',
  isNeeded: ({ hosting }: Config) => hosting === 'local' || hosting === 'docker',
} as const
const clusterJob = { runs: 'cluster' } as const
const nodeJob = { runs: 'node' } as const

export const schedule: readonly ScheduledJob[] = [
  // An audit entry waits at most one second for its log index. Each run costs a transaction per company with new entries.
  { ...clusterJob, name: 'integrate-audit-trail', firstMs: 800, everyMs: 800, run: integrate },
  { ...clusterJob, name: 'reconcile-payments', firstMs: secondMs, everyMs: 10 * secondMs, run: requestReconcileIfDue },
  { ...clusterJob, name: 'find-lost-refunds', firstMs: 2 * minuteMs, everyMs: hourMs, run: findLostRefunds },
  {
    ...clusterJob,
    name: 'check-money',
    firstMs: 3 * minuteMs,
    everyMs: dayMs,
    run: checkMoney,
    failureLevel: 'error',
  },
  { ...clusterJob, name: 'expire-orders', firstMs: 5 * secondMs, everyMs: 10 * minuteMs, run: requestOrderUpkeep },
  // Every request checks the consent itself, so only the entry of the audit trail waits for this.
  { ...clusterJob, name: 'end-consents', firstMs: 7 * secondMs, everyMs: 20 * secondMs, run: recordEndedConsents },
  // Each node checks the logs, because each shows the alarms that it knows of.
  { ...nodeJob, name: 'check-audit-logs', firstMs: 5 * secondMs, everyMs: dayMs, run: checkCompleteLogs },
  // Also needed if no services are hosted here, because an overdue month suspends backups.
  { ...clusterJob, name: 'close-traffic-months', firstMs: 8 * secondMs, everyMs: minuteMs, run: closeTraffic },
  {
    ...nodeJob,
    name: 'record-failed-sign-ins',
    firstMs: 10 * secondMs,
    everyMs: 30 * secondMs,
    run: writeFailedSignIns,
  },
  {
    ...clusterJob,
    name: 'delete-expired-data',
    firstMs: minuteMs,
    everyMs: hourMs,
    run: deleteExpiredDataAndLog,
    failureLevel: 'error',
  },
  // With this interval, expired uploads are deleted within ten minutes, although a run ignores young files.
  {
    ...clusterJob,
    name: 'delete-expired-uploads',
    firstMs: minuteMs,
    everyMs: 4 * minuteMs,
    run: deleteExpiredUploadFiles,
  },
  { ...nodeJob, name: 'delete-parts-of-files', firstMs: 9 * minuteMs, everyMs: dayMs, run: deletePartsOfFiles },
  { ...nodeJob, name: 'vacuum-embedded', firstMs: 2 * minuteMs, everyMs: minuteMs, run: vacuumEmbedded },
  { ...clusterJob, name: 'archive-audit-trail', firstMs: 5 * minuteMs, everyMs: dayMs, run: archiveOldEntries },
  // A dump is written every hour, also if the server restarts: each run checks the age of the latest dump.
  {
    ...nodeJob,
    name: 'dump-database',
    firstMs: 5 * minuteMs,
    everyMs: 5 * minuteMs,
    run: dumpDatabaseIfDue,
    failureLevel: 'error',
  },
  {
    ...clusterJob,
    name: 'delete-old-client-builds',
    firstMs: 6 * minuteMs,
    everyMs: dayMs,
    run: deleteOldClientBuilds,
  },
  { ...clusterJob, name: 'mail-audit-checkpoints', firstMs: 7 * minuteMs, everyMs: hourMs, run: mailCheckpoints },
  // The health check runs every few seconds, and as soon as the host reports a change.
  {
    ...hostingJob,
    name: 'check-services',
    firstMs: 4 * secondMs,
    everyMs: 5 * secondMs,
    run: (app) => checkServices(app, null, { isScheduled: true }),
    listen: ({ hosting }, wake) => hosting.watch(wake),
  },
  // Collects the logs of containers, among others. A removed container loses its log.
  {
    ...hostingJob,
    name: 'hosting-upkeep',
    firstMs: 6 * secondMs,
    everyMs: 15 * secondMs,
    run: async ({ hosting }) => hosting.upkeep?.(),
  },
  { ...hostingJob, name: 'tend-services', firstMs: 10 * secondMs, everyMs: 20 * secondMs, run: runDueServiceWork },
  { ...hostingJob, name: 'tend-backups', firstMs: 15 * secondMs, everyMs: minuteMs, run: startDueBackups },
  { ...hostingJob, name: 'delete-old-backups', firstMs: 30 * secondMs, everyMs: minuteMs, run: expireBackups },
  { ...hostingJob, name: 'delete-parts-of-backups', firstMs: 10 * minuteMs, everyMs: dayMs, run: cleanUpBackups },
]
