/** Fractions of whole numbers: nothing is rounded but where `rounded` is said. Shares no code with the product, on purpose. */
export interface Exact {
  top: bigint
  /** Above 0. */
  bottom: bigint
}

export const whole = (count: number | bigint): Exact => ({ top: BigInt(count), bottom: 1n })
export const zero = whole(0)

/** Of what is written with a point: `12.50`. */
export function decimal(text: string): Exact {
  const [before = '', after = ''] = text.split('.')
  return { top: BigInt(before + after), bottom: 10n ** BigInt(after.length) }
}

export const plus = (a: Exact, b: Exact): Exact => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
})
export const times = (a: Exact, b: Exact): Exact => ({ top: a.top * b.top, bottom: a.bottom * b.bottom })
export const over = (a: Exact, divisor: number): Exact => ({ top: a.top, bottom: a.bottom * BigInt(divisor) })
export const minus = (a: Exact, b: Exact): Exact => plus(a, times(b, whole(-1)))
export const isMore = (a: Exact, b: Exact): boolean => minus(a, b).top > 0n
export const most = (a: Exact, b: Exact): Exact => (isMore(a, b) ? a : b)
export const least = (a: Exact, b: Exact): Exact => (isMore(a, b) ? b : a)
export const sumOf = (all: readonly Exact[]): Exact => all.reduce(plus, zero)

const inHundredths = ({ top, bottom }: Exact) => {
  const size = (top < 0n ? -top : top) * 100n
  return { full: size / bottom, rest: size % bottom, sign: top < 0n ? -1n : 1n }
}

/** Exactly between two hundredths: where ways to round differ. */
export const isHalf = (one: Exact): boolean => inHundredths(one).rest * 2n === one.bottom

/** Half away from zero, to two decimals (D13). */
export function rounded(one: Exact): Exact {
  const { full, rest, sign } = inHundredths(one)
  return { top: sign * (rest * 2n >= one.bottom ? full + 1n : full), bottom: 100n }
}

/** With two decimals. What has more was not rounded where it ought to be, and is an error of whoever reckoned. */
export function written(one: Exact): string {
  const { full, rest, sign } = inHundredths(one)
  if (rest !== 0n) throw new Error(`${one.top}/${one.bottom} has more than two decimals`)
  const digits = String(full).padStart(3, '0')
  return `${sign < 0n && full > 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
