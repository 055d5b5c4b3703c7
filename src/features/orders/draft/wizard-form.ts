import type { ClientType } from '#domain/access.ts'
import {
  type FieldCheck,
  checkFields,
  createMaxLengthCheck,
  checkOneLine,
  checkBidiControl,
  checkHiddenCharacter,
} from '#domain/checks/field-checks.ts'
import type { Currency } from '#domain/money.ts'
import {
  checkTerms,
  checkCreateDate,
  checkName,
  checkStart,
  checkUsersText,
  checkWholeNumber,
  getFirstUsers,
  raiseUsers,
} from '#domain/checks/order-checks.ts'
import { descLimit, nameLimit, userLimits, yearLimits } from '#domain/orders.ts'
import { isDate } from '#domain/plain-dates.ts'
import { cleanText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { TermsDraft } from '#features/orders/wizard/fields/TermsFields.tsx'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import type { PriceListInForce, PriceData, RequestedOrder } from '#features/orders/quote/local-quote.ts'

export interface WizardValues extends TermsDraft {
  code: string
  name: string
  desc: string
  currency: Currency
  period: string
  period_start: string
  modules: string[]
  /** Id of the company for which the provider's staff order. Empty for their own company. */
  company_id: string
  /** The day to which the provider's staff back-date the order (D39). Empty for today. */
  sOrderCreateTime: string
}

/** Returns the default values (contracts 9). */
export const createWizardValues = (list: PriceListInForce, today: PlainDate): WizardValues => ({
  code: '',
  name: '',
  desc: '',
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: String(getFirstUsers(list, 'CONCURRENT')),
  uat: false,
  period: '1',
  period_start: today,
  modules: [],
  company_id: '',
  sOrderCreateTime: '',
})

/** Returns the values for "order again". Copies everything except the service code and the dates. */
export const copyToWizardValues = (row: OrderRow, emptyValues: WizardValues, list: PriceListInForce): WizardValues => ({
  ...emptyValues,
  name: row.name,
  desc: row.desc ?? '',
  currency: row.currency,
  user_mode: row.user_mode,
  users: String(raiseUsers(list, row.user_mode, row.users)),
  uat: row.uat === 1,
  period: String(row.period),
  modules: [...row.modules],
})

/** Converts the code to lower case while it is typed (contracts 5). */
export const normaliseCode = (text: string) => text.toLowerCase()

const getBackDate = ({ sOrderCreateTime: day }: WizardValues) => (day === '' ? null : day)

/** Checks the first step. `today` is in the business time zone. */
export function checkInformation(values: WizardValues, { list }: PriceData, today: PlainDate): AnyFieldProblem[] {
  const backDated = getBackDate(values)
  const backDateProblems = backDated === null ? [] : checkCreateDate(backDated, today)
  const usersProblems = checkUsersText(values.users, list, values.user_mode)
  return [
    ...checkName(cleanText(values.code), cleanText(values.name)),
    ...checkFields({ name: values.name, desc: values.desc }, textChecks),
    ...(values.company_id === ''
      ? []
      : checkWholeNumber('company_id', values.company_id, { min: 1, max: 2_147_483_647 })),
    ...(usersProblems.length > 0 ? usersProblems : checkUsers(values, list)),
    ...checkWholeNumber('period', values.period, yearLimits),
    ...backDateProblems,
    ...(backDateProblems.length > 0 ? [] : checkStart(values.period_start, today, backDated)),
  ]
}

const textChecks: Record<string, FieldCheck[]> = {
  name: [createMaxLengthCheck(nameLimit), checkHiddenCharacter, checkOneLine],
  desc: [createMaxLengthCheck(descLimit), checkBidiControl],
}

const toChoice = (values: WizardValues) => ({
  user_mode: values.user_mode,
  users: Number(values.users),
  modules: values.modules,
})

const checkUsers = (values: WizardValues, list: PriceListInForce): AnyFieldProblem[] =>
  checkTerms(toChoice(values), list, []).filter(({ field }) => field === 'users')

export const checkModuleStep = (values: WizardValues, { list, modules }: PriceData): AnyFieldProblem[] =>
  checkTerms(
    toChoice(values),
    list,
    modules.filter(({ hidden }) => !hidden),
  ).filter(({ field }) => field === 'modules')

/** Returns null if the typed values cannot be priced. */
export function toRequestedOrder(values: WizardValues): RequestedOrder | null {
  const { users, period, period_start: start } = values
  const hasWholeNumbers =
    checkWholeNumber('users', users, userLimits).length + checkWholeNumber('period', period, yearLimits).length === 0
  if (!hasWholeNumbers || !isDate(start)) return null
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

/** Builds the request body, which the quote and the order share. */
export function toOrderBody(values: WizardValues, type: ClientType) {
  const desc = cleanText(values.desc)
  return {
    code: cleanText(values.code),
    name: cleanText(values.name),
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

export const codeTakenProblem: AnyFieldProblem = { field: 'code', code: 'DUPLICATE' }

export const getStepOfField = (field: string): 0 | 1 => (field === 'modules' ? 1 : 0)
