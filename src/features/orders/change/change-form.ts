/** A change or an extension of a contract as it stands in its form: what it asks for, and what is wrong with it. */
import type { Choice } from '#domain/fees/annual.ts'
import { readAmount } from '#domain/money.ts'
import { checkChoice, checkExtensionYears, checkWhole } from '#domain/checks/order-checks.ts'
import { userLimits, yearLimits } from '#domain/orders.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import type { PriceData, Wish } from '#features/orders/quote/local-quote.ts'
import { type TermsDraft, wholeOf } from '#features/orders/wizard/fields/TermsFields.tsx'

/** Numbers that are being typed are text. */
export interface ChangeDraft extends TermsDraft {
  modules: string[]
  years: string
}

export const changeDraftOf = ({ user_mode, users, uat, modules }: ContractRow): ChangeDraft => ({
  user_mode,
  users: String(users),
  uat: uat === 1,
  modules,
  years: '1',
})

export const isSameDraft = (one: ChangeDraft, other: ChangeDraft): boolean =>
  one.user_mode === other.user_mode &&
  one.users === other.users &&
  one.uat === other.uat &&
  one.years === other.years &&
  one.modules.toSorted().join() === other.modules.toSorted().join()

/** What an earlier build kept may have other fields. */
export function storedChange(kept: unknown, otherwise: ChangeDraft): ChangeDraft {
  const { user_mode, users, uat, modules, years } = (kept ?? {}) as Partial<Record<keyof ChangeDraft, unknown>>
  const isList = Array.isArray(modules) && modules.every((code) => typeof code === 'string')
  return {
    user_mode: user_mode === 'NAMED' || user_mode === 'CONCURRENT' ? user_mode : otherwise.user_mode,
    users: typeof users === 'string' ? users : otherwise.users,
    uat: typeof uat === 'boolean' ? uat : otherwise.uat,
    modules: isList ? (modules as string[]) : otherwise.modules,
    years: typeof years === 'string' ? years : otherwise.years,
  }
}

/** Null: the number of users is none. */
export function choiceOf({ user_mode, users, uat, modules }: ChangeDraft): Choice | null {
  const number = wholeOf(users)
  return number === null ? null : { user_mode, users: number, modules, uat: uat ? 1 : 0 }
}

/** As the server checks them, against the list in force. */
export function checkChangeDraft(typed: ChangeDraft, { list, modules }: PriceData): AnyProblem[] {
  const wrongUsers = checkWhole('users', typed.users, userLimits)
  const choice = choiceOf(typed)
  const visible = modules.filter(({ hidden }) => !hidden)
  const chosen = choice ? checkChoice(choice, list, visible) : []
  return [...wrongUsers, ...chosen.filter(({ field }) => field !== 'users' || wrongUsers.length === 0)]
}

/** A number of years, and no more of them than the contract can still run (maxExtensionYears). */
export function checkYears({ years }: ChangeDraft, most: number = yearLimits.most): AnyProblem[] {
  const wrong = checkWhole('period', years, yearLimits)
  return wrong.length > 0 ? wrong : checkExtensionYears(Number(years), most)
}

type Term = Pick<ContractRow, 'period_start' | 'period_end'>
type Base = Term &
  Pick<ContractRow, 'currency' | 'segments'> &
  Partial<Pick<ContractRow, 'anchor_date' | 'anchor_months'>>

export const changeWish = ({ currency, segments, period_start, anchor_date }: Base, choice: Choice): Wish => ({
  type: 'change',
  currency,
  ...choice,
  segments: segments.map(({ annual, ...days }) => ({ ...days, annual: readAmount(annual) })),
  anchor: anchor_date ?? period_start,
})

export const extendWish = (
  { currency, period_start, period_end, anchor_date, anchor_months }: Base,
  choice: Choice,
  years: number,
): Wish => ({
  type: 'extend',
  currency,
  ...choice,
  start: period_start,
  end: period_end,
  anchor_date: anchor_date ?? null,
  anchor_months: anchor_months ?? null,
  years,
})
