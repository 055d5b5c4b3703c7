import type { TFunction } from 'i18next'
import { formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { minimumFieldNames } from '#features/prices/price-list-form.ts'
import type { PlacedProblem } from '#features/prices/sent-list.ts'

const isWholeNumberField = (name: string) => name === 'to' || minimumFieldNames.some((candidate) => candidate === name)

/** Returns the label of a field; for a table cell, the label of its column. */
export function getFieldLabel(t: TFunction<'prices'>, name: string): string {
  const fieldName = name.replace(/^pdbPrice\./, '')
  const match = /^(.+)_(hkd|usd|rmb)$/.exec(fieldName)
  if (match)
    return t('field.inCurrency', {
      field: t(`field.${match[1]}` as 'field.min_fee'),
      currency: match[2]?.toUpperCase(),
    })
  return t(`field.${fieldName as 'desc'}`)
}

/** The text of a range that ends before it starts at `from`. */
export const getLowEndText = (t: TFunction<'prices'>, { from = 1 }: { from?: number }): string =>
  t('wrong.lowEnd', { number: formatNumber(from - 1) })

export function getProblemText(t: TFunction<'prices'>, problem: PlacedProblem): string {
  const { name } = problem
  if (problem.code === 'OUT_OF_RANGE') {
    if (name === 'from' && 'from' in problem) return getLowEndText(t, problem)
    if (name === 'uat_charge') return t('wrong.percent')
    if (name.endsWith('discount')) return t('wrong.discount')
    if (name.endsWith('traffic')) return t('wrong.traffic')
    return isWholeNumberField(name) ? t('wrong.users') : t('wrong.negative')
  }
  if (problem.code === 'INVALID_FORMAT') {
    if (name === 'effective_date') return t('wrong.day')
    return isWholeNumberField(name) ? t('wrong.users') : t('wrong.amount')
  }
  return formatOrderFieldProblem(problem, getFieldLabel(t, name))
}
