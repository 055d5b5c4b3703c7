import { type Hundredths, readAmount } from '#domain/money.ts'

const amountPattern = /^(\d{1,13}|\d{1,3}(,\d{3}){1,4})(\.\d{1,2})?$/

/**
 * Returns the amount in hundredths, or null if the text is no amount with at most two decimals. A comma only separates thousands: "120,50" is
 * no amount. Wide digits, which Chinese keyboards may type, count as digits.
 */
export function parseTypedAmount(text: string): Hundredths | null {
  const amount = text.normalize('NFKC').trim()
  return amountPattern.test(amount) ? readAmount(amount.replaceAll(',', '')) : null
}
