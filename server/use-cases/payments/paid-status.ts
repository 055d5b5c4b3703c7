import { toPayableRef } from '#server/db/payments/payables.ts'
import type { AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'

/**
 * Status of a payment for which money was taken. `received` means that the payment had no effect and became a task of the staff (decision
 * 62).
 */
export type PaidStatus = 'paid' | 'received'

export const toPaidStatus = (payable: { isPaid: boolean } | null): PaidStatus => (payable?.isPaid ? 'paid' : 'received')

export const readPaidStatus = (app: AppContext, attempt: AttemptRecord): Promise<PaidStatus> =>
  writeAsSystem(app, async (db) =>
    toPaidStatus(await findPayable({ db, app, now: app.clock() }, toPayableRef(attempt))),
  )
