/** Builds the values of mails about orders. If the state of the order has changed before a mail is sent, the mail is dropped. */
import { type ContractState, type ContractReminder, getContractState } from '#domain/contracts.ts'
import { groupThousands } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { compareTerms } from '#domain/term-change.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { readStoredOrder } from '#server/db/orders/reminders.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ChangeMail, OrderMail } from '#server/use-cases/mail/mail-kinds.ts'
import { readReceiptMailValues } from '#server/use-cases/mail-words/receipt-mails.ts'
import { formatDaysLeft } from '#server/use-cases/mail-words/days-left-text.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { formatDueText } from '#server/use-cases/payments/due-text.ts'

const mailKinds = { due: 'order-due', expiry: 'order-expiry', expired: 'order-expired' } as const
export const getReminderMail = ({ kind }: Pick<ContractReminder, 'kind'>): OrderMail => mailKinds[kind]

const validStates: Record<Exclude<OrderMail, 'order-paid'>, ContractState> = {
  'order-due': 'unpaid',
  'order-expiry': 'effective',
  'order-expired': 'expired',
  'order-overdue': 'invalid',
}

/** If a change or an extension is not paid, the contract stays as it is, so these mails have their own texts. */
const changeTemplates = { 'order-due': 'change-due', 'order-overdue': 'change-overdue' } as const

export interface OrderMailValues {
  /** Used in place of the mail's own template. */
  template?: ChangeMail
  /** What is to be paid, such as "Change (5 → 12 users)". */
  matter?: string
  /** A text such as "in 7 days". */
  left?: string
  service: string
  date: string
  amount: string
  path: string
  invoice?: string
}

/**
 * Returns the current values of the order, or null if the reason of the mail no longer applies. A receipt gets the values of the invoice.
 */
export async function readOrderMailValues(
  db: DatabaseHandle,
  app: AppContext,
  { mail, orderId }: { mail: OrderMail; orderId: number },
  language: Language,
): Promise<OrderMailValues | null> {
  if (mail === 'order-paid') {
    const receipt = await readReceiptMailValues(db, { kind: 'order', id: orderId })
    return receipt && { ...receipt, path: `/saas/app/contract/${orderId}?lang=${language}` }
  }
  const order = await readStoredOrder(db, orderId)
  if (!order || getContractState(order, getBusinessMoment({ app, now: app.clock() }).now) !== validStates[mail])
    return null
  const isUnpaid = mail === 'order-due' || mail === 'order-overdue'
  const date = isUnpaid ? order.due.slice(0, 16) : getLastDay(order.period_end)
  const change = order.base ? compareTerms(order.base, order) : null
  const until = getLastDay(order.period_end)
  return {
    ...(isUnpaid && order.type !== 'create' ? { template: changeTemplates[mail] } : {}),
    matter: formatDueText({ type: order.type, change: order.type === 'change' ? change : null, until }, language),
    left: formatDaysLeft(getBusinessMoment({ app, now: app.clock() }).today, date.slice(0, 10), language),
    service: order.code,
    date,
    amount: `${order.currency} ${groupThousands(order.amount)}`,
    path: `/saas/app/contract${mail === 'order-overdue' ? '' : `/${order.id}`}?lang=${language}`,
  }
}
