/** The wizard's form: its values as they are typed, what is wrong with them, and what is asked and sent of them. */
import type { ClientType } from '#domain/access.ts'
import {
  type Check,
  check,
  atMost,
  isOneLine,
  noTurningCharacter,
  noHiddenCharacter,
} from '#domain/checks/field-checks.ts'
import type { Currency } from '#domain/money.ts'
import {
  checkChoice,
  checkCreated,
  checkName,
  checkStart,
  checkWhole,
  firstUsers,
  raisedUsers,
} from '#domain/checks/order-checks.ts'
import { descLimit, nameLimit, userLimits, yearLimits } from '#domain/orders.ts'
import { isDate } from '#domain/period.ts'
import { tidyText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { TermsDraft } from '#features/orders/wizard/fields/TermsFields.tsx'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import type { ListInForce, PriceData, Wish } from '#features/orders/quote/local-quote.ts'

export interface Values extends TermsDraft {
  code: string
  name: string
  desc: string
  currency: Currency
  period: string
  period_start: string
  modules: string[]
  /** Of the provider's staff: for which company, by its number; empty: their own. */
  company_id: string
  /** The day to which they date it back (D39); empty: today. */
  sOrderCreateTime: string
}

/** The defaults of contracts 9. */
export const newValues = (list: ListInForce, today: PlainDate): Values => ({
  code: '',
  name: '',
  desc: '',
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: String(firstUsers(list, 'CONCURRENT')),
  uat: false,
  period: '1',
  period_start: today,
  modules: [],
  company_id: '',
  sOrderCreateTime: '',
})

/** "Order again": all but what names a service, and a day on which it may begin. */
export const valuesOf = (row: OrderRow, fresh: Values, list: ListInForce): Values => ({
  ...fresh,
  name: row.name,
  desc: row.desc ?? '',
  currency: row.currency,
  user_mode: row.user_mode,
  users: String(raisedUsers(list, row.user_mode, row.users)),
  uat: row.uat === 1,
  period: String(row.period),
  modules: [...row.modules],
})

/** Forced to lower case while it is typed (contracts 5). */
export const typedCode = (text: string) => text.toLowerCase()

const created = ({ sOrderCreateTime: day }: Values) => (day === '' ? null : day)

/** The first step. `today`: in the business time zone. */
export function checkInformation(values: Values, { list }: PriceData, today: PlainDate): AnyProblem[] {
  const backDated = created(values)
  const wrongDay = backDated === null ? [] : checkCreated(backDated, today)
  const users = checkWhole('users', values.users, userLimits)
  return [
    ...checkName(tidyText(values.code), tidyText(values.name)),
    ...check({ name: values.name, desc: values.desc }, lengths),
    ...(values.company_id === '' ? [] : checkWhole('company_id', values.company_id, { least: 1, most: 2_147_483_647 })),
    ...(users.length > 0 ? users : checkUsers(values, list)),
    ...checkWhole('period', values.period, yearLimits),
    ...wrongDay,
    ...(wrongDay.length > 0 ? [] : checkStart(values.period_start, today, backDated)),
  ]
}

const lengths: Record<string, Check[]> = {
  name: [atMost(nameLimit), noHiddenCharacter, isOneLine],
  desc: [atMost(descLimit), noTurningCharacter],
}

const choiceOf = (values: Values) => ({
  user_mode: values.user_mode,
  users: Number(values.users),
  modules: values.modules,
})

const checkUsers = (values: Values, list: ListInForce): AnyProblem[] =>
  checkChoice(choiceOf(values), list, []).filter(({ field }) => field === 'users')

/** The second step. */
export const checkModuleStep = (values: Values, { list, modules }: PriceData): AnyProblem[] =>
  checkChoice(
    choiceOf(values),
    list,
    modules.filter(({ hidden }) => !hidden),
  ).filter(({ field }) => field === 'modules')

/** Null: it cannot be priced as it stands typed. */
export function wishOf(values: Values): Wish | null {
  const { users, period, period_start: start } = values
  const isWhole = checkWhole('users', users, userLimits).length + checkWhole('period', period, yearLimits).length === 0
  if (!isWhole || !isDate(start)) return null
  return {
    type: 'create',
    currency: values.currency,
    user_mode: values.user_mode,
    users: Number(users),
    modules: values.modules,
    uat: values.uat ? 1 : 0,
    start,
    years: Number(period),
  }
}

/** What the server is asked and sent. */
export function bodyOf(values: Values, type: ClientType) {
  const desc = tidyText(values.desc)
  return {
    code: tidyText(values.code),
    name: tidyText(values.name),
    ...(desc === '' ? {} : { desc }),
    currency: values.currency,
    user_mode: values.user_mode,
    users: Number(values.users),
    modules: values.modules,
    uat: values.uat ? (1 as const) : (0 as const),
    client_type: type,
    period: Number(values.period),
    period_start: values.period_start,
    ...(values.company_id === '' ? {} : { company_id: Number(values.company_id) }),
    ...(values.sOrderCreateTime === '' ? {} : { sOrderCreateTime: values.sOrderCreateTime }),
  }
}

/** In which step a field is mended. */
export const stepOf = (field: string): 0 | 1 => (field === 'modules' ? 1 : 0)
