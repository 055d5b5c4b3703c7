/** Money that no order waits for: a task of the provider's admins, who are told by mail. */
import { PROVIDER } from '#domain/access.ts'
import { alertedAdmins } from '#server/db/orders/reminders.ts'
import { insertTask } from '#server/db/payments/payment-tasks.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import type { PaymentWork } from '#server/use-cases/payments/payable.ts'

/** In the transaction that writes the payment down. */
export async function openTask(
  { db, now }: PaymentWork,
  { companyId, paymentId, attemptId }: { companyId: number; paymentId: number; attemptId: number | null },
): Promise<void> {
  const taskId = await insertTask(db, {
    company_id: companyId,
    payment_id: paymentId,
    attempt_id: attemptId,
    create_time: now,
  })
  for (const userId of await alertedAdmins(db, PROVIDER))
    await askMail(db, { companyId, now }, { mail: 'payment-task', userId, taskId })
}
