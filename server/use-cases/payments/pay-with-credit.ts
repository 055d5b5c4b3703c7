/** Pays items completely with the company's credit balance, without a gateway (decision 124). */
import { readAmount, writeAmount } from '#domain/money.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { addCreditEntry, lockCredit } from '#server/db/payments/credit.ts'
import { releaseCredit, scheduleImmediateCheck } from '#server/db/payments/payment-attempts.ts'
import { requireItemsRef } from '#server/db/payments/payment-groups.ts'
import { insertPayment } from '#server/db/payments/payments.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { buildAppliedEntries, decideOutcome } from '#server/use-cases/payments/apply-payment.ts'
import { requestReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import {
  applyToItems,
  type LockedPayable,
  type PaymentContext,
  toPaidColumns,
} from '#server/use-cases/payments/payable.ts'

interface CreditPaymentInput {
  /** `transfer` if it is paid when a bank transfer is credited. */
  method: 'credit' | 'transfer'
  /** Unique among the payments of the method, because the payment is stored under it. Printed on the invoices. */
  reference: string
  poNumber: string | null
  /** Id of the payer, who gets a receipt. Null if the payer is unknown. */
  user: number | null
  /** Epoch ms. */
  paidAt: number
}

/** Reasons of decision 62 in the words of a refusal. */
const refusals = {
  'paid already': 'paidAlready',
  replaced: 'replaced',
  'too late': 'invalid',
  'another amount': 'invalid',
  'another currency': 'invalid',
} as const

/**
 * Puts all items of a locked payable into effect. Returns the entries of the audit trail, which the caller stores. Needs the system role.
 * Throws STATE_CONFLICT with the reason if an item can no longer be paid, or `creditTooLow` with `available` and `amount`. Nothing is written
 * then, as long as the caller does not commit.
 */
export async function payWithCredit(
  context: PaymentContext,
  payable: LockedPayable,
  { method, reference, poNumber, user, paidAt }: CreditPaymentInput,
): Promise<AuditEntry[]> {
  const { db, now } = context
  const { companyId, currency, pay_amount: amount } = payable
  const items = payable.items.map(({ itemRef }) => itemRef)
  const payableRef = await requireItemsRef(db, { companyId, items }, now)
  // A payment that is still open for an item can have no effect any more, so it no longer needs its part.
  await releaseCredit(db, items)
  const { available } = await lockCredit(db, { companyId, currency })
  if (payable.refusal) throw new ProblemError('STATE_CONFLICT', { why: payable.refusal })
  const outcome = await decideOutcome(context, payable, { amount: '0.00', credit: amount, currency, paidAt })
  if (outcome !== 'applied') throw new ProblemError('STATE_CONFLICT', { why: refusals[outcome] })
  if (available < readAmount(amount)) {
    const figures = { available: writeAmount(available < 0n ? 0n : available), amount, currency }
    throw new ProblemError('STATE_CONFLICT', { why: 'creditTooLow', ...figures })
  }
  const paymentId = await insertPayment(db, {
    company_id: companyId,
    ...toPaidColumns(payableRef, payable),
    gateway: method,
    reference,
    amount: '0.00',
    currency,
    paid_at: paidAt,
    outcome,
    create_time: now,
  })
  if (paymentId === null) throw new Error('a payment with this reference exists')
  await addCreditEntry(
    db,
    { companyId, currency },
    { amount: -readAmount(amount), now, cause: 'payment', payment_id: paymentId, user_id: user },
  )
  const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
  const details = { gateway: method, reference, paidAt, poNumber, credit: amount }
  const appliedItems = await applyToItems(payable, details, changeStamp)
  // A payment that is still open is cancelled at its gateway, or its money becomes a task.
  await scheduleImmediateCheck(db, payableRef, now)
  await requestReceipts(db, { payable, payer: user, now })
  return buildAppliedEntries(appliedItems, details)
}
