/** Receipts by mail: to who paid and to everybody of the company who wants such mails, each once. */
import type { Handle } from '#server/db/handle.ts'
import { alertedUsers } from '#server/db/orders/reminders.ts'
import { askMail } from '#server/services/mail/request-mail.ts'

interface Paid {
  companyId: number
  orderId: number
  /** Null: nobody of ours, or nobody knows. */
  payer: number | null
  now: number
}

/** In the transaction that the order takes effect in, so that none is lost and none is sent twice. */
export async function askForReceipts(db: Handle, { companyId, orderId, payer, now }: Paid): Promise<void> {
  const readers = new Set([...(payer === null ? [] : [payer]), ...(await alertedUsers(db, companyId))])
  for (const userId of readers) await askMail(db, { companyId, now }, { mail: 'order-paid', userId, orderId })
}
