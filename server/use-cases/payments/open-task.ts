/** Creates a task for the provider's admins about a payment that matches no order, and requests mails to them. */
import { PROVIDER } from '#domain/access.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import { insertPaymentTask } from '#server/db/payments/payment-tasks.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import type { PaymentContext } from '#server/use-cases/payments/payable.ts'

export async function openTask(
  { db, now }: PaymentContext,
  { companyId, paymentId, attemptId }: { companyId: number; paymentId: number; attemptId: number | null },
): Promise<void> {
  const taskId = await insertPaymentTask(db, {
    company_id: companyId,
    payment_id: paymentId,
    attempt_id: attemptId,
    create_time: now,
  })
  for (const userId of await listAlertedAdmins(db, PROVIDER))
    await requestMail(db, { companyId, now }, { mail: 'payment-task', userId, taskId })
}
