import type { Hundredths } from '#domain/money.ts'

const digits = '零壹贰叁肆伍陆柒捌玖'
const scales: readonly [bigint, string][] = [
  [100_000_000n, '亿'],
  [10_000n, '万'],
  [1000n, '仟'],
  [100n, '佰'],
  [10n, '拾'],
]

/**
 * Returns the Chinese numeral of a count. Any number of zeros between two digits is written as one zero; zeros at the end are not written.
 */
function toNumeral(count: bigint): string {
  const scale = scales.find(([size]) => count >= size)
  if (!scale) return digits.charAt(Number(count))
  const [size, unit] = scale
  const rest = count % size
  const gap = rest < size / 10n ? '零' : ''
  return toNumeral(count / size) + unit + (rest === 0n ? '' : gap + toNumeral(rest))
}

/**
 * Formats an amount by the settlement rules of the People's Bank: `壹仟肆佰零玖元伍角整`. A zero after 元 is written if there are 分 but no 角. If the
 * digit of 万 or 元 is zero and the next one is not, the zero is optional and omitted here. 整 ends an amount without 分.
 */
export function toCapitalNumerals(amount: Hundredths): string {
  const size = amount < 0n ? -amount : amount
  const [yuan, jiao, fen] = [size / 100n, (size / 10n) % 10n, size % 10n]
  const parts = [
    yuan > 0n || size === 0n ? `${toNumeral(yuan)}元` : '',
    jiao > 0n ? `${toNumeral(jiao)}角` : yuan > 0n && fen > 0n ? '零' : '',
    fen > 0n ? `${toNumeral(fen)}分` : '整',
  ]
  return (amount < 0n ? '负' : '') + parts.join('')
}
