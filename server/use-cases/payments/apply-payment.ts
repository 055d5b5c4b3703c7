/** Puts payments into effect that gateways report. A repeated or late notification has no second effect. */
import { readAmount } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { addCreditEntry, lockCredit } from '#server/db/payments/credit.ts'
import {
  type AttemptRecord,
  getAttempt,
  listUnsettledAttempts,
  releaseCredit,
} from '#server/db/payments/payment-attempts.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import { insertPayment, findPayment, type PaymentRecord } from '#server/db/payments/payments.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { openTask } from '#server/use-cases/payments/open-task.ts'
import {
  type AppliedItem,
  applyToItems,
  type LockedPayable,
  type PaymentContext,
  type ReceivedPayment,
  toPaidColumns,
} from '#server/use-cases/payments/payable.ts'

export interface AppliedPayment {
  outcome: PaymentRecord['outcome']
  isRepeated: boolean
  payable: LockedPayable
  /** One for each item that took effect, or one for money without effect. Empty if the payment is repeated. */
  auditEntries: AuditEntry[]
}

/**
 * A payment that does not match becomes a task for the staff, with all its money. Returns null if the payable does not exist.
 */
export async function applyPayment(
  context: PaymentContext,
  payableRef: PayableRef,
  receivedPayment: ReceivedPayment,
): Promise<AppliedPayment | null> {
  const { db, now } = context
  const payable = await findPayable(context, payableRef)
  if (!payable) return null
  const { companyId } = payable
  const createRepeatedResult = (outcome: PaymentRecord['outcome']): AppliedPayment => ({
    outcome,
    isRepeated: true,
    payable,
    auditEntries: [],
  })
  const knownPayment = await findPayment(db, receivedPayment.gateway, receivedPayment.reference)
  if (knownPayment) return createRepeatedResult(knownPayment.outcome)
  const { credit = '0.00', attemptId = null } = receivedPayment
  const claim = { companyId, currency: payable.currency, payableRef, credit, attemptId }
  const payment = { ...receivedPayment, credit: await claimCredit(db, claim) }
  const outcome = await decideOutcome(context, payable, payment)
  const { gateway, reference, amount, currency, paidAt } = payment
  const paymentId = await insertPayment(db, {
    company_id: companyId,
    ...toPaidColumns(payableRef, payable),
    gateway,
    reference,
    amount,
    currency,
    paid_at: paidAt,
    outcome,
    create_time: now,
  })
  if (paymentId === null) return createRepeatedResult((await findPayment(db, gateway, reference))?.outcome ?? outcome)
  if (outcome !== 'applied') {
    await openTask(context, { companyId, paymentId, attemptId: payment.attemptId ?? null })
    // The money of several items is one sum, which belongs to none of them.
    const auditEntries = [buildEntry(describeItems(payable), payment, { amount: `${currency} ${amount}`, outcome })]
    return { outcome, isRepeated: false, payable, auditEntries }
  }
  await useCredit(context, payable, { paymentId, credit: payment.credit, attemptId: payment.attemptId ?? null })
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  const appliedItems = await applyToItems(payable, payment, changeStamp)
  return { outcome, isRepeated: false, payable, auditEntries: buildAppliedEntries(appliedItems, payment) }
}

interface CreditClaim extends Pick<LockedPayable, 'companyId' | 'currency'>, Pick<AttemptRecord, 'credit'> {
  payableRef: PayableRef
  attemptId: number | null
}

/**
 * Locks the balance, before anything that the payment creates, and returns the part of the attempt that credit pays. What other attempts hold
 * for the same items is available, because they can have no effect any more if the payment is applied. If the attempt was closed and its credit
 * was used otherwise, returns 0.00, so the payment is of another amount (decision 124). The payable must be locked.
 */
export async function claimCredit(
  db: PaymentContext['db'],
  { companyId, currency, payableRef, credit, attemptId }: CreditClaim,
): Promise<string> {
  const part = readAmount(credit)
  if (part === 0n) return credit
  const { available } = await lockCredit(db, { companyId, currency }, attemptId)
  const otherAttempts = (await listUnsettledAttempts(db, payableRef)).filter(({ id }) => id !== attemptId)
  const otherCredit = otherAttempts.reduce((sum, attempt) => sum + readAmount(attempt.credit), 0n)
  return available + otherCredit >= part ? credit : '0.00'
}

/** Takes the part of a payment from the locked balance, and frees what other attempts hold for its items. */
export async function useCredit(
  { db, now }: PaymentContext,
  { companyId, currency, items }: LockedPayable,
  { paymentId, credit, attemptId }: { paymentId: number; credit: string; attemptId: number | null },
): Promise<void> {
  await releaseCredit(
    db,
    items.map(({ itemRef }) => itemRef),
    attemptId,
  )
  const part = readAmount(credit)
  if (part === 0n) return
  const user_id = attemptId === null ? null : (await getAttempt(db, attemptId)).user_id
  const entry = { amount: -part, now, cause: 'payment', payment_id: paymentId, user_id } as const
  await addCreditEntry(db, { companyId, currency }, entry)
}

type AuditTarget = Pick<AuditEntry, 'code' | 'info'>

const buildEntry = (
  { code, info }: AuditTarget,
  { gateway, reference }: Pick<ReceivedPayment, 'gateway' | 'reference'>,
  { amount, outcome }: { amount: string; outcome: PaymentRecord['outcome'] },
): AuditEntry => ({
  code,
  operation: 'pay',
  info: { ...info, Amount: amount, Gateway: gateway, Reference: reference, Outcome: outcome },
})

/** Returns one entry for each item that took effect. */
export const buildAppliedEntries = (
  appliedItems: readonly AppliedItem[],
  payment: Pick<ReceivedPayment, 'gateway' | 'reference'>,
): AuditEntry[] =>
  appliedItems.map(({ item, details }) => {
    const amount = `${item.currency} ${item.pay_amount}`
    const entry = buildEntry(item.auditTarget, payment, { amount, outcome: 'applied' })
    return { ...entry, info: { ...entry.info, ...details }, changes: [{ field: 'status', ...item.status }] }
  })

function describeItems({ items }: LockedPayable): AuditTarget {
  if (items.length === 1) return items[0].auditTarget
  const codes = new Set(items.map(({ code }) => code))
  return { code: 'order', info: { ServiceCode: [...codes].toSorted().join(', ') } }
}

/**
 * Returns `applied` if amount, currency and all items match (S-95). A payment made in time is applied even if its notification is late.
 */
export async function decideOutcome(
  context: PaymentContext,
  { items, currency, pay_amount, due }: LockedPayable,
  payment: Pick<ReceivedPayment, 'amount' | 'credit' | 'currency' | 'paidAt'>,
): Promise<PaymentRecord['outcome']> {
  if (items.some(({ isPaid }) => isPaid)) return 'paid already'
  if (items.some(({ isReplaced }) => isReplaced)) return 'replaced'
  if (payment.currency !== currency) return 'another currency'
  if (readAmount(payment.amount) + readAmount(payment.credit ?? '0.00') !== readAmount(pay_amount))
    return 'another amount'
  const paidTime = toTimestamp(context.app.config.timeZone, payment.paidAt)
  if (items.some(({ hasEnded }) => hasEnded) || (due !== null && paidTime > due)) return 'too late'
  for (const item of items) if (await item.isOvertaken()) return 'replaced'
  return 'applied'
}
