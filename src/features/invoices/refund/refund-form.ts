/** Values of the refund form and their checks, which are the same as those of the server. */
import { type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { parseTypedAmount } from '#patterns/parse-typed-amount.ts'

/** The parts of a row of the register that a refund needs. */
export interface RefundedDocument {
  id: number
  code: string
  currency: string
  amount: string
  refunded: string
  /** Sum of the refunds in progress. */
  refunding: string
  /** Gateway of the payment, or `credit` or `transfer`. */
  method: string
}

export type RefundRoute = 'gateway' | 'transfer' | 'credit'

/** Returns the routes that a payment allows, the default first. No gateway took the money of a payment with credit or by transfer. */
export const listRoutes = ({ method }: Pick<RefundedDocument, 'method'>): [RefundRoute, ...RefundRoute[]] =>
  method === 'credit' || method === 'transfer' ? ['credit', 'transfer'] : ['gateway', 'credit', 'transfer']

export interface RefundValues {
  amount: string
  reason: string
  route: RefundRoute
  reference: string
  date: string
  confirmation: string
}

/** The values that the staff have changed. */
export type RefundDraft = Partial<RefundValues>

export type RefundField = Exclude<keyof RefundValues, 'route'>
export type RefundFault = RefundField | 'reasonTooLong' | 'tooMuch' | 'nothingLeft' | 'referenceUsed'

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

/** Chinese keyboards may type wide letters and digits. */
const normaliseConfirmation = (text: string) => text.normalize('NFKC').trim().toUpperCase()

export const toRefundBody = (
  { amount, reason, route, reference, date, confirmation }: RefundValues,
  { refundedBefore }: RefundFigures,
) => ({
  amount: writeAmount(parseTypedAmount(amount) ?? 0n),
  refunded_before: writeAmount(refundedBefore),
  reason: reason.trim(),
  route,
  confirmation: normaliseConfirmation(confirmation),
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
  if (reason.trim() === '') faults.reason = 'reason'
  else if (reason.trim().length > reasonLimit) faults.reason = 'reasonTooLong'
  if (normaliseConfirmation(confirmation) !== code) faults.confirmation = 'confirmation'
  if (route !== 'transfer') return faults
  if (reference.trim() === '') faults.reference = 'reference'
  if (!isDay(date.trim()) || (today !== null && date.trim() > today)) faults.date = 'date'
  return faults
}
