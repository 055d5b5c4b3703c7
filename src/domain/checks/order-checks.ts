/** Rules for an order (contracts 5), used by the wizard and the server. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkServiceCode } from '#domain/checks/service-code.ts'
import type { ContractTerms } from '#domain/fees/annual.ts'
import type { PriceList, UserMode } from '#domain/fees/price-list.ts'
import type { ModuleDependencies } from '#domain/catalogue/modules.ts'
import { userLimits, yearLimits } from '#domain/orders.ts'
import { addDays, isDate, getLaterDate } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** Codes of orders, modules and price lists. The first page does not load their texts. */
export type OrderFieldCode =
  | 'NO_MODULE'
  | 'NO_APP'
  | 'APP_TWICE'
  | 'APP_UNKNOWN'
  | 'FLAG_UNKNOWN'
  | 'FLAG_TYPE'
  | 'NOT_LISTED'
  | 'NEEDS_MODULES'
  | 'MODULE_UNKNOWN'
  | 'MODULE_LOOP'
  | 'DUPLICATED_MODULE'
  | 'TOO_FEW_USERS'
  | 'START_WINDOW'
  | 'TOO_MANY_YEARS'
  | 'NO_YEARS_LEFT'
  | 'BAD_ARCHIVE'
  | 'NO_MODULES_LISTED'
  | 'NEEDS_UNLISTED'
  | 'NEEDS_UNLISTED_MODULES'
  | 'MODULE_UNPRICED'
  | 'MODULES_UNPRICED'
  | 'MODULE_PRICE_MISSING'
  | 'MODULE_FREE'
  | 'NO_RANGES'
  | 'MINIMUM_ABOVE_RANGES'
  | 'RANGES_END'
  | 'RANGE_PRICE_MISSING'
  | 'RANGE_FREE'
  | 'AMOUNT_MISSING'
  | 'PRICE_LISTS_LACK'

export interface OrderProblem {
  field: string
  code: OrderFieldCode
  limit?: number
  /** The item with the problem, such as a module by name and code, if the field is not enough. */
  subject?: string
  lists?: string
  named?: string
}

type CheckProblem = FieldProblem | OrderProblem

/** Maximum days until the start of a contract (D38). */
const maxDaysAhead = 30

/** First and last possible start day of an order. `createdOn` is the date set by staff for a back-dated order (D39). */
export const getStartWindow = (today: PlainDate, createdOn: PlainDate | null): [first: PlainDate, last: PlainDate] => [
  createdOn ?? today,
  addDays(today, maxDaysAhead),
]

export const getMinUsers = (list: Pick<PriceList, 'min_concurrent_user' | 'min_named_user'>, mode: UserMode): number =>
  mode === 'CONCURRENT' ? list.min_concurrent_user : list.min_named_user

/** Initial number of users of a new order: one, or the minimum of the price list (D26). */
export const getFirstUsers = (list: PriceList, mode: UserMode): number => Math.max(1, getMinUsers(list, mode))

/** Raises the users to the minimum of the price list (contracts 5, D26, T8). */
export const raiseUsers = (list: PriceList, mode: UserMode, users: number): number =>
  Math.max(users, getMinUsers(list, mode))

export function checkStart(start: PlainDate, today: PlainDate, createdOn: PlainDate | null): CheckProblem[] {
  if (!isDate(start)) return [{ field: 'period_start', code: 'INVALID_FORMAT' }]
  const [firstDay, lastDay] = getStartWindow(today, createdOn)
  return start < firstDay || start > lastDay
    ? [{ field: 'period_start', code: 'START_WINDOW', named: `${firstDay} – ${lastDay}` }]
    : []
}

/** The date of a back-dated order must not be in the future (D39). */
export const checkCreateDate = (createdOn: PlainDate, today: PlainDate): CheckProblem[] =>
  isDate(createdOn) && getLaterDate(createdOn, today) === today
    ? []
    : [{ field: 'sOrderCreateTime', code: 'OUT_OF_RANGE' }]

export function checkName(code: string, name: string): CheckProblem[] {
  const codeProblem = checkServiceCode('code', code)
  return [...(codeProblem ? [codeProblem] : []), ...(name === '' ? [{ field: 'name', code: 'REQUIRED' as const }] : [])]
}

export function checkWholeNumber(
  field: string,
  text: string,
  { min, max }: { min: number; max: number },
): CheckProblem[] {
  if (text.trim() === '') return [{ field, code: 'REQUIRED' }]
  const range = { from: min, limit: max }
  if (!/^\d+$/.test(text.trim())) return [{ field, code: 'INVALID_FORMAT', ...range }]
  const number = Number(text)
  return number < min || number > max ? [{ field, code: 'OUT_OF_RANGE', ...range }] : []
}

/** Checks that the typed users are a whole number. The problem names the numbers that the price list allows; `checkTerms` checks its minimum. */
export const checkUsersText = (text: string, list: PriceList, mode: UserMode): CheckProblem[] =>
  checkWholeNumber('users', text, userLimits).map((problem) =>
    'from' in problem ? { ...problem, from: getMinUsers(list, mode) } : problem,
  )

/** `maxYears`: how many more years the contract can run (getMaxExtensionYears). */
export function checkExtensionYears(years: number, maxYears: number): OrderProblem[] {
  if (years <= maxYears) return []
  const limitText = String(yearLimits.max)
  return [
    { field: 'period', code: maxYears > 0 ? 'TOO_MANY_YEARS' : 'NO_YEARS_LEFT', limit: maxYears, named: limitText },
  ]
}

export function checkTerms(
  terms: Pick<ContractTerms, 'user_mode' | 'users' | 'modules'>,
  list: PriceList,
  catalogue: readonly ModuleDependencies[],
): CheckProblem[] {
  const minUsers = getMinUsers(list, terms.user_mode)
  return [
    ...(terms.users < minUsers ? [{ field: 'users', code: 'TOO_FEW_USERS' as const, limit: minUsers }] : []),
    ...checkModules(terms.modules, list, catalogue),
  ]
}

export function checkModules(
  moduleCodes: readonly string[],
  list: Pick<PriceList, 'module'>,
  catalogue: readonly ModuleDependencies[],
): OrderProblem[] {
  const createProblems = (code: OrderFieldCode, codes: readonly string[]): OrderProblem[] =>
    codes.length === 0 ? [] : [{ field: 'modules', code, named: codes.join(', ') }]
  if (moduleCodes.length === 0) return [{ field: 'modules', code: 'NO_MODULE' }]
  const listedCodes = new Set(list.module.map(({ code }) => code))
  const unlistedProblems = createProblems(
    'NOT_LISTED',
    moduleCodes.filter((code) => !listedCodes.has(code)),
  )
  if (unlistedProblems.length > 0) return unlistedProblems
  const dependenciesByCode = new Map(catalogue.map((module) => [module.code, module.dependencies]))
  const neededCodes = moduleCodes
    .flatMap((code) => dependenciesByCode.get(code) ?? [])
    .filter((code) => dependenciesByCode.has(code))
  return createProblems(
    'NEEDS_MODULES',
    [...new Set(neededCodes)].filter((code) => !moduleCodes.includes(code)),
  )
}
