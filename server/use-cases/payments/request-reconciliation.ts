import { randomBytes } from 'node:crypto'
import type { DatabaseHandle } from '#server/db/database.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import { scheduleImmediateCheck } from '#server/db/payments/payment-attempts.ts'

export const reconciliationJob = 'look-after-payments'
const deadlineMs = 3_600_000

/** Requests a job that queries due payments. Returns false if a job with the same `intent` is already waiting or running. */
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

/** Called if the payable can no longer be paid. A job cancels its started payments at the gateway soon after the commit. */
export async function requestPaymentsEnd(db: DatabaseHandle, payableRef: PayableRef, now: number): Promise<void> {
  if (await scheduleImmediateCheck(db, payableRef, now))
    await requestReconciliation(db, { companyId: 0, intent: `end-${payableRef.kind}-${payableRef.id}`, now })
}
