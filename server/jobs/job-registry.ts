/** Lists all kinds of jobs by their name. If an endpoint starts the job, the name is the endpoint's `job`. */
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import type { MailDriver } from '#server/drivers/mail/mail-driver.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { createMoneyCheckJob } from '#server/jobs/check-money.ts'
import { createDrillJob } from '#server/jobs/drill-backup.ts'
import { hostOperations, createServiceOperationJob } from '#server/jobs/operate-service.ts'
import { createPublishJob } from '#server/jobs/publish-apps.ts'
import { createPaymentCheckJob, reconcileJob, createReconcileJob } from '#server/jobs/reconcile-payments.ts'
import { createRehearsalJob } from '#server/jobs/rehearse-prices.ts'
import { createRestoreJob } from '#server/jobs/restore-backup.ts'
import { createBackupJob } from '#server/jobs/run-backup.ts'
import { createMailJob } from '#server/jobs/send-mail.ts'
import { orderUpkeepJob, createOrderUpkeepJob } from '#server/jobs/expire-orders.ts'
import { createTrailVerificationJob } from '#server/jobs/verify-audit-trail.ts'
import { clockBackupJob } from '#server/use-cases/hosting/backups/begin-backup.ts'
import { drillJob } from '#server/use-cases/hosting/backups/drill.ts'
import { publishJob } from '#server/use-cases/catalogue/publish-apps.ts'
import { rehearseJob } from '#server/use-cases/catalogue/rehearse-prices.ts'
import { pushJob } from '#server/db/notifications/push-devices.ts'
import { createPushDriver, type PushDriver } from '#server/drivers/push/push-driver.ts'
import { createPushJob } from '#server/jobs/send-push.ts'
import { mailJob } from '#server/use-cases/mail/request-mail.ts'
import { reconciliationJob } from '#server/use-cases/payments/request-reconciliation.ts'

export type JobKinds = Readonly<Record<string, JobKind>>

// Input and point of a job are read from the database as its kind wrote them, so this cast is safe.
const toJobKind = <I, P, O>(jobKind: JobKind<I, P, O>) => jobKind as unknown as JobKind

export const requestJobKinds: JobKinds = {
  'verify-trail': toJobKind(createTrailVerificationJob()),
  'check-money': toJobKind(createMoneyCheckJob()),
  [publishJob]: toJobKind(createPublishJob()),
  [rehearseJob]: toJobKind(createRehearsalJob()),
}

export const scheduledJobKinds: JobKinds = { [orderUpkeepJob]: toJobKind(createOrderUpkeepJob()) }

/** Groups run in parallel, so that a slow gateway, host or mail server does not delay the other jobs. */
export const paymentJobKinds: JobKinds = {
  [reconciliationJob]: toJobKind(createPaymentCheckJob()),
  [reconcileJob]: toJobKind(createReconcileJob()),
}

export const hostingJobKinds: JobKinds = Object.fromEntries(
  hostOperations.map((name) => [name, toJobKind(createServiceOperationJob(name))]),
)

export const backupJobKinds: JobKinds = {
  'run-backup': toJobKind(createBackupJob({ isQuiet: false })),
  [clockBackupJob]: toJobKind(createBackupJob({ isQuiet: true })),
  [drillJob]: toJobKind(createDrillJob()),
}

/** A separate group, because a user waits for a restore. */
export const restoreJobKinds: JobKinds = { 'restore-backup': toJobKind(createRestoreJob()) }

export const createMailJobKinds = (driver: MailDriver): JobKinds => ({ [mailJob]: toJobKind(createMailJob(driver)) })

/** A group of its own, so that a slow push service delays no mails. */
export const createPushJobKinds = (driver: PushDriver = createPushDriver()): JobKinds => ({
  [pushJob]: toJobKind(createPushJob(driver)),
})

/** Returns the endpoint whose output schema applies to the results of this kind of job, or undefined if no endpoint starts it. */
export const findJobEndpoint = (name: string): Endpoint | undefined =>
  endpoints.find(({ job: jobName }) => jobName === name)
