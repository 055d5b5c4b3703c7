/** Every kind of long request, by the name that its endpoint gives in `relays`. */
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import type { MailDriver } from '#server/drivers/mail/driver.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { drillBackup } from '#server/jobs/drill-backup.ts'
import { hostOperations, operate } from '#server/jobs/operate-service.ts'
import { publishPackages } from '#server/jobs/publish-apps.ts'
import { lookAfterPayments, reconcileJob, reconcilePayments } from '#server/jobs/reconcile-payments.ts'
import { rehearsePrices } from '#server/jobs/rehearse-prices.ts'
import { restoreBackup } from '#server/jobs/restore-backup.ts'
import { runBackup } from '#server/jobs/run-backup.ts'
import { sendMail } from '#server/jobs/send-mail.ts'
import { tendJob, tendOrders } from '#server/jobs/expire-orders.ts'
import { verifyTrail } from '#server/jobs/verify-audit-trail.ts'
import { clockBackupJob } from '#server/use-cases/hosting/backups/begin-backup.ts'
import { drillJob } from '#server/use-cases/hosting/backups/drill.ts'
import { publishJob } from '#server/use-cases/catalogue/publish-apps.ts'
import { rehearseJob } from '#server/use-cases/catalogue/rehearse-prices.ts'
import { mailJob } from '#server/use-cases/mail/request-mail.ts'
import { lookJob } from '#server/use-cases/payments/request-reconciliation.ts'

export type Kinds = Readonly<Record<string, JobKind>>

// A kind's input and point come back from the database as it wrote them: the types meet again there.
const kind = <I, P, O>(one: JobKind<I, P, O>) => one as unknown as JobKind

export const kinds: Kinds = {
  'verify-trail': kind(verifyTrail()),
  [publishJob]: kind(publishPackages()),
  [rehearseJob]: kind(rehearsePrices()),
}

/** Asked for by the clock and by no call. */
export const clockKinds: Kinds = { [tendJob]: kind(tendOrders()) }

/** Apart from the others, which must not wait for a gateway that takes its time. */
export const paymentKinds: Kinds = { [lookJob]: kind(lookAfterPayments()), [reconcileJob]: kind(reconcilePayments()) }

/** Apart from the others: a host takes its time. */
export const hostingKinds: Kinds = Object.fromEntries(hostOperations.map((name) => [name, kind(operate(name))]))

/** Apart from them: backups take long, and are many in the night. */
export const backupKinds: Kinds = {
  'run-backup': kind(runBackup({ quiet: false })),
  [clockBackupJob]: kind(runBackup({ quiet: true })),
  [drillJob]: kind(drillBackup()),
}

/** Apart from those: somebody waits for it. */
export const restoreKinds: Kinds = { 'restore-backup': kind(restoreBackup()) }

/** Apart from the others, which must not wait for a mail server that takes its time. */
export const mailKinds = (driver: MailDriver): Kinds => ({ [mailJob]: kind(sendMail(driver)) })

/** Whose answer a job of this kind gives. */
export const endpointOf = (name: string): Endpoint | undefined => endpoints.find(({ job: relays }) => relays === name)
