/** Requests the mails of a receipt: one to the payer and one to each user with the order right (decision 77). */
import type { DatabaseHandle } from '#server/db/database.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import type { PayableItemRef } from '#server/db/payments/payables.ts'
import type { MailRequest } from '#server/use-cases/mail/mail-kinds.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import type { LockedPayable } from '#server/use-cases/payments/payable.ts'

interface ReceiptInput {
  payable: Pick<LockedPayable, 'companyId' | 'items'>
  /** Null if the payer is not a user or is unknown. */
  payer: number | null
  now: number
}

/**
 * Runs in the transaction that puts the payment into effect, so that no receipt is lost or sent twice. Each item has its own receipt,
 * because each has its own invoice.
 */
export async function requestReceipts(
  db: DatabaseHandle,
  { payable: { companyId, items }, payer, now }: ReceiptInput,
): Promise<void> {
  const userIds = new Set([...(payer === null ? [] : [payer]), ...(await listOrderingUsers(db, companyId))])
  for (const { itemRef } of items)
    for (const userId of userIds) await requestMail(db, { companyId, now }, buildReceiptMail(userId, itemRef))
}

function buildReceiptMail(userId: number, { kind, id }: PayableItemRef): MailRequest {
  if (kind === 'order') return { mail: 'order-paid', userId, orderId: id }
  return kind === 'backup'
    ? { mail: 'backup-paid', userId, backupId: id }
    : { mail: 'traffic-paid', userId, trafficId: id }
}
