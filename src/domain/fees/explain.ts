/** Calculation steps of an amount, each with its rule. Screen, print, API and tests use the same steps. */
import { type Hundredths, writeAmount } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'
import type { AnnualFee } from '#domain/fees/annual.ts'
import { calculateBackupAmount } from '#domain/fees/backup.ts'
import type { ProrationFactor } from '#domain/fees/prorate.ts'
import type { Quote } from '#domain/fees/quote.ts'
import { calculateExtraTraffic, calculateTrafficAmount } from '#domain/fees/traffic.ts'

export type FeeStepCode =
  | 'users'
  | 'module'
  | 'sum'
  | 'uat'
  | 'total'
  | 'minimum'
  | 'annual'
  | 'years'
  | 'segment'
  | 'contract'
  | 'paid'
  | 'residual'
  | 'months'
  | 'discount'
  | 'traffic'
  | 'carriedFrom'
  | 'carriedOn'
  | 'due'

export interface FeeStep {
  code: FeeStepCode
  /** Source of the rule: a section of the specification or a decision. */
  rule: string
  values: Record<string, string>
  amount: string
}

const createStep = (
  code: FeeStepCode,
  rule: string,
  amount: Hundredths,
  values: Record<string, string> = {},
): FeeStep => ({
  code,
  rule,
  values,
  amount: writeAmount(amount),
})

/** `credited`: what becomes credit of the amount that a change does not use. */
export function explainQuote(quote: Quote, credited: Hundredths = 0n): FeeStep[] {
  const { annualFee, amount } = quote
  const fee = writeAmount(annualFee.fee)
  const dueStep = createStep('due', 'D14', amount, {
    contract: writeAmount(quote.contract_amount),
    residual: writeAmount(quote.residual_amount),
    ...(credited > 0n ? { credited: writeAmount(credited) } : {}),
  })
  if (quote.type !== 'change') {
    const years = { annual: fee, years: String(quote.years), from: quote.period_start, to: quote.period_end }
    return [...explainAnnual(annualFee), createStep('years', 'D8', quote.contract_amount, years), dueStep]
  }
  const { remainingSegments: segments, lines } = quote
  const explainSegments = (
    code: 'segment' | 'paid',
    rule: string,
    amounts: readonly Hundredths[],
    getFee: (index: number) => string,
  ) =>
    segments.map(({ start, end, factor }, index) =>
      createStep(code, rule, amounts[index] ?? 0n, {
        annual: getFee(index),
        from: start,
        to: end,
        ...toFactorValues(factor),
      }),
    )
  return [
    ...explainAnnual(annualFee),
    ...explainSegments('segment', 'D9', lines.contract, () => fee),
    createStep('contract', 'D12', quote.contract_amount),
    ...explainSegments('paid', 'D11', lines.residual, (index) => writeAmount(segments[index]?.annualFee ?? 0n)),
    createStep('residual', 'D12', quote.residual_amount),
    dueStep,
  ]
}

/** Returns the factor's values as texts. It has both years and days if more days remain than the years count as (365 each). */
const toFactorValues = (factor: ProrationFactor): Record<string, string> =>
  Object.fromEntries(Object.entries(factor).map(([unit, count]) => [unit, String(count)]))

/** Steps of the annual fee, for simulations and as the first part of every quote. */
export function explainAnnual({ users, modules, sum, uat, total, minimum, fee }: AnnualFee): FeeStep[] {
  const userSteps = users.map(({ from, to, price, users: userCount, amount }) =>
    createStep('users', 'D2', amount, {
      from: String(from),
      to: String(to),
      users: String(userCount),
      price: writeAmount(price),
    }),
  )
  const moduleSteps = modules.map(({ code, amount }) => createStep('module', 'D4', amount, { code }))
  const uatSteps = uat
    ? [
        createStep('uat', 'D1', uat.fee, {
          percent: writeAmount(uat.percent),
          of: writeAmount(sum),
          share: writeAmount(uat.share),
          bound: writeAmount(uat.bound),
          reading: uat.uatBound,
        }),
        createStep('total', 'contracts 9', total),
      ]
    : []
  // The step exists only if the minimum applies, because most orders are above it.
  const minimumSteps = fee > total ? [createStep('minimum', 'D6', fee - total, { minimum: writeAmount(minimum) })] : []
  return [
    ...userSteps,
    ...moduleSteps,
    createStep('sum', 'contracts 9', sum),
    ...uatSteps,
    ...minimumSteps,
    createStep('annual', 'D6', fee),
  ]
}

interface ExplainedBackup {
  annualFee: Hundredths
  months: number
  discount: Hundredths
  start: PlainDate
  /** Exclusive end date. */
  end: PlainDate
}

export function explainBackup({ annualFee, months, discount, start, end }: ExplainedBackup): FeeStep[] {
  const { amount, payAmount } = calculateBackupAmount(annualFee, months, discount)
  const period = { annual: writeAmount(annualFee), months: String(months), from: start, to: end }
  const discountStep = createStep('discount', 'contracts 9', payAmount - amount, { percent: writeAmount(discount) })
  return [
    createStep('months', 'D20', amount, period),
    ...(discount > 0n ? [discountStep] : []),
    createStep('due', 'D25', payAmount),
  ]
}

/** Amount carried over from an earlier month, and whether all of it is carried over to the next month. */
export interface CarriedAmount {
  /** `yyyy-MM`; null if nothing is carried over. */
  from: string | null
  amount: Hundredths
  isCarriedOn: boolean
}

export function explainTraffic(
  measuredGb: Hundredths,
  freeGb: Hundredths,
  pricePerGb: Hundredths,
  { from, amount: carriedAmount, isCarriedOn: isCarriedForward }: CarriedAmount = {
    from: null,
    amount: 0n,
    isCarriedOn: false,
  },
): FeeStep[] {
  const ownAmount = calculateTrafficAmount(measuredGb, freeGb, pricePerGb)
  const values = { gb: writeAmount(calculateExtraTraffic(measuredGb, freeGb)), price: writeAmount(pricePerGb) }
  const total = ownAmount + carriedAmount
  return [
    createStep('traffic', 'D22', ownAmount, values),
    ...(from === null ? [] : [createStep('carriedFrom', 'decision 63', carriedAmount, { month: from })]),
    ...(isCarriedForward ? [createStep('carriedOn', 'decision 63', -total)] : []),
    createStep('due', 'D25', isCarriedForward ? 0n : total),
  ]
}
