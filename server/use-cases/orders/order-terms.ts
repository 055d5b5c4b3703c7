/**
 * What an order comes to: the choice checked against the list in force and the catalogue, and priced by the engine. Asked
 * for a quote and for an order alike, so that both say the same; figures that a client sends are never counted with (S-17).
 */
import { type ClientType, isProvider } from '#domain/access.ts'
import { contractAnchor, type ContractState, stateOf, whyNotContract } from '#domain/contracts.ts'
import type { Choice } from '#domain/fees/annual.ts'
import {
  type Asked,
  isTooLarge,
  type Quote,
  quoteChange,
  quoteCreate,
  quoteExtension,
  type QuoteResult,
} from '#domain/fees/quote.ts'
import { joined } from '#domain/catalogue/modules.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { checkChoice, checkCreated, checkExtensionYears, checkName, checkStart } from '#domain/checks/order-checks.ts'
import { maxExtensionYears } from '#domain/orders.ts'
import { tidyText } from '#domain/text.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { changeContract, createOrder } from '#contract/orders.ts'
import { type ContractRecord, contractForUpdate } from '#server/db/orders/contracts.ts'
import { type ModuleRecord, modulesOf } from '#server/db/catalogue/modules.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { type PriceListRecord, priceListInForce } from '#server/db/catalogue/price-lists.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { forbidden, invalid, notFound, ProblemError } from '#server/problems/problem-error.ts'
import type { ActingCompany } from '#server/use-cases/orders/acting-company.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

export type CreateWish = Omit<ParsedInputOf<typeof createOrder>['body'], 'code' | 'name'> & {
  code?: string | undefined
  name?: string | undefined
}
export type ChangeWish = ParsedInputOf<typeof changeContract>['body']

export interface Terms {
  type: Quote['type']
  clientType: ClientType
  currency: Currency
  choice: Choice
  /** Years. */
  period: number
  list: PriceListRecord
  quote: Quote
  visible: ModuleRecord[]
  /** Hidden modules that come along and cost nothing (D5). */
  joining: ModuleRecord[]
  /** The contract that is changed or extended. */
  base: ContractRecord | null
  /** What it has: chosen and joined. */
  former: ModuleRecord[]
}

const conflict = (why: string, more: Record<string, unknown> = {}) =>
  new ProblemError('STATE_CONFLICT', { why, ...more })

async function marketOf({ db }: UseCaseContext, type: ClientType, { today }: Moment) {
  const list = await priceListInForce(db, type, today)
  if (!list) throw conflict('noPriceList')
  const modules = await modulesOf(db, type)
  const visible = modules.filter(({ hidden }) => !hidden)
  return { list, visible, hidden: modules.filter(({ hidden }) => hidden) }
}

const once = (codes: readonly string[]) => [...new Set(codes)]

/** The code as it is kept: forced to lower case (contracts 5, T9). */
export const serviceCodeOf = (typed: string) => tidyText(typed).toLowerCase()

export async function termsOfCreation({ context }: ActingCompany, wish: CreateWish): Promise<Terms> {
  const { caller, app } = context
  requireType(caller, wish.client_type)
  if (wish.sOrderCreateTime !== undefined && !isProvider(caller)) throw forbidden()
  const moment = momentOf(context)
  const { list, visible, hidden } = await marketOf(context, wish.client_type, moment)
  const { user_mode, users, uat, currency, period } = wish
  const choice: Choice = { user_mode, users, uat, modules: once(wish.modules) }
  const created = wish.sOrderCreateTime ?? null
  const wrongDay = created === null ? [] : checkCreated(created, moment.today)
  const problems = [
    ...(wish.code === undefined ? [] : checkName(serviceCodeOf(wish.code), tidyText(wish.name ?? ''))),
    ...wrongDay,
    ...(wrongDay.length > 0 ? [] : checkStart(wish.period_start, moment.today, created)),
    ...checkChoice(choice, list.content, visible),
  ]
  if (problems.length > 0) throw invalid(problems)
  const asked: Asked = { list: list.content, currency, choice, uatBound: app.config.uatBound }
  const quote = quoteOf(quoteCreate(asked, wish.period_start, period))
  const joining = joined(hidden, choice.modules)
  return {
    type: 'create',
    clientType: wish.client_type,
    currency,
    choice,
    period,
    list,
    quote,
    visible,
    joining,
    base: null,
    former: [],
  }
}

/** As it is read for a quote; for an order it is held until the commit. */
type FindContract = typeof contractForUpdate

/** Throws NOT_FOUND, and STATE_CONFLICT with the reason why the contract cannot be changed or extended now. */
export async function termsOfChange(
  { context, companyId }: ActingCompany,
  wish: ChangeWish,
  find: FindContract = contractForUpdate,
): Promise<Terms> {
  const { app, caller, db } = context
  const id = wish.contract_id
  const base = typeof id === 'number' ? await find(db, companyId, id) : null
  if (!base) throw notFound()
  requireType(caller, base.client_type)
  const moment = momentOf(context)
  const state = contractStateOf(base, moment)
  const why = whyNotContract(wish.type, state)
  if (why) throw conflict(why)
  const { list, visible, hidden } = await marketOf(context, base.client_type, moment)
  const choice = choiceOf(base, wish)
  const isSame = sameChoice(base, choice)
  const asked: Asked = { list: list.content, currency: base.currency, choice, uatBound: app.config.uatBound }
  const former = [...visible.filter(({ code }) => base.modules.includes(code)), ...joined(hidden, base.modules)]
  const common = { clientType: base.client_type, currency: base.currency, choice, list, visible, base, former }
  const joining = joined(hidden, choice.modules)
  if (wish.type === 'change') {
    // Under the list that it was priced with, nothing changed costs nothing; under a newer one it would (D12).
    if (isSame && list.id !== base.price_id) throw new ProblemError('NOTHING_CHANGED')
    requireChoice(checkChoice(choice, list.content, visible))
    const quote = quoteOf(quoteChange(asked, segmentsOf(base), moment.today, contractAnchor(base).date))
    return { type: 'change', period: base.period, quote, joining, ...common }
  }
  if (wish.period === undefined) throw invalid([{ field: 'period', code: 'REQUIRED' }])
  const tooManyYears = checkExtensionYears(wish.period, maxExtensionYears(base, moment.today))
  if (tooManyYears.length > 0) throw invalid(tooManyYears)
  const years = { period: wish.period, joining, ...common }
  const extended = quoteExtension(asked, base.period_end, moment.today, wish.period, contractAnchor(base))
  if (state === 'effective') {
    if (!isSame) throw invalid(lockedFields(base, choice))
    if (extended.kind !== 'quote') throw modifyFirst(extended)
    return { type: 'extend', quote: quoteOf(extended), ...years }
  }
  requireChoice(checkChoice(choice, list.content, visible))
  return { type: 'extend', quote: quoteOf(extended), ...years }
}

/** The state of a contract's own row. */
export const contractStateOf = (
  { overwritten, period_end }: Pick<ContractRecord, 'overwritten' | 'period_end'>,
  { now }: Pick<Moment, 'now'>,
): ContractState => stateOf({ stored: overwritten ? 'overwritten' : 'paid', due: '', period_end }, now)

export const segmentsOf = ({ segments }: ContractRecord) =>
  segments.map(({ annual, ...days }) => ({ ...days, annual: readAmount(annual) }))

const choiceOf = (base: ContractRecord, wish: ChangeWish): Choice => ({
  user_mode: wish.user_mode ?? base.user_mode,
  users: wish.users ?? base.users,
  modules: once(wish.modules ?? base.modules),
  uat: wish.uat ?? base.uat,
})

const asText = (codes: readonly string[]) => codes.toSorted().join()

const differs = {
  user_mode: (base: ContractRecord, choice: Choice) => base.user_mode !== choice.user_mode,
  users: (base: ContractRecord, choice: Choice) => base.users !== choice.users,
  modules: (base: ContractRecord, choice: Choice) => asText(base.modules) !== asText(choice.modules),
  uat: (base: ContractRecord, choice: Choice) => base.uat !== choice.uat,
}

/** More years of what runs are years of just that; something else is a change (D16). */
const lockedFields = (base: ContractRecord, choice: Choice) =>
  Object.entries(differs).flatMap(([field, isOther]) =>
    isOther(base, choice) ? [{ field, code: 'LOCKED' as const }] : [],
  )
const sameChoice = (base: ContractRecord, choice: Choice) => lockedFields(base, choice).length === 0

function requireChoice(problems: ReturnType<typeof checkChoice>): void {
  if (problems.length > 0) throw invalid(problems)
}

/** What runs is no longer on the list as it is: it has to become something else before it can go on (D16). */
const modifyFirst = (result: Exclude<QuoteResult, { kind: 'quote' }>): ProblemError =>
  conflict('modifyFirst', result.kind === 'modules not listed' ? { modules: result.modules } : {})

function quoteOf(result: QuoteResult): Quote {
  if (result.kind === 'quote') {
    if (isTooLarge(result.quote)) throw conflict('amountTooLarge')
    return result.quote
  }
  if (result.kind === 'USERS_OUT_OF_RANGE') throw new ProblemError('USERS_OUT_OF_RANGE')
  if (result.kind === 'expired') throw conflict('extendFirst')
  throw invalid([{ field: 'modules', code: 'NOT_LISTED', named: result.modules.join(', ') }])
}
