/** Faults of a list with valid fields, such as a missing price. Errors prevent confirming; warnings do not. */
import { maxUsers, type PriceContent } from '#domain/checks/price-checks.ts'
import type { BackupPrices, Charges } from '#domain/fees/price-list.ts'
import type { OrderFieldCode } from '#domain/checks/order-checks.ts'
import { type CatalogueModule, findUnmetNeeds, nameModules } from '#domain/catalogue/unmet-needs.ts'
import { currencies, readAmount } from '#domain/money.ts'

/** `field` is a path like in other problems of a list: `module.2.code`, `namedUser`, `min_named_user`. */
export interface PriceListFault {
  field: string
  code: OrderFieldCode
  subject?: string
  named?: string
  limit?: number
  isWarning: boolean
}

export type UsableContent = Pick<
  PriceContent,
  'min_concurrent_user' | 'min_named_user' | 'concurrentUser' | 'namedUser' | 'pdbPrice'
> &
  AmountsInCurrencies & { module: readonly (Charges & { code: string })[] }

type AmountsInCurrencies = Record<`${'min_fee' | 'uat_cap'}_${keyof Charges}`, string>

/** `catalogue` has the modules of the list's client type. If null, modules are not checked. */
export function findPriceListFaults(
  list: UsableContent,
  catalogue: readonly CatalogueModule[] | null,
): PriceListFault[] {
  return [
    ...findModuleFaults(list.module, catalogue),
    ...findRangeFaults(list, 'concurrentUser', 'min_concurrent_user'),
    ...findRangeFaults(list, 'namedUser', 'min_named_user'),
    ...(list.pdbPrice ? findBackupFaults(list.pdbPrice) : []),
    ...(['min_fee', 'uat_cap'] as const).flatMap((name) => {
      const { hkd, usd, rmb } = pickCurrencies(list, name)
      return findMissingPrice(`${name}_`, { hkd, usd, rmb }, 'AMOUNT_MISSING', { isWarning: true })
    }),
  ]
}

function findModuleFaults(
  rows: UsableContent['module'],
  catalogue: readonly CatalogueModule[] | null,
): PriceListFault[] {
  const codes = rows.map(({ code }) => code)
  const toModuleText = (code: string) => nameModules([code], catalogue ?? [])
  const priceFaults = rows.flatMap((row, index) => {
    const subject = toModuleText(row.code)
    return [
      ...findMissingPrice(`module.${index}.`, row, 'MODULE_PRICE_MISSING', { subject, isWarning: false }),
      ...(isFree(row)
        ? [{ field: `module.${index}.hkd`, code: 'MODULE_FREE' as const, subject, isWarning: true }]
        : []),
    ]
  })
  if (rows.length === 0) return [{ field: 'module', code: 'NO_MODULES_LISTED', isWarning: false }]
  if (!catalogue) return priceFaults
  const visibleCodes = catalogue.filter(({ hidden }) => !hidden).map(({ code }) => code)
  const visibleCodeSet = new Set(visibleCodes)
  const listedCodes = new Set(codes)
  const unpricedCodes = visibleCodes.filter((code) => !listedCodes.has(code))
  return [
    ...rows.flatMap(({ code }, index) =>
      visibleCodeSet.has(code)
        ? []
        : [{ field: `module.${index}.code`, code: 'MODULE_UNKNOWN' as const, named: code, isWarning: false }],
    ),
    ...findUnmetNeeds(codes, catalogue).map(
      ({ code, missingCodes: missing }): PriceListFault => ({
        field: `module.${codes.indexOf(code)}.code`,
        code: missing.length === 1 ? 'NEEDS_UNLISTED' : 'NEEDS_UNLISTED_MODULES',
        subject: toModuleText(code),
        named: nameModules(missing, catalogue),
        isWarning: false,
      }),
    ),
    ...priceFaults,
    ...(unpricedCodes.length === 0
      ? []
      : [
          {
            field: 'module',
            code: unpricedCodes.length === 1 ? ('MODULE_UNPRICED' as const) : ('MODULES_UNPRICED' as const),
            limit: unpricedCodes.length,
            named: nameModules(unpricedCodes, catalogue),
            isWarning: true,
          },
        ]),
  ]
}

function findRangeFaults(
  list: UsableContent,
  field: 'concurrentUser' | 'namedUser',
  minimum: 'min_concurrent_user' | 'min_named_user',
): PriceListFault[] {
  const ranges = list[field]
  const lastUser = ranges.at(-1)?.to ?? 0
  if (lastUser === 0) return [{ field, code: 'NO_RANGES', isWarning: false }]
  return [
    ...(list[minimum] > lastUser
      ? [{ field: minimum, code: 'MINIMUM_ABOVE_RANGES' as const, limit: lastUser, isWarning: false }]
      : []),
    ...ranges.flatMap((range, index) => {
      const subject = `${range.from} – ${range.to}`
      return [
        ...findMissingPrice(`${field}.${index}.`, range, 'RANGE_PRICE_MISSING', { subject, isWarning: false }),
        ...(isFree(range)
          ? [{ field: `${field}.${index}.hkd`, code: 'RANGE_FREE' as const, subject, isWarning: true }]
          : []),
      ]
    }),
    // Only a warning, because the list is still usable: orders with more users are refused (D3).
    ...(lastUser < maxUsers ? [{ field, code: 'RANGES_END' as const, limit: lastUser, isWarning: true }] : []),
  ]
}

function findBackupFaults(prices: BackupPrices): PriceListFault[] {
  return (['pdb2s3_fee', 'pdb2s3_up', 'pdb2rds_fee'] as const).flatMap((name) =>
    findMissingPrice(`pdbPrice.${name}_`, pickCurrencies(prices, name), 'AMOUNT_MISSING', { isWarning: false }),
  )
}

const currencyKeys = ['hkd', 'usd', 'rmb'] as const

const pickCurrencies = <N extends string>(amounts: Record<`${N}_${keyof Charges}`, string>, name: N): Charges => ({
  hkd: amounts[`${name}_hkd`],
  usd: amounts[`${name}_usd`],
  rmb: amounts[`${name}_rmb`],
})

const isZero = (amount: string) => readAmount(amount) === 0n
const isFree = (row: Charges) => currencyKeys.every((name) => isZero(row[name]))

/** Finds prices that are set for some currencies but not for all. Customers would pay nothing in the other currencies. */
function findMissingPrice(
  prefix: string,
  row: Charges,
  code: OrderFieldCode,
  extra: { subject?: string; isWarning: boolean },
): PriceListFault[] {
  const zeroCurrencies = currencies.filter((currency) => isZero(row[currency.toLowerCase() as keyof Charges]))
  const [firstCurrency] = zeroCurrencies
  if (firstCurrency === undefined || zeroCurrencies.length === currencies.length) return []
  return [{ field: `${prefix}${firstCurrency.toLowerCase()}`, code, named: zeroCurrencies.join(', '), ...extra }]
}
