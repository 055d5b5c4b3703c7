/** Calculates with exact fractions of whole numbers. Only `roundExact` rounds. Shares no code with the product, on purpose. */
export interface ExactNumber {
  top: bigint
  /** Denominator, always above 0. */
  bottom: bigint
}

export const toExact = (count: number | bigint): ExactNumber => ({ top: BigInt(count), bottom: 1n })
export const zero = toExact(0)

/** Parses a decimal number such as `12.50`. */
export function parseExact(text: string): ExactNumber {
  const [integerDigits = '', decimalDigits = ''] = text.split('.')
  return { top: BigInt(integerDigits + decimalDigits), bottom: 10n ** BigInt(decimalDigits.length) }
}

export const add = (a: ExactNumber, b: ExactNumber): ExactNumber => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
})
export const multiply = (a: ExactNumber, b: ExactNumber): ExactNumber => ({
  top: a.top * b.top,
  bottom: a.bottom * b.bottom,
})
export const divide = (a: ExactNumber, divisor: number): ExactNumber => ({
  top: a.top,
  bottom: a.bottom * BigInt(divisor),
})
export const subtract = (a: ExactNumber, b: ExactNumber): ExactNumber => add(a, multiply(b, toExact(-1)))
export const isMore = (a: ExactNumber, b: ExactNumber): boolean => subtract(a, b).top > 0n
export const getLarger = (a: ExactNumber, b: ExactNumber): ExactNumber => (isMore(a, b) ? a : b)
export const getSmaller = (a: ExactNumber, b: ExactNumber): ExactNumber => (isMore(a, b) ? b : a)
export const sumExact = (summands: readonly ExactNumber[]): ExactNumber => summands.reduce(add, zero)

const toHundredths = ({ top, bottom }: ExactNumber) => {
  const size = (top < 0n ? -top : top) * 100n
  return { full: size / bottom, rest: size % bottom, sign: top < 0n ? -1n : 1n }
}

/** Returns whether the number is exactly between two hundredths, where rounding methods differ. */
export const isHalf = (number: ExactNumber): boolean => toHundredths(number).rest * 2n === number.bottom

/** Rounds to two decimals, with halves away from zero (D13). */
export function roundExact(number: ExactNumber): ExactNumber {
  const { full, rest, sign } = toHundredths(number)
  return { top: sign * (rest * 2n >= number.bottom ? full + 1n : full), bottom: 100n }
}

/** Formats with two decimals. Throws if there are more decimals, because the caller forgot to round. */
export function formatExact(number: ExactNumber): string {
  const { full, rest, sign } = toHundredths(number)
  if (rest !== 0n) throw new Error(`${number.top}/${number.bottom} has more than two decimals`)
  const digits = String(full).padStart(3, '0')
  return `${sign < 0n && full > 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
