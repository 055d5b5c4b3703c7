/**
 * Exact amounts (D13): whole hundredths as `bigint`, never binary fractions. Percents and GB are hundredths too. On the
 * wire an amount is a string with two decimals.
 */
export type Hundredths = bigint

export const currencies = ['HKD', 'USD', 'RMB'] as const
export type Currency = (typeof currencies)[number]

/** The largest that fits the wire and the database: 13 digits before the point. */
export const maxAmount: Hundredths = 10n ** 15n - 1n

const amountPattern = /^(-?)(\d+)(?:\.(\d{1,2}))?$/

/** Throws RangeError for what is no decimal number of at most two places. */
export function readAmount(text: string): Hundredths {
  const match = amountPattern.exec(text)
  if (!match) throw new RangeError(`"${text}" is no amount with two decimals`)
  const [, minus, units = '', decimals = ''] = match
  const size = BigInt(units) * 100n + BigInt(decimals.padEnd(2, '0'))
  return minus ? -size : size
}

/** `1234.50`: as it goes over the wire. */
export function writeAmount(amount: Hundredths): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** `1,234.50`, of an amount as it is written: what people see, alike in both languages (contracts 9). */
export const groupThousands = (amount: string): string => amount.replace(/\B(?=(\d{3})+\.)/g, ',')

/** Half away from zero (D13); the divisor is positive. */
export function divideRounded(amount: bigint, divisor: bigint): bigint {
  const size = amount < 0n ? -amount : amount
  const rounded = (2n * size + divisor) / (2n * divisor)
  return amount < 0n ? -rounded : rounded
}

/** So many percent of it, rounded; the percent in hundredths. */
export const calculatePercent = (amount: Hundredths, percent: Hundredths): Hundredths =>
  divideRounded(amount * percent, 10_000n)

export const getLarger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
