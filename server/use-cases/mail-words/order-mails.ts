/** Mails about orders: asked for with what they are about, and dropped where that is no longer so when they are sent. */
import { type ContractState, type Reminder, stateOf } from '#domain/contracts.ts'
import { grouped } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import { compareTerms } from '#domain/term-change.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { invoiceOf } from '#server/db/payments/payments.ts'
import { storedOrder } from '#server/db/orders/reminders.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ChangeMail, OrderMail } from '#server/use-cases/mail/mail-kinds.ts'
import { daysLeftText } from '#server/use-cases/mail-words/days-left-text.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { dueText } from '#server/use-cases/payments/due-text.ts'

const kinds = { due: 'order-due', expiry: 'order-expiry', expired: 'order-expired' } as const
export const mailOf = ({ of }: Pick<Reminder, 'of'>): OrderMail => kinds[of]

/** In which state of its order a mail makes sense. */
const serves: Record<Exclude<OrderMail, 'order-paid'>, ContractState> = {
  'order-due': 'unpaid',
  'order-expiry': 'effective',
  'order-expired': 'expired',
  'order-overdue': 'invalid',
}

/** A change or an extension leaves the contract as it is, whatever becomes of the order. */
const changeTemplates = { 'order-due': 'change-due', 'order-overdue': 'change-overdue' } as const

export interface OrderWords {
  /** In place of the mail's own template. */
  template?: ChangeMail
  /** What is to be paid: "Change (5 → 12 users)". */
  matter?: string
  /** "in 7 days" */
  left?: string
  service: string
  date: string
  amount: string
  path: string
  /** The number of the invoice, on a receipt. */
  invoice?: string
}

/** What the mail says of the order as it is now; null: it was paid, extended or deleted meanwhile. */
export async function wordsOf(
  db: Handle,
  app: AppContext,
  { mail, orderId }: { mail: OrderMail; orderId: number },
  language: Language,
): Promise<OrderWords | null> {
  if (mail === 'order-paid') return await receiptOf(db, orderId, language)
  const order = await storedOrder(db, orderId)
  if (!order || stateOf(order, momentOf({ app, now: app.clock() }).now) !== serves[mail]) return null
  const isUnpaid = mail === 'order-due' || mail === 'order-overdue'
  const date = isUnpaid ? order.due.slice(0, 16) : lastDay(order.period_end)
  const change = order.base ? compareTerms(order.base, order) : null
  const until = lastDay(order.period_end)
  return {
    ...(isUnpaid && order.type !== 'create' ? { template: changeTemplates[mail] } : {}),
    matter: dueText({ type: order.type, change: order.type === 'change' ? change : null, until }, language),
    left: daysLeftText(momentOf({ app, now: app.clock() }).today, date.slice(0, 10), language),
    service: order.code,
    date,
    amount: `${order.currency} ${grouped(order.amount)}`,
    path: `/saas/app/contract${mail === 'order-overdue' ? '' : `/${order.id}`}?lang=${language}`,
  }
}

/** As it stands on the invoice, whatever became of the order since. */
async function receiptOf(db: Handle, orderId: number, language: Language): Promise<OrderWords | null> {
  const invoice = await invoiceOf(db, { kind: 'order', id: orderId })
  if (!invoice) return null
  const { service, currency, pay_amount, payment } = invoice.content
  return {
    service: service.code,
    date: payment.paid,
    amount: `${currency} ${grouped(pay_amount)}`,
    path: `/saas/app/contract/${orderId}?lang=${language}`,
    invoice: invoice.code,
  }
}
