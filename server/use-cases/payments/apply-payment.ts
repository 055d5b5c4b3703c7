/** Puts payments into effect that gateways report. A repeated or late notification has no second effect. */
import { readAmount } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { toPayableColumns, type PayableRef } from '#server/db/payments/payables.ts'
import { insertPayment, findPayment, type PaymentRecord } from '#server/db/payments/payments.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { openTask } from '#server/use-cases/payments/open-task.ts'
import type { LockedPayable, ReceivedPayment, PaymentContext } from '#server/use-cases/payments/payable.ts'

export interface AppliedPayment {
  outcome: PaymentRecord['outcome']
  isRepeated: boolean
  companyId: number
  auditEntry: AuditEntry | null
}

/** A payment that does not match becomes a task for the staff. Returns null if the payable does not exist. */
export async function applyPayment(
  context: PaymentContext,
  payableRef: PayableRef,
  payment: ReceivedPayment,
): Promise<AppliedPayment | null> {
  const { db, now } = context
  const payable = await findPayable(context, payableRef)
  if (!payable) return null
  const { companyId, auditTarget: entry } = payable
  const createRepeatedResult = (outcome: PaymentRecord['outcome']): AppliedPayment => ({
    outcome,
    isRepeated: true,
    companyId,
    auditEntry: null,
  })
  const knownPayment = await findPayment(db, payment.gateway, payment.reference)
  if (knownPayment) return createRepeatedResult(knownPayment.outcome)
  const outcome = await decideOutcome(context, payable, payment)
  const { gateway, reference, amount, currency, paidAt } = payment
  const paymentId = await insertPayment(db, {
    company_id: companyId,
    ...toPayableColumns(payableRef),
    gateway,
    reference,
    amount,
    currency,
    paid_at: paidAt,
    outcome,
    create_time: now,
  })
  if (paymentId === null) return createRepeatedResult((await findPayment(db, gateway, reference))?.outcome ?? outcome)
  const info = { ...entry.info, Amount: `${currency} ${amount}`, Gateway: gateway }
  const auditEntry: AuditEntry = {
    code: entry.code,
    operation: 'pay',
    info: { ...info, Reference: reference, Outcome: outcome },
  }
  if (outcome !== 'applied') {
    await openTask(context, { companyId, paymentId, attemptId: payment.attemptId ?? null })
    return { outcome, isRepeated: false, companyId, auditEntry }
  }
  const codes = await payable.takeEffect(payment, { change: await takeChangeNumber(db, companyId), time: now })
  const changes = [{ field: 'status', ...payable.status }]
  return {
    outcome,
    isRepeated: false,
    companyId,
    auditEntry: { ...auditEntry, info: { ...auditEntry.info, ...codes }, changes },
  }
}

/** Returns `applied` if amount, currency and payable match (S-95). A payment made in time is applied even if its notification is late. */
async function decideOutcome(
  context: PaymentContext,
  payable: LockedPayable,
  payment: ReceivedPayment,
): Promise<PaymentRecord['outcome']> {
  if (payable.isPaid) return 'paid already'
  if (payable.isReplaced) return 'replaced'
  if (payment.currency !== payable.currency) return 'another currency'
  if (readAmount(payment.amount) !== readAmount(payable.pay_amount)) return 'another amount'
  const paidTime = toTimestamp(context.app.config.timeZone, payment.paidAt)
  if (payable.hasEnded || (payable.due !== null && paidTime > payable.due)) return 'too late'
  return (await payable.isOvertaken()) ? 'replaced' : 'applied'
}
