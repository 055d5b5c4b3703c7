/** Requests the mails of a receipt: one to the payer and one to each user with the order right (decision 77). */
import type { DatabaseHandle } from '#server/db/database.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import type { MailRequest } from '#server/use-cases/mail/mail-kinds.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

interface ReceiptInput {
  companyId: number
  payableRef: PayableRef
  /** Null if the payer is not a user or is unknown. */
  payer: number | null
  now: number
}

/** Runs in the transaction that puts the payment into effect, so that no receipt is lost or sent twice. */
export async function requestReceipts(
  db: DatabaseHandle,
  { companyId, payableRef, payer, now }: ReceiptInput,
): Promise<void> {
  const userIds = new Set([...(payer === null ? [] : [payer]), ...(await listOrderingUsers(db, companyId))])
  for (const userId of userIds) await requestMail(db, { companyId, now }, buildReceiptMail(userId, payableRef))
}

function buildReceiptMail(userId: number, { kind, id }: PayableRef): MailRequest {
  if (kind === 'order') return { mail: 'order-paid', userId, orderId: id }
  return kind === 'backup'
    ? { mail: 'backup-paid', userId, backupId: id }
    : { mail: 'traffic-paid', userId, trafficId: id }
}
