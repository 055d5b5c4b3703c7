/** The product's answers to the oracle's cases, where the two differ, and the smallest case in which they still do. */
import { isDeepStrictEqual } from 'node:util'
import { explain } from '#domain/fees/explain.ts'
import { backupAmount, backupPeriod } from '#domain/fees/backup.ts'
import { afterChange, type Segment } from '#domain/fees/prorate.ts'
import { type Quote, quoteChange, quoteCreate, quoteExtension, type QuoteResult } from '#domain/fees/quote.ts'
import { extraTraffic, trafficAmount } from '#domain/fees/traffic.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { addToAnchor, anchorOf, type BoughtPeriod, lastDay } from '#domain/period.ts'
import { rangesInOrder } from '#domain/checks/price-checks.ts'
import { dateIn } from '#domain/time.ts'
import {
  type Answer,
  type BackupCase,
  type Case,
  type ContractCase,
  oracleOf,
  type TrafficCase,
} from '#tests/domain/fees/oracle.ts'

const zone = 'Asia/Hong_Kong'

function answerOf(result: QuoteResult): Answer {
  if (result.kind === 'modules not listed')
    return { refused: [`${result.kind}: ${[...new Set(result.modules)].toSorted().join(',')}`] }
  if (result.kind !== 'quote') return { refused: [result.kind] }
  const { quote } = result
  const { annual } = quote
  const tierSum = annual.users.reduce((sum, { amount }) => sum + amount, 0n)
  const amounts = {
    tier_sum: tierSum,
    module_sum: annual.modules.reduce((sum, { amount }) => sum + amount, 0n),
    sum: annual.sum,
    uat_share: annual.uat?.share ?? 0n,
    uat_fee: annual.uat?.fee ?? 0n,
    total: annual.total,
    annual: annual.fee,
    contract_amount: quote.contract_amount,
    residual_amount: quote.residual_amount,
    amount: quote.amount,
  }
  return {
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, writeAmount(amount)])),
    tiers: annual.users.map(({ users, price }) => `${users}x${writeAmount(price)}`),
    ...(quote.type === 'change' ? {} : { period_start: quote.period_start }),
    period_end: quote.period_end,
    shown_expiry: lastDay(quote.period_end),
  }
}

/** What people are shown of it says the same. */
function checkTold(quote: Quote): void {
  const steps = explain(quote)
  const told = [steps.find(({ code }) => code === 'annual')?.amount, steps.at(-1)?.amount]
  if (!isDeepStrictEqual(told, [writeAmount(quote.annual.fee), writeAmount(quote.amount)]))
    throw new Error(`its steps say ${told.join(', ')}`)
}

const segmentOf = ({ period_start: start, period_end: end, annual }: Quote): Segment => ({
  start,
  end,
  annual: annual.fee,
})

function contractAnswers({ lists: typed, currency, uatBound, paid: before, steps }: ContractCase): Answer[] {
  const lists = typed.map((list) => ({
    ...list,
    concurrentUser: rangesInOrder(list.concurrentUser),
    namedUser: rangesInOrder(list.namedUser),
  }))
  const given = before.at(-1)?.end
  let term: BoughtPeriod | null = given ? { end: given, anchor: null } : null
  let paid: Segment[] = before.map(({ annual, ...days }) => ({ ...days, annual: readAmount(annual) }))
  return steps.map((step) => {
    const list = lists[step.list]
    if (!list) throw new Error('there is no such list')
    const asked = { list, currency, uatBound, choice: step.choice }
    const today = dateIn(zone, step.at)
    const end = paid.at(-1)?.end
    if (step.ask !== 'create' && !end) {
      const result = quoteCreate(asked, today, 1)
      return result.kind === 'quote' ? { refused: ['no contract'] } : answerOf(result)
    }
    const result =
      step.ask === 'create'
        ? quoteCreate(asked, step.start, step.years)
        : step.ask === 'extend'
          ? quoteExtension(asked, end ?? '', today, step.years, term?.anchor)
          : quoteChange(asked, paid, today, term?.anchor?.date)
    if (result.kind === 'quote') {
      const { quote } = result
      checkTold(quote)
      if (step.isPaid && quote.type !== 'change') {
        const last: BoughtPeriod | null = quote.type === 'create' ? null : term
        term = { end: quote.period_end, anchor: addToAnchor(anchorOf(quote.period_start, last), 12 * quote.years) }
      }
      if (step.isPaid)
        paid = quote.type === 'change' ? afterChange(paid, today, quote.annual.fee) : [...paid, segmentOf(quote)]
    }
    return answerOf(result)
  })
}

function backupAnswer({ at, fee, discount, ...asked }: BackupCase): Answer {
  const period = backupPeriod({ ...asked, today: dateIn(zone, at) })
  if (!period) return { refused: ['nothing left'] }
  const { amount, payAmount } = backupAmount(readAmount(fee), period.months, BigInt(discount) * 100n)
  return { ...period, amount: writeAmount(amount), pay_amount: writeAmount(payAmount) }
}

function trafficAnswer({ measured, free, price }: TrafficCase): Answer {
  const [used, given] = [readAmount(measured), BigInt(free) * 100n]
  return {
    extra: writeAmount(extraTraffic(used, given)),
    amount: writeAmount(trafficAmount(used, given, readAmount(price))),
  }
}

function productOf(one: Case): Answer[] {
  if (one.kind === 'contract') return contractAnswers(one)
  return [one.kind === 'backup' ? backupAnswer(one) : trafficAnswer(one)]
}

function agree(product: Answer, oracle: Answer): boolean {
  const [is, ought] = [product, oracle].map((one) => ('refused' in one ? (one.refused as string[]) : null))
  if (is && ought) return is.every((reason) => ought.includes(reason))
  return isDeepStrictEqual(product, oracle)
}

export interface Compared {
  marks: ReadonlySet<string>
  /** How many times something was asked. */
  answers: number
  /** Null: none. */
  difference: { at: number; product: unknown; oracle: Answer } | null
}

export function compare(one: Case): Compared {
  const { answers: oracle, marks } = oracleOf(one)
  const answers = oracle.length
  const told = (at: number, product: unknown, ought: Answer) => ({
    marks,
    answers,
    difference: { at, product, oracle: ought },
  })
  let product: Answer[]
  try {
    product = productOf(one)
  } catch (error) {
    return told(0, String(error), oracle[0] ?? {})
  }
  for (const [at, ought] of oracle.entries()) {
    const is = product[at] ?? {}
    if (!agree(is, ought)) return told(at, is, ought)
  }
  return { marks, answers, difference: null }
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Everything that is one thing simpler. */
function* simpler(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1)
    for (const [at, one] of value.entries()) for (const other of simpler(one)) yield value.with(at, other)
  } else if (value !== null && typeof value === 'object') {
    for (const [name, one] of Object.entries(value)) for (const other of simpler(one)) yield { ...value, [name]: other }
  } else if (typeof value === 'number' && value < 1_000_000 && value > 1) {
    yield 1
    yield Math.floor(value / 2)
    yield value - 1
  } else if (typeof value === 'string' && /^\d+\.\d\d$/.test(value) && value !== '0.00') {
    yield '0.00'
    if (value !== '1.00') yield '1.00'
    if (value.length > 4) yield value.slice(1)
  }
}

function differs(one: Case): boolean {
  try {
    return compare(one).difference !== null
  } catch {
    // What is no case any more is no smaller one.
    return false
  }
}

export function shrunk(given: Case): Case {
  let smallest = given
  for (let tries = 0; tries < 5_000; ) {
    let found: Case | undefined
    for (const one of simpler(smallest as unknown as Json)) {
      if (++tries > 5_000) break
      if (differs(one as unknown as Case)) {
        found = one as unknown as Case
        break
      }
    }
    if (!found) break
    smallest = found
  }
  return smallest
}

/** All that is needed to see it, and to have it again. */
export function describeDifference(one: Case): string {
  const small = shrunk(one)
  return JSON.stringify({ case: small, difference: compare(small).difference }, null, 1)
}
