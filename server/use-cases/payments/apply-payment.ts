/**
 * What being paid does: the one way in which what is paid takes effect. Asked for by gateways, by notices that come twice,
 * late or in the wrong order, by staff and by a job that looks for what was cut off: the effect is one.
 */
import { readAmount } from '#domain/money.ts'
import { timestampIn } from '#domain/time.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { columnsFor, type PayableRef } from '#server/db/payments/payables.ts'
import { insertPayment, paymentBy, type PaymentRecord } from '#server/db/payments/payments.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { openTask } from '#server/use-cases/payments/open-task.ts'
import type { Payable, Payment, PaymentWork } from '#server/use-cases/payments/payable.ts'

export interface Applied {
  outcome: PaymentRecord['outcome']
  /** It was known already, and nothing was done. */
  repeated: boolean
  companyId: number
  /** For the trail; null where nothing was done. */
  note: AuditEntry | null
}

/**
 * Writes the payment down and lets what was paid take effect, in the transaction that is handed in. Money that does not fit
 * is written down, has no effect and becomes a task of the provider's staff. Null: there is nothing of that number.
 */
export async function applyPayment(till: PaymentWork, of: PayableRef, payment: Payment): Promise<Applied | null> {
  const { db, now } = till
  const payable = await findPayable(till, of)
  if (!payable) return null
  const { companyId, entry } = payable
  const told = (outcome: PaymentRecord['outcome']): Applied => ({ outcome, repeated: true, companyId, note: null })
  const known = await paymentBy(db, payment.gateway, payment.reference)
  if (known) return told(known.outcome)
  const outcome = await judge(till, payable, payment)
  const { gateway, reference, amount, currency, paidAt } = payment
  const paymentId = await insertPayment(db, {
    company_id: companyId,
    ...columnsFor(of),
    gateway,
    reference,
    amount,
    currency,
    paid_at: paidAt,
    outcome,
    create_time: now,
  })
  if (paymentId === null) return told((await paymentBy(db, gateway, reference))?.outcome ?? outcome)
  const info = { ...entry.info, Amount: `${currency} ${amount}`, Gateway: gateway }
  const note: AuditEntry = {
    code: entry.code,
    operation: 'pay',
    info: { ...info, Reference: reference, Outcome: outcome },
  }
  if (outcome !== 'applied') {
    await openTask(till, { companyId, paymentId, attemptId: payment.attemptId ?? null })
    return { outcome, repeated: false, companyId, note }
  }
  const codes = await payable.takeEffect(payment, { change: await takeChange(db, companyId), time: now })
  const changes = [{ field: 'status', ...payable.status }]
  return { outcome, repeated: false, companyId, note: { ...note, info: { ...note.info, ...codes }, changes } }
}

/** Amount, currency and what is paid have to match (S-95); what was paid in time counts, however late it is told. */
async function judge(till: PaymentWork, payable: Payable, payment: Payment): Promise<PaymentRecord['outcome']> {
  if (payable.isPaid) return 'paid already'
  if (payable.isReplaced) return 'replaced'
  if (payment.currency !== payable.currency) return 'another currency'
  if (readAmount(payment.amount) !== readAmount(payable.pay_amount)) return 'another amount'
  const paid = timestampIn(till.app.config.timeZone, payment.paidAt)
  if (payable.hasEnded || (payable.due !== null && paid > payable.due)) return 'too late'
  return (await payable.isOvertaken()) ? 'replaced' : 'applied'
}
