/** Builds the values of mails about payments that matched no order. */
import { groupThousands } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findPaymentTask } from '#server/db/payments/payment-tasks.ts'
import type { AppContext } from '#server/context/context.ts'
import type { TaskMail } from '#server/use-cases/mail/mail-kinds.ts'

interface TaskMailValues {
  service: string
  customer: string
  amount: string
  date: string
  path: string
}

/** Returns null if the state of the task no longer fits the mail. Runs as the system role. */
export async function readTaskMailValues(
  db: DatabaseHandle,
  { config }: AppContext,
  { mail, taskId }: { mail: TaskMail; taskId: number },
  language: Language,
): Promise<TaskMailValues | null> {
  const task = await findPaymentTask(db, taskId)
  const isDue = mail === 'payment-task' ? task?.state === 'open' : task?.state === 'refunded'
  if (!task || !isDue) return null
  const { code, company_name: customer, currency, amount, create_time, end_time } = task
  const page = mail === 'payment-task' ? 'home' : 'contract'
  return {
    service: code,
    customer,
    amount: `${currency} ${groupThousands(amount)}`,
    date: toTimestamp(config.timeZone, end_time ?? create_time).slice(0, 16),
    path: `/saas/app/${page}?lang=${language}`,
  }
}
