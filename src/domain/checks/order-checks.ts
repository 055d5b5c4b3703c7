/** What an order may ask for (contracts 5): the same under the wizard and in the server. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkServiceCode } from '#domain/checks/entrance.ts'
import type { PriceList, UserMode } from '#domain/fees/price-list.ts'
import type { Dependent } from '#domain/catalogue/modules.ts'
import { yearLimits } from '#domain/orders.ts'
import { addDays, isDate, laterOf } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

/** Of orders, modules and price lists; their words stand apart, because the first page has no need of them. */
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
  /** What has the problem, where the field alone does not say it: a module of a price list by name and code. */
  subject?: string
  /** Price lists by their days and descriptions. */
  lists?: string
  /** What it is about, as people know it: codes of modules, dates. */
  named?: string
}

type Problem = FieldProblem | OrderProblem

/** How far ahead a contract may begin (D38). */
const daysAhead = 30

/** From the first to the last day on which an order may begin; `created`: as the staff have dated it back (D39). */
export const startWindow = (today: PlainDate, created: PlainDate | null): [first: PlainDate, last: PlainDate] => [
  created ?? today,
  addDays(today, daysAhead),
]

export const minUsers = (list: Pick<PriceList, 'min_concurrent_user' | 'min_named_user'>, mode: UserMode): number =>
  mode === 'CONCURRENT' ? list.min_concurrent_user : list.min_named_user

/** What a new order begins with: one user, or as many as the list asks for at least (D26). */
export const firstUsers = (list: PriceList, mode: UserMode): number => Math.max(1, minUsers(list, mode))

/** Raised to what the list asks for at least: of a new order, and when its mode changes (contracts 5, D26, T8). */
export const raisedUsers = (list: PriceList, mode: UserMode, users: number): number =>
  Math.max(users, minUsers(list, mode))

export function checkStart(start: PlainDate, today: PlainDate, created: PlainDate | null): Problem[] {
  if (!isDate(start)) return [{ field: 'period_start', code: 'INVALID_FORMAT' }]
  const [first, last] = startWindow(today, created)
  return start < first || start > last
    ? [{ field: 'period_start', code: 'START_WINDOW', named: `${first} – ${last}` }]
    : []
}

/** The day to which the staff date an order back: a day that has come (D39). */
export const checkCreated = (created: PlainDate, today: PlainDate): Problem[] =>
  isDate(created) && laterOf(created, today) === today ? [] : [{ field: 'sOrderCreateTime', code: 'OUT_OF_RANGE' }]

export function checkName(code: string, name: string): Problem[] {
  const wrong = checkServiceCode('code', code)
  return [...(wrong ? [wrong] : []), ...(name === '' ? [{ field: 'name', code: 'REQUIRED' as const }] : [])]
}

export interface Chosen {
  user_mode: UserMode
  users: number
  modules: readonly string[]
}

/** A whole number as it is typed, such as users and years. */
export function checkWhole(field: string, text: string, { least, most }: { least: number; most: number }): Problem[] {
  if (text.trim() === '') return [{ field, code: 'REQUIRED' }]
  const range = { from: least, limit: most }
  if (!/^\d+$/.test(text.trim())) return [{ field, code: 'INVALID_FORMAT', ...range }]
  const number = Number(text)
  return number < least || number > most ? [{ field, code: 'OUT_OF_RANGE', ...range }] : []
}

/** `most`: how many more years the contract can run (maxExtensionYears). */
export function checkExtensionYears(years: number, most: number): OrderProblem[] {
  if (years <= most) return []
  const named = String(yearLimits.most)
  return [{ field: 'period', code: most > 0 ? 'TOO_MANY_YEARS' : 'NO_YEARS_LEFT', limit: most, named }]
}

/** Against the list that it is priced by and the visible modules there are. */
export function checkChoice(choice: Chosen, list: PriceList, catalogue: readonly Dependent[]): Problem[] {
  const least = minUsers(list, choice.user_mode)
  return [
    ...(choice.users < least ? [{ field: 'users', code: 'TOO_FEW_USERS' as const, limit: least }] : []),
    ...checkModules(choice.modules, list, catalogue),
  ]
}

export function checkModules(
  chosen: readonly string[],
  list: Pick<PriceList, 'module'>,
  catalogue: readonly Dependent[],
): OrderProblem[] {
  const about = (code: OrderFieldCode, codes: readonly string[]): OrderProblem[] =>
    codes.length === 0 ? [] : [{ field: 'modules', code, named: codes.join(', ') }]
  if (chosen.length === 0) return [{ field: 'modules', code: 'NO_MODULE' }]
  const listed = new Set(list.module.map(({ code }) => code))
  const unlisted = about(
    'NOT_LISTED',
    chosen.filter((code) => !listed.has(code)),
  )
  if (unlisted.length > 0) return unlisted
  const known = new Map(catalogue.map((module) => [module.code, module.dependencies]))
  const needed = chosen.flatMap((code) => known.get(code) ?? []).filter((code) => known.has(code))
  return about(
    'NEEDS_MODULES',
    [...new Set(needed)].filter((code) => !chosen.includes(code)),
  )
}
