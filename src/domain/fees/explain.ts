/**
 * Why an amount is what it is: its steps in the order they were taken, each with the rule that it applied, the values that
 * words are made of, and what it came to. The screen, the print, the API and the tests read the same steps.
 */
import { type Hundredths, writeAmount } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Annual } from '#domain/fees/annual.ts'
import { backupAmount } from '#domain/fees/backup.ts'
import type { Factor } from '#domain/fees/prorate.ts'
import type { Quote } from '#domain/fees/quote.ts'
import { extraTraffic, trafficAmount } from '#domain/fees/traffic.ts'

export type StepCode =
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

export interface Step {
  code: StepCode
  /** Where the rule is written down: a section of the specification or a decision. */
  rule: string
  values: Record<string, string>
  amount: string
}

const step = (code: StepCode, rule: string, amount: Hundredths, values: Record<string, string> = {}): Step => ({
  code,
  rule,
  values,
  amount: writeAmount(amount),
})

export function explain(quote: Quote): Step[] {
  const { annual, amount } = quote
  const fee = writeAmount(annual.fee)
  const due = step('due', 'D14', amount, {
    contract: writeAmount(quote.contract_amount),
    residual: writeAmount(quote.residual_amount),
  })
  if (quote.type !== 'change') {
    const years = { annual: fee, years: String(quote.years), from: quote.period_start, to: quote.period_end }
    return [...explainAnnual(annual), step('years', 'D8', quote.contract_amount, years), due]
  }
  const { stretches, lines } = quote
  const told = (
    code: 'segment' | 'paid',
    rule: string,
    amounts: readonly Hundredths[],
    feeOf: (at: number) => string,
  ) =>
    stretches.map(({ start, end, factor }, at) =>
      step(code, rule, amounts[at] ?? 0n, { annual: feeOf(at), from: start, to: end, ...factorValues(factor) }),
    )
  return [
    ...explainAnnual(annual),
    ...told('segment', 'D9', lines.contract, () => fee),
    step('contract', 'D12', quote.contract_amount),
    ...told('paid', 'D11', lines.residual, (at) => writeAmount(stretches[at]?.annual ?? 0n)),
    step('residual', 'D12', quote.residual_amount),
    due,
  ]
}

/** Years and days where the days would cost more than the years that they count as. */
const factorValues = (factor: Factor): Record<string, string> =>
  Object.fromEntries(Object.entries(factor).map(([unit, count]) => [unit, String(count)]))

/** The fee of a year by itself: for what-if, and as the first part of every quote. */
export function explainAnnual({ users, modules, sum, uat, total, minimum, fee }: Annual): Step[] {
  const userSteps = users.map(({ from, to, price, users: inside, amount }) =>
    step('users', 'D2', amount, {
      from: String(from),
      to: String(to),
      users: String(inside),
      price: writeAmount(price),
    }),
  )
  const moduleSteps = modules.map(({ code, amount }) => step('module', 'D4', amount, { code }))
  const uatSteps = uat
    ? [
        step('uat', 'D1', uat.fee, {
          percent: writeAmount(uat.percent),
          of: writeAmount(sum),
          share: writeAmount(uat.share),
          bound: writeAmount(uat.bound),
          reading: uat.reading,
        }),
        step('total', 'contracts 9', total),
      ]
    : []
  // Only where it decides: most people never meet it.
  const raised = fee > total ? [step('minimum', 'D6', fee - total, { minimum: writeAmount(minimum) })] : []
  return [
    ...userSteps,
    ...moduleSteps,
    step('sum', 'contracts 9', sum),
    ...uatSteps,
    ...raised,
    step('annual', 'D6', fee),
  ]
}

interface Backup {
  /** The fee of a year. */
  annual: Hundredths
  months: number
  discount: Hundredths
  start: PlainDate
  /** Exclusive. */
  end: PlainDate
}

/** Of a backup: what its months cost, what the discount takes off, what is left to pay. */
export function explainBackup({ annual, months, discount, start, end }: Backup): Step[] {
  const { amount, payAmount } = backupAmount(annual, months, discount)
  const period = { annual: writeAmount(annual), months: String(months), from: start, to: end }
  const less = step('discount', 'contracts 9', payAmount - amount, { percent: writeAmount(discount) })
  return [step('months', 'D20', amount, period), ...(discount > 0n ? [less] : []), step('due', 'D25', payAmount)]
}

/** Of a month's traffic: what its GB beyond the free ones cost. */
/** What is carried from an earlier month, and whether all of it is carried on to the next one. */
export interface CarriedOver {
  /** `yyyy-MM`; null: nothing is. */
  from: string | null
  amount: Hundredths
  isCarriedOn: boolean
}

export function explainTraffic(
  measured: Hundredths,
  free: Hundredths,
  pricePerGb: Hundredths,
  { from, amount: carried, isCarriedOn }: CarriedOver = { from: null, amount: 0n, isCarriedOn: false },
): Step[] {
  const own = trafficAmount(measured, free, pricePerGb)
  const values = { gb: writeAmount(extraTraffic(measured, free)), price: writeAmount(pricePerGb) }
  const total = own + carried
  return [
    step('traffic', 'D22', own, values),
    ...(from === null ? [] : [step('carriedFrom', 'decision 63', carried, { month: from })]),
    ...(isCarriedOn ? [step('carriedOn', 'decision 63', -total)] : []),
    step('due', 'D25', isCarriedOn ? 0n : total),
  ]
}
