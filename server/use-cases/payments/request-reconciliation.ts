/** Asking for a look at what was begun at gateways: by the clock, and at once when the time to pay of an order is over. */
import { randomBytes } from 'node:crypto'
import type { Handle } from '#server/db/handle.ts'
import { putJob } from '#server/db/jobs.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import { lookAtOnce } from '#server/db/payments/payment-attempts.ts'

/** The kind of the job. */
export const lookJob = 'look-after-payments'
const deadlineMs = 3_600_000

/** `intent`: who asks with the same one at the same time asks for the same job. False: somebody has. */
export async function askToLook(
  db: Handle,
  { companyId, intent, now }: { companyId: number; intent: string; now: number },
): Promise<boolean> {
  const id = randomBytes(16).toString('hex')
  const nobodys = { companyId, userId: 0, progressKey: '', input: {} }
  return (await putJob(db, { ...nobodys, id, intent, kind: lookJob, now, deadline: now + deadlineMs })) !== undefined
}

/** What was begun for something that can no longer be paid is ended at the gateway by a job, soon after the commit. */
export async function endPayments(db: Handle, of: PayableRef, now: number): Promise<void> {
  if (await lookAtOnce(db, of, now)) await askToLook(db, { companyId: 0, intent: `end-${of.kind}-${of.id}`, now })
}
