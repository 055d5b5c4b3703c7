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
export type RefundFault = RefundField | 'tooMuch' | 'nothingLeft'

export const reasonLimit = 500

export const getLeft = ({ amount, refunded }: RefundedDocument): Hundredths => readAmount(amount) - readAmount(refunded)

/** Returns the amount in hundredths, or null if the text is no amount with at most two decimals. Groups of digits may be separated. */
export function parseTypedAmount(text: string): Hundredths | null {
  const digits = text.replaceAll(/[\s,]/g, '')
  return /^\d{1,13}(\.\d{1,2})?$/.test(digits) ? readAmount(digits) : null
}

export const toRefundBody = ({ amount, reason, route, reference, date, confirmation }: RefundValues) => ({
  amount: writeAmount(parseTypedAmount(amount) ?? 0n),
  reason: reason.trim(),
  route,
  confirmation: confirmation.trim(),
  ...(route === 'transfer' ? { reference: reference.trim(), date: date.trim() } : {}),
})

/** Returns the fault of each field that has one. Without `today` the server alone checks that the date is not in the future. */
export function findRefundFaults(
  document: RefundedDocument,
  { amount, reason, route, reference, date, confirmation }: RefundValues,
  today: PlainDate | null,
): Partial<Record<RefundField, RefundFault>> {
  const faults: Partial<Record<RefundField, RefundFault>> = {}
  const typedAmount = parseTypedAmount(amount)
  const left = getLeft(document)
  if (left <= 0n) faults.amount = 'nothingLeft'
  else if (typedAmount === null || typedAmount === 0n) faults.amount = 'amount'
  else if (typedAmount > left) faults.amount = 'tooMuch'
  if (reason.trim() === '' || reason.trim().length > reasonLimit) faults.reason = 'reason'
  if (confirmation.trim().toUpperCase() !== document.code) faults.confirmation = 'confirmation'
  if (route === 'gateway') return faults
  if (reference.trim() === '') faults.reference = 'reference'
  if (!isDay(date.trim()) || (today !== null && date.trim() > today)) faults.date = 'date'
  return faults
}
