/** Texts of calculation steps and amounts on documents (contracts 9). */
import type { FeeStep } from '#domain/fees/explain.ts'
import { trimPercent } from '#domain/fees/percent.ts'
import { type Currency, groupThousands } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { TranslateText } from '#server/text/translator.ts'

/** Returns a text with the first and the last day (D18). `end` is exclusive. */
export const formatDays = (translate: TranslateText, from: PlainDate, end: PlainDate) =>
  translate('days', { from, to: getLastDay(end) })

/** Codes of steps that are sums. Sums are highlighted among the amounts that they consist of. */
const sumCodes: readonly FeeStep['code'][] = ['sum', 'total', 'annual', 'contract', 'residual']

/** Whether a step is highlighted as a sum. Of several equal sums in a row, only the last one is. */
export const isSum = ({ code, amount }: FeeStep, next: FeeStep | undefined) =>
  sumCodes.includes(code) && !(next && sumCodes.includes(next.code) && next.amount === amount)

const amountNames = ['price', 'of', 'bound', 'minimum', 'annual', 'gb'] as const
const codesWithDays: readonly FeeStep['code'][] = ['years', 'months', 'segment', 'paid']

/** Returns the values of a step as they are printed. `name` is the name of its module. */
function formatStepValues(translate: TranslateText, { code, values }: FeeStep, name: string) {
  const { from, to, days: count, percent } = values
  return {
    ...values,
    ...Object.fromEntries(amountNames.flatMap((key) => (values[key] ? [[key, groupThousands(values[key])]] : []))),
    ...(codesWithDays.includes(code) && from && to ? { days: formatDays(translate, from, to) } : {}),
    ...(percent ? { percent: trimPercent(percent) } : {}),
    ...(count ? { count } : {}),
    name,
  }
}

export function formatStep(translate: TranslateText, step: FeeStep, namesByCode: ReadonlyMap<string, string>): string {
  const { code, values } = step
  const moduleCode = values['code'] ?? ''
  const stepValues = formatStepValues(translate, step, namesByCode.get(moduleCode) ?? moduleCode)
  if (code === 'uat') return translate(`step.uat.${values['reading'] ?? 'floor'}`, stepValues)
  if (code === 'segment' || code === 'paid') {
    const variant = values['days'] && values['years'] ? 'capped' : values['days'] ? 'days' : 'years'
    return translate(`step.${code}.${variant}`, stepValues)
  }
  return translate(`step.${code}`, stepValues)
}

/** The minus sign of a deduction is in front of the currency. */
export const formatSignedAmount = (currency: Currency, amount: string) =>
  amount.startsWith('-') ? `−${currency} ${groupThousands(amount.slice(1))}` : `${currency} ${groupThousands(amount)}`
