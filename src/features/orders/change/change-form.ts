import { getContractAnchor } from '#domain/contracts.ts'
import type { ContractTerms } from '#domain/fees/annual.ts'
import { readAmount } from '#domain/money.ts'
import { checkTerms, checkExtensionYears, checkUsersText, checkWholeNumber } from '#domain/checks/order-checks.ts'
import { yearLimits } from '#domain/orders.ts'
import { addToAnchor, getAnchor, getAnchoredEnd, getLaterDate } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import type { PriceData, RequestedOrder } from '#features/orders/quote/local-quote.ts'
import { type TermsDraft, parseWholeNumber } from '#features/orders/wizard/fields/TermsFields.tsx'

/** Values of the form. Numbers are stored as the typed text. */
export interface ChangeDraft extends TermsDraft {
  modules: string[]
  years: string
}

export const toChangeDraft = ({ user_mode, users, uat, modules }: ContractRow): ChangeDraft => ({
  user_mode,
  users: String(users),
  uat: uat === 1,
  modules,
  years: '1',
})

export const isSameDraft = (draft: ChangeDraft, otherDraft: ChangeDraft): boolean =>
  draft.user_mode === otherDraft.user_mode &&
  draft.users === otherDraft.users &&
  draft.uat === otherDraft.uat &&
  draft.years === otherDraft.years &&
  draft.modules.toSorted().join() === otherDraft.modules.toSorted().join()

/** Reads a stored draft. Drops fields of the wrong type, because a draft of an earlier build may have other fields. */
export function parseStoredDraft(storedValue: unknown, defaultDraft: ChangeDraft): ChangeDraft {
  const { user_mode, users, uat, modules, years } = (storedValue ?? {}) as Partial<Record<keyof ChangeDraft, unknown>>
  const isList = Array.isArray(modules) && modules.every((code) => typeof code === 'string')
  return {
    user_mode: user_mode === 'NAMED' || user_mode === 'CONCURRENT' ? user_mode : defaultDraft.user_mode,
    users: typeof users === 'string' ? users : defaultDraft.users,
    uat: typeof uat === 'boolean' ? uat : defaultDraft.uat,
    modules: isList ? (modules as string[]) : defaultDraft.modules,
    years: typeof years === 'string' ? years : defaultDraft.years,
  }
}

/** Returns null if the number of users is not a whole number. */
export function parseChoice({ user_mode, users, uat, modules }: ChangeDraft): ContractTerms | null {
  const number = parseWholeNumber(users)
  return number === null ? null : { user_mode, users: number, modules, uat: uat ? 1 : 0 }
}

/** Applies the same checks as the server, against the price list in force. */
export function checkChangeDraft(draft: ChangeDraft, { list, modules }: PriceData): AnyFieldProblem[] {
  const usersProblems = checkUsersText(draft.users, list, draft.user_mode)
  const choice = parseChoice(draft)
  const visibleModules = modules.filter(({ hidden }) => !hidden)
  const choiceProblems = choice ? checkTerms(choice, list, visibleModules) : []
  return [...usersProblems, ...choiceProblems.filter(({ field }) => field !== 'users' || usersProblems.length === 0)]
}

/** Checks that the years are a whole number and not more than `maxYears` (getMaxExtensionYears). */
export function checkYears({ years }: ChangeDraft, maxYears: number = yearLimits.max): AnyFieldProblem[] {
  const yearsProblems = checkWholeNumber('period', years, yearLimits)
  return yearsProblems.length > 0 ? yearsProblems : checkExtensionYears(Number(years), maxYears)
}

type ContractPeriod = Pick<ContractRow, 'period_start' | 'period_end'>
type PricedContract = ContractPeriod &
  Pick<ContractRow, 'currency' | 'segments'> &
  Partial<Pick<ContractRow, 'anchor_date' | 'anchor_months'>>

export const toRequestedChange = (
  { currency, segments, period_start, anchor_date }: PricedContract,
  choice: ContractTerms,
): RequestedOrder => ({
  type: 'change',
  currency,
  ...choice,
  segments: segments.map(({ annual, ...days }) => ({ ...days, annualFee: readAmount(annual) })),
  anchor: anchor_date ?? period_start,
})

export const toRequestedExtension = (
  { currency, period_start, period_end, anchor_date, anchor_months }: PricedContract,
  choice: ContractTerms,
  years: number,
): RequestedOrder => ({
  type: 'extend',
  currency,
  ...choice,
  start: period_start,
  end: period_end,
  anchor_date: anchor_date ?? null,
  anchor_months: anchor_months ?? null,
  years,
})

/** Builds the request body, with changed terms only if the contract has expired. The caller has checked the years. */
export function toExtensionBody(draft: ChangeDraft, contract: ContractRow, isOver: boolean) {
  const choice = isOver && parseChoice(draft)
  return {
    type: 'extend' as const,
    contract_id: contract.id,
    ...(choice ? { ...choice, modules: draft.modules } : {}),
    period: parseWholeNumber(draft.years) ?? 1,
  }
}

/** The term starts at the end of the contract, or today if it has expired. The end is null while `years` is null. */
export function getExtensionTerm(contract: ContractRow, today: PlainDate, years: number | null) {
  const start = getLaterDate(contract.period_end, today)
  const anchor = getAnchor(start, { end: contract.period_end, anchor: getContractAnchor(contract) })
  return { start, end: years === null ? null : getAnchoredEnd(addToAnchor(anchor, 12 * years)) }
}
