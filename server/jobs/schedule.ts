/** All that the server does by the clock. A job of the demo stands in `demo/demo.ts`. */
import type { Config } from '#server/config/config.ts'
import { sweepAndLog } from '#server/jobs/delete-expired-data.ts'
import { sweepPackages } from '#server/jobs/delete-expired-uploads.ts'
import { dumpWhenDue } from '#server/jobs/dump-database.ts'
import { askToTend } from '#server/jobs/expire-orders.ts'
import { askWhereDue } from '#server/jobs/reconcile-payments.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { vacuumEmbedded } from '#server/jobs/vacuum-embedded.ts'
import { archiveOld } from '#server/use-cases/audit/archive.ts'
import { checkWholeLogs } from '#server/use-cases/audit/check-whole-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { mailCheckpoints } from '#server/use-cases/audit/mail-checkpoints.ts'
import { keepBackups, tidyBackups } from '#server/use-cases/hosting/backups/keep-backups.ts'
import { tendBackups } from '#server/use-cases/hosting/backups/tend-backups.ts'
import { lookAfterServices } from '#server/use-cases/hosting/look-after.ts'
import { tendServices } from '#server/use-cases/hosting/tend-services.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { writeFailures } from '#server/use-cases/sessions/failed-sign-ins.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const hostsServices = ({ hosting }: Config) => hosting === 'local'

export const schedule: readonly ScheduledJob[] = [
  // An entry waits a second at most; each look costs a transaction for every company that wrote meanwhile.
  { name: 'integrate-audit-trail', firstMs: 800, everyMs: 800, runs: 'cluster', run: integrate },
  { name: 'reconcile-payments', firstMs: second, everyMs: 10 * second, runs: 'cluster', run: askWhereDue },
  { name: 'expire-orders', firstMs: 5 * second, everyMs: 10 * minute, runs: 'cluster', run: askToTend },
  { name: 'check-audit-logs', firstMs: 5 * second, everyMs: day, runs: 'cluster', run: checkWholeLogs },
  // Whether or not anything is hosted here: an overdue month suspends backups.
  { name: 'close-traffic-months', firstMs: 8 * second, everyMs: minute, runs: 'cluster', run: closeTraffic },
  { name: 'record-failed-sign-ins', firstMs: 10 * second, everyMs: 30 * second, runs: 'node', run: writeFailures },
  {
    name: 'delete-expired-data',
    firstMs: minute,
    everyMs: hour,
    runs: 'cluster',
    run: sweepAndLog,
    failureLevel: 'error',
  },
  // Within ten minutes.
  { name: 'delete-expired-uploads', firstMs: minute, everyMs: 4 * minute, runs: 'cluster', run: sweepPackages },
  { name: 'vacuum-embedded', firstMs: 2 * minute, everyMs: minute, runs: 'node', run: vacuumEmbedded },
  { name: 'archive-audit-trail', firstMs: 5 * minute, everyMs: day, runs: 'cluster', run: archiveOld },
  // Every hour, also after a restart: what is looked at is the age of the newest dump.
  {
    name: 'dump-database',
    firstMs: 5 * minute,
    everyMs: 5 * minute,
    runs: 'node',
    run: dumpWhenDue,
    failureLevel: 'error',
  },
  { name: 'mail-audit-checkpoints', firstMs: 7 * minute, everyMs: hour, runs: 'cluster', run: mailCheckpoints },
  // The health check: every few seconds, and as soon as the host says that something has changed.
  {
    name: 'check-services',
    firstMs: 4 * second,
    everyMs: 5 * second,
    runs: 'node',
    isNeeded: hostsServices,
    run: (app) => lookAfterServices(app),
    listen: ({ hosting }, wake) => hosting.watch(wake),
  },
  {
    name: 'tend-services',
    firstMs: 10 * second,
    everyMs: 20 * second,
    runs: 'node',
    isNeeded: hostsServices,
    run: tendServices,
  },
  {
    name: 'tend-backups',
    firstMs: 15 * second,
    everyMs: minute,
    runs: 'node',
    isNeeded: hostsServices,
    run: tendBackups,
  },
  {
    name: 'delete-old-backups',
    firstMs: 30 * second,
    everyMs: minute,
    runs: 'node',
    isNeeded: hostsServices,
    run: keepBackups,
  },
  {
    name: 'delete-parts-of-backups',
    firstMs: 10 * minute,
    everyMs: day,
    runs: 'node',
    isNeeded: hostsServices,
    run: tidyBackups,
  },
]
