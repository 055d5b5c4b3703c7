/** Reads amounts. Whether the point or the comma is the decimal sign is decided for the whole file if one amount alone does not tell. */
import { type Hundredths, maxAmount } from '#domain/money.ts'

export type DecimalSign = '.' | ','

interface SplitAmount {
  isNegative: boolean
  /** Digits, points and commas only. */
  digits: string
}

const currencyPattern = /^(HK\$|US\$|RMB|CNY|HKD|USD|CN¥|[$¥￥元])|(RMB|CNY|HKD|USD|元)$/

/** Removes spaces, currencies and signs. Returns null for text that is no amount. */
function splitAmount(cell: string): SplitAmount | null {
  const plain = cell
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s'’]/g, '')
    .replaceAll(/[−–]/g, '-')
  const [, side] = /^.+?(CR|DR)$/.exec(plain) ?? []
  const isInBrackets = /^\(.+\)$/.test(plain)
  const bare = (side ? plain.slice(0, -2) : plain).replaceAll(/^\(|\)$/g, '')
  const [, leading = '', rest = ''] = /^([-+]?)(.*)$/s.exec(bare) ?? []
  const withoutCurrency = rest.replaceAll(new RegExp(currencyPattern, 'g'), '')
  const [, inner = '', digits = '', trailing = ''] = /^([-+]?)([\d.,]+)([-+]?)$/.exec(withoutCurrency) ?? []
  const signs = [leading, inner, trailing].filter((sign) => sign !== '')
  if (digits === '' || signs.length + Number(isInBrackets) + Number(side === 'DR') > 1) return null
  return { isNegative: isInBrackets || side === 'DR' || signs[0] === '-', digits }
}

/** Returns the decimal sign if these digits tell it. `unknown`: one sign before three digits may be either. */
function findOwnDecimalSign(digits: string): DecimalSign | 'unknown' | 'none' {
  const signs = digits.match(/[.,]/g) ?? []
  if (signs.length === 0) return 'none'
  const last = signs.at(-1) as DecimalSign
  const decimals = digits.length - digits.lastIndexOf(last) - 1
  if (new Set(signs).size === 2 || (signs.length === 1 && decimals !== 3)) return last
  if (signs.length > 1) return last === '.' ? ',' : '.'
  return /^[1-9]\d{0,2}[.,]/.test(digits) ? 'unknown' : last
}

/** Returns the decimal sign of a file, or null if no amount tells it, or if they tell different ones. */
export function findDecimalSign(cells: readonly string[]): DecimalSign | null {
  const signs = new Set(cells.map((cell) => findOwnDecimalSign(splitAmount(cell)?.digits ?? '')))
  if (signs.has('.') === signs.has(',')) return null
  return signs.has('.') ? '.' : ','
}

/** Returns null for text that is no amount with at most two decimals, and `ambiguous` if it can be read in two ways. */
export function readStatementAmount(cell: string, fileSign: DecimalSign | null): Hundredths | 'ambiguous' | null {
  const split = splitAmount(cell)
  if (!split) return null
  const { digits, isNegative } = split
  const ownSign = findOwnDecimalSign(digits)
  const sign = ownSign === 'unknown' ? fileSign : ownSign === 'none' ? '.' : ownSign
  if (sign === null) return 'ambiguous'
  const group = sign === '.' ? ',' : String.raw`\.`
  const decimal = sign === '.' ? String.raw`\.` : ','
  const pattern = new RegExp(String.raw`^(\d{1,3}(?:${group}\d{3})+|\d+)(?:${decimal}(\d{1,2}))?$`)
  const [, units, decimals = ''] = pattern.exec(digits) ?? []
  if (units === undefined) return null
  const amount = BigInt(units.replaceAll(/[.,]/g, '')) * 100n + BigInt(decimals.padEnd(2, '0'))
  if (amount > maxAmount) return null
  return isNegative ? -amount : amount
}
