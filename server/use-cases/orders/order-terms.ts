/** Checks and prices an order or a quote with the same code, so that both agree. Amounts from a client are never used (S-17). */
import { type ClientType, isProvider } from '#domain/access.ts'
import { getContractAnchor, type ContractState, getContractState, getContractRefusal } from '#domain/contracts.ts'
import type { ContractTerms } from '#domain/fees/annual.ts'
import {
  type QuoteInput,
  isTooLarge,
  type Quote,
  quoteChange,
  quoteCreate,
  quoteExtension,
  type QuoteResult,
} from '#domain/fees/quote.ts'
import { filterJoiningModules } from '#domain/catalogue/modules.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { checkTerms, checkCreateDate, checkExtensionYears, checkName, checkStart } from '#domain/checks/order-checks.ts'
import { getMaxExtensionYears } from '#domain/orders.ts'
import { cleanText } from '#domain/text.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { changeContract, createOrder } from '#contract/orders.ts'
import { type ContractRecord, lockContract } from '#server/db/orders/contracts.ts'
import { type ModuleRecord, listModulesOfType } from '#server/db/catalogue/modules.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { type PriceListRecord, findPriceListInForce } from '#server/db/catalogue/price-lists.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import {
  createForbiddenProblem,
  createValidationProblem,
  createNotFoundProblem,
  ProblemError,
} from '#server/problems/problem-error.ts'
import { isUnusedCreditable } from '#server/use-cases/orders/contract-credit.ts'
import type { ActingCompany } from '#server/use-cases/orders/acting-company.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export type CreateOrderInput = Omit<ParsedInputOf<typeof createOrder>['body'], 'code' | 'name'> & {
  code?: string | undefined
  name?: string | undefined
}
export type ChangeOrderInput = ParsedInputOf<typeof changeContract>['body']

export interface OrderTerms {
  type: Quote['type']
  clientType: ClientType
  currency: Currency
  choice: ContractTerms
  /** Number of years. */
  period: number
  list: PriceListRecord
  quote: Quote
  visibleModules: ModuleRecord[]
  /** Hidden modules that join automatically and are free (D5). */
  joiningModules: ModuleRecord[]
  base: ContractRecord | null
  /** Whether what the change does not use becomes credit. Otherwise it is discarded (D14). */
  isCreditable: boolean
  /** Modules of the contract to change or extend, both chosen ones and those that joined automatically. */
  formerModules: ModuleRecord[]
}

const createConflictError = (reason: string, details: Record<string, unknown> = {}) =>
  new ProblemError('STATE_CONFLICT', { why: reason, ...details })

async function readCatalogue({ db }: UseCaseContext, type: ClientType, { today }: Moment) {
  const list = await findPriceListInForce(db, type, today)
  if (!list) throw createConflictError('noPriceList')
  const modules = await listModulesOfType(db, type)
  const visibleModules = modules.filter(({ hidden }) => !hidden)
  return { list, visible: visibleModules, hidden: modules.filter(({ hidden }) => hidden) }
}

const removeDuplicates = (codes: readonly string[]) => [...new Set(codes)]

/** Returns the code as it is stored: in lower case (contracts 5, T9). */
export const normaliseServiceCode = (text: string) => cleanText(text).toLowerCase()

export async function buildCreationTerms({ context }: ActingCompany, input: CreateOrderInput): Promise<OrderTerms> {
  const { caller, app } = context
  requireType(caller, input.client_type)
  if (input.sOrderCreateTime !== undefined && !isProvider(caller)) throw createForbiddenProblem()
  const moment = getBusinessMoment(context)
  const {
    list,
    visible: visibleModules,
    hidden: hiddenModules,
  } = await readCatalogue(context, input.client_type, moment)
  const { user_mode, users, uat, currency, period } = input
  const choice: ContractTerms = { user_mode, users, uat, modules: removeDuplicates(input.modules) }
  const createdDate = input.sOrderCreateTime ?? null
  const dateProblems = createdDate === null ? [] : checkCreateDate(createdDate, moment.today)
  const problems = [
    ...(input.code === undefined ? [] : checkName(normaliseServiceCode(input.code), cleanText(input.name ?? ''))),
    ...dateProblems,
    ...(dateProblems.length > 0 ? [] : checkStart(input.period_start, moment.today, createdDate)),
    ...checkTerms(choice, list.content, visibleModules),
  ]
  if (problems.length > 0) throw createValidationProblem(problems)
  const quoteInput: QuoteInput = { list: list.content, currency, terms: choice, uatBound: app.config.uatBound }
  const quote = requireQuote(quoteCreate(quoteInput, input.period_start, period))
  const joiningModules = filterJoiningModules(hiddenModules, choice.modules)
  return {
    type: 'create',
    clientType: input.client_type,
    currency,
    choice,
    period,
    list,
    quote,
    visibleModules,
    joiningModules,
    base: null,
    isCreditable: false,
    formerModules: [],
  }
}

/** Finds the contract. For a quote the contract is only read. For an order it is locked until the commit. */
type FindContract = typeof lockContract

/**
 * Throws NOT_FOUND, STATE_CONFLICT with the reason if the contract cannot be changed or extended now, and the problems of the chosen terms.
 */
export async function buildChangeTerms(
  { context, companyId }: ActingCompany,
  input: ChangeOrderInput,
  find: FindContract = lockContract,
): Promise<OrderTerms> {
  const { app, caller, db } = context
  const id = input.contract_id
  const base = typeof id === 'number' ? await find(db, companyId, id) : null
  if (!base) throw createNotFoundProblem()
  requireType(caller, base.client_type)
  const moment = getBusinessMoment(context)
  const state = getStoredContractState(base, moment)
  const refusal = getContractRefusal(input.type, state)
  if (refusal) throw createConflictError(refusal)
  const {
    list,
    visible: visibleModules,
    hidden: hiddenModules,
  } = await readCatalogue(context, base.client_type, moment)
  const choice = mergeChoice(base, input)
  const isSame = hasSameChoice(base, choice)
  const quoteInput: QuoteInput = {
    list: list.content,
    currency: base.currency,
    terms: choice,
    uatBound: app.config.uatBound,
  }
  const formerModules = [
    ...visibleModules.filter(({ code }) => base.modules.includes(code)),
    ...filterJoiningModules(hiddenModules, base.modules),
  ]
  const sharedTerms = {
    clientType: base.client_type,
    currency: base.currency,
    choice,
    list,
    visibleModules,
    base,
    formerModules,
  }
  const joiningModules = filterJoiningModules(hiddenModules, choice.modules)
  if (input.type === 'change') {
    // An unchanged choice is accepted under the contract's own price list, where it costs nothing. Under a newer list it might cost
    // something, so it is refused (D12).
    if (isSame && list.id !== base.price_id) throw new ProblemError('NOTHING_CHANGED')
    requireNoProblems(checkTerms(choice, list.content, visibleModules))
    const quote = requireQuote(quoteChange(quoteInput, parseSegments(base), moment.today, getContractAnchor(base).date))
    const service = { companyId, code: base.service_code, isLocking: find === lockContract }
    const isCreditable = await isUnusedCreditable(context, service)
    return { type: 'change', period: base.period, quote, joiningModules, isCreditable, ...sharedTerms }
  }
  if (input.period === undefined) throw createValidationProblem([{ field: 'period', code: 'REQUIRED' }])
  const yearProblems = checkExtensionYears(input.period, getMaxExtensionYears(base, moment.today))
  if (yearProblems.length > 0) throw createValidationProblem(yearProblems)
  const extensionTerms = { period: input.period, joiningModules, isCreditable: false, ...sharedTerms }
  const extensionResult = quoteExtension(
    quoteInput,
    base.period_end,
    moment.today,
    input.period,
    getContractAnchor(base),
  )
  if (state === 'effective') {
    if (!isSame) throw createValidationProblem(findLockedFields(base, choice))
    if (extensionResult.kind !== 'quote') throw createModifyFirstError(extensionResult)
    return { type: 'extend', quote: requireQuote(extensionResult), ...extensionTerms }
  }
  requireNoProblems(checkTerms(choice, list.content, visibleModules))
  return { type: 'extend', quote: requireQuote(extensionResult), ...extensionTerms }
}

export const getStoredContractState = (
  { overwritten, period_end }: Pick<ContractRecord, 'overwritten' | 'period_end'>,
  { now }: Pick<Moment, 'now'>,
): ContractState => getContractState({ stored: overwritten ? 'overwritten' : 'paid', due: '', period_end }, now)

export const parseSegments = ({ segments }: ContractRecord) =>
  segments.map(({ annual, ...days }) => ({ ...days, annualFee: readAmount(annual) }))

const mergeChoice = (base: ContractRecord, input: ChangeOrderInput): ContractTerms => ({
  user_mode: input.user_mode ?? base.user_mode,
  users: input.users ?? base.users,
  modules: removeDuplicates(input.modules ?? base.modules),
  uat: input.uat ?? base.uat,
})

const joinCodes = (codes: readonly string[]) => codes.toSorted().join()

const fieldComparisons = {
  user_mode: (base: ContractRecord, choice: ContractTerms) => base.user_mode !== choice.user_mode,
  users: (base: ContractRecord, choice: ContractTerms) => base.users !== choice.users,
  modules: (base: ContractRecord, choice: ContractTerms) => joinCodes(base.modules) !== joinCodes(choice.modules),
  uat: (base: ContractRecord, choice: ContractTerms) => base.uat !== choice.uat,
}

/**
 * Returns the terms that differ from those of the contract. An extension of a current contract must keep its terms. Other terms need a
 * change (D16).
 */
const findLockedFields = (base: ContractRecord, choice: ContractTerms) =>
  Object.entries(fieldComparisons).flatMap(([field, isDifferent]) =>
    isDifferent(base, choice) ? [{ field, code: 'LOCKED' as const }] : [],
  )
const hasSameChoice = (base: ContractRecord, choice: ContractTerms) => findLockedFields(base, choice).length === 0

function requireNoProblems(problems: ReturnType<typeof checkTerms>): void {
  if (problems.length > 0) throw createValidationProblem(problems)
}

/** The problem if the current terms are no longer on the price list. The contract must be changed before it can be extended (D16). */
const createModifyFirstError = (result: Exclude<QuoteResult, { kind: 'quote' }>): ProblemError =>
  createConflictError('modifyFirst', result.kind === 'modules not listed' ? { modules: result.modules } : {})

function requireQuote(result: QuoteResult): Quote {
  if (result.kind === 'quote') {
    if (isTooLarge(result.quote)) throw createConflictError('amountTooLarge')
    return result.quote
  }
  if (result.kind === 'USERS_OUT_OF_RANGE') throw new ProblemError('USERS_OUT_OF_RANGE')
  if (result.kind === 'expired') throw createConflictError('extendFirst')
  throw createValidationProblem([{ field: 'modules', code: 'NOT_LISTED', named: result.modules.join(', ') }])
}
