/** Exact amount (D13) in hundredths. Percentages and GB are in hundredths too. The API has them as strings with two decimals. */
export type Hundredths = bigint

export const currencies = ['HKD', 'USD', 'RMB'] as const
export type Currency = (typeof currencies)[number]

/** The largest amount that fits the API and the database: 13 digits before the decimal point. */
export const maxAmount: Hundredths = 10n ** 15n - 1n

const amountPattern = /^(-?)(\d+)(?:\.(\d{1,2}))?$/

/** Throws RangeError if the text is not a decimal number with at most two decimals. */
export function readAmount(text: string): Hundredths {
  const match = amountPattern.exec(text)
  if (!match) throw new RangeError(`"${text}" is not an amount with at most two decimals`)
  const [, minus, units = '', decimals = ''] = match
  const size = BigInt(units) * 100n + BigInt(decimals.padEnd(2, '0'))
  return minus ? -size : size
}

/** Returns `1234.50`, as sent in the API. */
export function writeAmount(amount: Hundredths): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Returns `1,000` for `1000`. */
export const groupDigits = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** Returns `1,234.50`, as displayed in both languages (contracts 9). */
export const groupThousands = (amount: string): string => amount.replace(/\B(?=(\d{3})+\.)/g, ',')

/** Rounds half away from zero (D13). The divisor must be positive. */
export function divideRounded(amount: bigint, divisor: bigint): bigint {
  const size = amount < 0n ? -amount : amount
  const rounded = (2n * size + divisor) / (2n * divisor)
  return amount < 0n ? -rounded : rounded
}

/** Returns the rounded percentage of an amount. `percent` is in hundredths of a percent. */
export const calculatePercent = (amount: Hundredths, percent: Hundredths): Hundredths =>
  divideRounded(amount * percent, 10_000n)

export const getLarger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

export const getSmaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
