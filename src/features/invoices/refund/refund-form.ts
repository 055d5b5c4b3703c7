/** Values of the refund form and their checks, which are the same as those of the server. */
import { type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** The parts of a row of the register that a refund needs. */
export interface RefundedDocument {
  id: number
  code: string
  currency: string
  amount: string
  refunded: string
  /** Sum of the refunds in progress. */
  refunding: string
  /** Gateway of the payment. */
  method: string
}

export interface RefundValues {
  amount: string
  reason: string
  route: 'gateway' | 'transfer'
  reference: string
  date: string
  confirmation: string
}

export type RefundField = Exclude<keyof RefundValues, 'route'>
export type RefundFault = RefundField | 'tooMuch' | 'nothingLeft' | 'referenceUsed'

export const reasonLimit = 500

/** What the staff see before they refund. The server refuses the refund if there was another one in the meantime. */
export interface RefundFigures {
  left: Hundredths
  refundedBefore: Hundredths
}

export function getFigures({ amount, refunded, refunding }: RefundedDocument): RefundFigures {
  const refundedBefore = readAmount(refunded) + readAmount(refunding)
  return { left: readAmount(amount) - refundedBefore, refundedBefore }
}

const amountPattern = /^(\d{1,13}|\d{1,3}(,\d{3}){1,4})(\.\d{1,2})?$/

/**
 * Returns the amount in hundredths, or null if the text is no amount with at most two decimals. A comma only separates thousands: "120,50" is
 * no amount.
 */
export function parseTypedAmount(text: string): Hundredths | null {
  const amount = text.trim()
  return amountPattern.test(amount) ? readAmount(amount.replaceAll(',', '')) : null
}

export const toRefundBody = (
  { amount, reason, route, reference, date, confirmation }: RefundValues,
  { refundedBefore }: RefundFigures,
) => ({
  amount: writeAmount(parseTypedAmount(amount) ?? 0n),
  refunded_before: writeAmount(refundedBefore),
  reason: reason.trim(),
  route,
  confirmation: confirmation.trim(),
  ...(route === 'transfer' ? { reference: reference.trim(), date: date.trim() } : {}),
})

interface RefundCheck extends Pick<RefundFigures, 'left'> {
  code: string
  /** Null if it is unknown. The server alone then checks that the date is not in the future. */
  today: PlainDate | null
}

/** Returns the fault of each field that has one. */
export function findRefundFaults(
  { amount, reason, route, reference, date, confirmation }: RefundValues,
  { left, code, today }: RefundCheck,
): Partial<Record<RefundField, RefundFault>> {
  const faults: Partial<Record<RefundField, RefundFault>> = {}
  const typedAmount = parseTypedAmount(amount)
  if (left <= 0n) faults.amount = 'nothingLeft'
  else if (typedAmount === null || typedAmount === 0n) faults.amount = 'amount'
  else if (typedAmount > left) faults.amount = 'tooMuch'
  if (reason.trim() === '' || reason.trim().length > reasonLimit) faults.reason = 'reason'
  if (confirmation.trim().toUpperCase() !== code) faults.confirmation = 'confirmation'
  if (route === 'gateway') return faults
  if (reference.trim() === '') faults.reference = 'reference'
  if (!isDay(date.trim()) || (today !== null && date.trim() > today)) faults.date = 'date'
  return faults
}
