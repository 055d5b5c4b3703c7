/** Receipts by mail: to who paid and to everybody of the company who orders, each once (decision 77). */
import type { Handle } from '#server/db/handle.ts'
import { orderingUsers } from '#server/db/orders/reminders.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import type { Wanted } from '#server/use-cases/mail/mail-kinds.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'

interface Paid {
  companyId: number
  of: PayableRef
  /** Null: nobody of ours, or nobody knows. */
  payer: number | null
  now: number
}

/** In the transaction that it takes effect in, so that none is lost and none is sent twice. */
export async function askForReceipts(db: Handle, { companyId, of, payer, now }: Paid): Promise<void> {
  const readers = new Set([...(payer === null ? [] : [payer]), ...(await orderingUsers(db, companyId))])
  for (const userId of readers) await askMail(db, { companyId, now }, receiptTo(userId, of))
}

function receiptTo(userId: number, { kind, id }: PayableRef): Wanted {
  if (kind === 'order') return { mail: 'order-paid', userId, orderId: id }
  return kind === 'backup'
    ? { mail: 'backup-paid', userId, backupId: id }
    : { mail: 'traffic-paid', userId, trafficId: id }
}
