/** Asking for a look at what was begun at gateways: by the clock, and at once when the time to pay of an order is over. */
import { randomBytes } from 'node:crypto'
import type { DatabaseHandle } from '#server/db/database.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import { scheduleImmediateCheck } from '#server/db/payments/payment-attempts.ts'

/** The kind of the job. */
export const reconciliationJob = 'look-after-payments'
const deadlineMs = 3_600_000

/** `intent`: who asks with the same one at the same time asks for the same job. False: somebody has. */
export async function requestReconciliation(
  db: DatabaseHandle,
  { companyId, intent, now }: { companyId: number; intent: string; now: number },
): Promise<boolean> {
  const id = randomBytes(16).toString('hex')
  const jobOwner = { companyId, userId: 0, progressKey: '', input: {} }
  return (
    (await tryInsertJob(db, { ...jobOwner, id, intent, kind: reconciliationJob, now, deadline: now + deadlineMs })) !==
    undefined
  )
}

/** What was begun for something that can no longer be paid is ended at the gateway by a job, soon after the commit. */
export async function requestPaymentsEnd(db: DatabaseHandle, payableRef: PayableRef, now: number): Promise<void> {
  if (await scheduleImmediateCheck(db, payableRef, now))
    await requestReconciliation(db, { companyId: 0, intent: `end-${payableRef.kind}-${payableRef.id}`, now })
}
