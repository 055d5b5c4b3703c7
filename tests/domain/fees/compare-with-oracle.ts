/** Compares the product's results with those of the oracle, and finds the smallest case in which they still differ. */
import { isDeepStrictEqual } from 'node:util'
import { explainQuote } from '#domain/fees/explain.ts'
import { calculateBackupAmount, calculateBackupPeriod } from '#domain/fees/backup.ts'
import { applyChange, type PaidSegment } from '#domain/fees/prorate.ts'
import { type Quote, quoteChange, quoteCreate, quoteExtension, type QuoteResult } from '#domain/fees/quote.ts'
import { calculateExtraTraffic, calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { addToAnchor, getAnchor, type BoughtPeriod, getLastDay } from '#domain/plain-dates.ts'
import { normaliseRanges } from '#domain/checks/price-checks.ts'
import { toPlainDate } from '#domain/time.ts'
import {
  type OracleResult,
  type BackupCase,
  type FeeCase,
  type ContractCase,
  runOracle,
  type TrafficCase,
} from '#tests/domain/fees/oracle.ts'

const zone = 'Asia/Hong_Kong'

function toResult(result: QuoteResult): OracleResult {
  if (result.kind === 'modules not listed')
    return { refused: [`${result.kind}: ${[...new Set(result.modules)].toSorted().join(',')}`] }
  if (result.kind !== 'quote') return { refused: [result.kind] }
  const { quote } = result
  const { annualFee: annual } = quote
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
    shown_expiry: getLastDay(quote.period_end),
  }
}

/** Throws if the displayed steps do not have the amounts of the quote. */
function checkSteps(quote: Quote): void {
  const steps = explainQuote(quote)
  const displayedAmounts = [steps.find(({ code }) => code === 'annual')?.amount, steps.at(-1)?.amount]
  if (!isDeepStrictEqual(displayedAmounts, [writeAmount(quote.annualFee.fee), writeAmount(quote.amount)]))
    throw new Error(`its steps say ${displayedAmounts.join(', ')}`)
}

const toPaidSegment = ({ period_start: start, period_end: end, annualFee: annual }: Quote): PaidSegment => ({
  start,
  end,
  annualFee: annual.fee,
})

function quoteContract({
  lists: typedLists,
  currency,
  uatBound,
  paid: paidBefore,
  steps,
}: ContractCase): OracleResult[] {
  const lists = typedLists.map((list) => ({
    ...list,
    concurrentUser: normaliseRanges(list.concurrentUser),
    namedUser: normaliseRanges(list.namedUser),
  }))
  const paidUntil = paidBefore.at(-1)?.end
  let boughtPeriod: BoughtPeriod | null = paidUntil ? { end: paidUntil, anchor: null } : null
  let paidSegments: PaidSegment[] = paidBefore.map(({ annual, ...days }) => ({
    ...days,
    annualFee: readAmount(annual),
  }))
  return steps.map((step) => {
    const list = lists[step.list]
    if (!list) throw new Error('there is no such list')
    const quoteInput = { list, currency, uatBound, terms: step.choice }
    const today = toPlainDate(zone, step.time)
    const end = paidSegments.at(-1)?.end
    if (step.ask !== 'create' && !end) {
      const result = quoteCreate(quoteInput, today, 1)
      return result.kind === 'quote' ? { refused: ['no contract'] } : toResult(result)
    }
    const result =
      step.ask === 'create'
        ? quoteCreate(quoteInput, step.start, step.years)
        : step.ask === 'extend'
          ? quoteExtension(quoteInput, end ?? '', today, step.years, boughtPeriod?.anchor)
          : quoteChange(quoteInput, paidSegments, today, boughtPeriod?.anchor?.date)
    if (result.kind === 'quote') {
      const { quote } = result
      checkSteps(quote)
      if (step.isPaid && quote.type !== 'change') {
        const lastPeriod: BoughtPeriod | null = quote.type === 'create' ? null : boughtPeriod
        boughtPeriod = {
          end: quote.period_end,
          anchor: addToAnchor(getAnchor(quote.period_start, lastPeriod), 12 * quote.years),
        }
      }
      if (step.isPaid)
        paidSegments =
          quote.type === 'change'
            ? applyChange(paidSegments, today, quote.annualFee.fee)
            : [...paidSegments, toPaidSegment(quote)]
    }
    return toResult(result)
  })
}

function quoteBackup({ time, fee, discount, ...bounds }: BackupCase): OracleResult {
  const period = calculateBackupPeriod({ ...bounds, today: toPlainDate(zone, time) })
  if (!period) return { refused: ['nothing left'] }
  const { amount, payAmount } = calculateBackupAmount(readAmount(fee), period.months, BigInt(discount) * 100n)
  return { ...period, amount: writeAmount(amount), pay_amount: writeAmount(payAmount) }
}

function quoteTraffic({ measured, free, price }: TrafficCase): OracleResult {
  const [usedTraffic, freeTraffic] = [readAmount(measured), BigInt(free) * 100n]
  return {
    extra: writeAmount(calculateExtraTraffic(usedTraffic, freeTraffic)),
    amount: writeAmount(calculateTrafficAmount(usedTraffic, freeTraffic, readAmount(price))),
  }
}

function runProduct(feeCase: FeeCase): OracleResult[] {
  if (feeCase.kind === 'contract') return quoteContract(feeCase)
  return [feeCase.kind === 'backup' ? quoteBackup(feeCase) : quoteTraffic(feeCase)]
}

function isSameResult(product: OracleResult, oracle: OracleResult): boolean {
  const [productReasons, oracleReasons] = [product, oracle].map((result) =>
    'refused' in result ? (result.refused as string[]) : null,
  )
  if (productReasons && oracleReasons) return productReasons.every((reason) => oracleReasons.includes(reason))
  return isDeepStrictEqual(product, oracle)
}

export interface CaseComparison {
  marks: ReadonlySet<string>
  /** The number of results that were compared. */
  resultCount: number
  /** Null if the product and the oracle agree. */
  difference: { stepIndex: number; product: unknown; oracle: OracleResult } | null
}

export function compareCase(feeCase: FeeCase): CaseComparison {
  const { results: oracleResults, marks } = runOracle(feeCase)
  const resultCount = oracleResults.length
  const buildDifference = (stepIndex: number, product: unknown, oracleResult: OracleResult) => ({
    marks,
    resultCount,
    difference: { stepIndex, product, oracle: oracleResult },
  })
  let productResults: OracleResult[]
  try {
    productResults = runProduct(feeCase)
  } catch (error) {
    return buildDifference(0, String(error), oracleResults[0] ?? {})
  }
  for (const [stepIndex, oracleResult] of oracleResults.entries()) {
    const productResult = productResults[stepIndex] ?? {}
    if (!isSameResult(productResult, oracleResult)) return buildDifference(stepIndex, productResult, oracleResult)
  }
  return { marks, resultCount, difference: null }
}

type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** Yields every value that is simpler in a single respect. */
function* listSimplerValues(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, child] of value.entries())
      for (const simplerValue of listSimplerValues(child)) yield value.with(index, simplerValue)
  } else if (value !== null && typeof value === 'object') {
    for (const [name, child] of Object.entries(value))
      for (const simplerValue of listSimplerValues(child)) yield { ...value, [name]: simplerValue }
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

function hasDifference(feeCase: FeeCase): boolean {
  try {
    return compareCase(feeCase).difference !== null
  } catch {
    // A simplified value that is not a valid case is skipped.
    return false
  }
}

export function shrinkCase(feeCase: FeeCase): FeeCase {
  let smallest = feeCase
  for (let tries = 0; tries < 5_000; ) {
    let smallerCase: FeeCase | undefined
    for (const simplerValue of listSimplerValues(smallest as unknown as JsonValue)) {
      if (++tries > 5_000) break
      if (hasDifference(simplerValue as unknown as FeeCase)) {
        smallerCase = simplerValue as unknown as FeeCase
        break
      }
    }
    if (!smallerCase) break
    smallest = smallerCase
  }
  return smallest
}

/** Returns the smallest case as JSON, with the difference, so that it can be run again. */
export function describeDifference(feeCase: FeeCase): string {
  const smallestCase = shrinkCase(feeCase)
  return JSON.stringify({ case: smallestCase, difference: compareCase(smallestCase).difference }, null, 1)
}
