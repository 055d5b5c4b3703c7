/** Rules for the content of a price list (contracts 5, D81, D82), used by the editor and the server. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { BackupPrices, Charges, PriceList, UserRange } from '#domain/fees/price-list.ts'
import { currencies, readAmount } from '#domain/money.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'

/**
 * The content of a price list, without its type, effective date and description. Amounts, percentages and GB are strings with two decimals.
 */
export interface PriceContent extends Omit<PriceList, 'concurrentUser' | 'namedUser' | 'module'> {
  concurrentUser: (UserRange & { id: number })[]
  namedUser: (UserRange & { id: number })[]
  module: (Charges & { id: number; code: string; module_id: number })[]
  pdbPrice: BackupPrices | null
}

export const maxUsers = 999_999
/** Maximum percentages, in hundredths of a percent. */
const maxUatCharge = 99_999n
const maxDiscount = 10_000n

/**
 * Removes ranges without users, starts each range one above the previous one, and makes its end at least its start (D82, T11). Ids are
 * positions, so a range keeps its id while its position stays the same.
 */
export function normaliseRanges(ranges: readonly UserRange[]): (UserRange & { id: number })[] {
  let nextUser = 1
  return ranges
    .filter(({ to }) => to > 0)
    .map((userRange, index) => {
      const to = Math.max(userRange.to, nextUser)
      const range = { ...userRange, id: index + 1, from: nextUser, to }
      nextUser = to + 1
      return range
    })
}

/** Returns the problems of a list as it would be saved. The server checks whether its modules exist. */
export function checkPriceList(list: PriceContent): (FieldProblem | OrderProblem)[] {
  const { concurrentUser, namedUser, module, pdbPrice } = list
  const headerFields = ['uat_charge', ...toCurrencyFields('uat_cap'), ...toCurrencyFields('min_fee')] as const
  const codes = module.map(({ code }) => code)
  return [
    ...findAmountProblems('', list as unknown as Record<string, string>, headerFields),
    ...(isReadableAmount(list.uat_charge) && readAmount(list.uat_charge) > maxUatCharge
      ? [{ field: 'uat_charge', code: 'OUT_OF_RANGE' as const, limit: 999.99 }]
      : []),
    ...findRangeProblems('concurrentUser', concurrentUser),
    ...findRangeProblems('namedUser', namedUser),
    ...module.flatMap((row, index) => [
      ...findAmountProblems(`module.${index}.`, row as unknown as Record<string, string>, charges),
      ...(codes.indexOf(row.code) < index
        ? [{ field: `module.${index}.code`, code: 'DUPLICATED_MODULE' as const, named: row.code }]
        : []),
    ]),
    ...(pdbPrice ? findBackupProblems(pdbPrice) : []),
  ]
}

const charges = ['hkd', 'usd', 'rmb'] as const
const toCurrencyFields = (name: string) => currencies.map((currency) => `${name}_${currency.toLowerCase()}`)

const isReadableAmount = (text: string) => /^-?\d{1,13}\.\d{2}$/.test(text)

const findAmountProblems = (prefix: string, values: Record<string, string>, names: readonly string[]): FieldProblem[] =>
  names.flatMap((name): FieldProblem[] => {
    const text = values[name] ?? ''
    if (!isReadableAmount(text)) return [{ field: prefix + name, code: 'INVALID_FORMAT' }]
    return readAmount(text) < 0n ? [{ field: prefix + name, code: 'OUT_OF_RANGE', limit: 0 }] : []
  })

const findRangeProblems = (field: string, ranges: readonly UserRange[]): FieldProblem[] =>
  ranges.flatMap((range, index) => [
    ...findAmountProblems(`${field}.${index}.`, range as unknown as Record<string, string>, charges),
    ...(range.to > maxUsers ? [{ field: `${field}.${index}.to`, code: 'OUT_OF_RANGE' as const, limit: maxUsers }] : []),
  ])

/** Free GB and discounts are whole numbers (contracts 5). */
function findBackupProblems(prices: BackupPrices): FieldProblem[] {
  const names = Object.keys(prices) as (keyof BackupPrices)[]
  const amountProblems = findAmountProblems('pdbPrice.', { ...prices }, names)
  if (amountProblems.length > 0) return amountProblems
  return names.flatMap((name) => {
    const value = readAmount(prices[name])
    const isDiscount = name.endsWith('discount')
    const isWhole = !isDiscount && name !== 'pdb2s3_traffic' ? true : value % 100n === 0n
    if (isWhole && (!isDiscount || value <= maxDiscount)) return []
    return [{ field: `pdbPrice.${name}`, code: 'OUT_OF_RANGE' as const, ...(isDiscount ? { limit: 100 } : {}) }]
  })
}
