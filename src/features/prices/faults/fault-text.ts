import type { TFunction } from 'i18next'
import type { UatBound } from '#domain/fees/annual.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { getFieldLabel } from '#features/prices/problem-text.ts'

/** Returns a complete sentence, for example "Named users: there is no range, …". */
export const getFaultText = (t: TFunction<'prices'>, fault: AnyFieldProblem, uatBound: UatBound = 'floor'): string =>
  formatOrderFieldProblem(fault, getFieldLabelInSection(t, fault.field, uatBound))

function getFieldLabelInSection(t: TFunction<'prices'>, field: string, uatBound: UatBound): string {
  const [table = '', row, column] = field.split('.')
  if (table === 'concurrentUser' || table === 'namedUser' || table === 'module') {
    const section = t(`section.${table}`)
    return row === undefined || column === undefined ? section : getFieldLabel(t, column)
  }
  // A price may be missing in several currencies, so the label does not name a currency.
  const amount = /^(?:pdbPrice\.)?(.+)_(?:hkd|usd|rmb)$/.exec(field)?.[1]
  const context = uatBound === 'ceiling' ? { context: uatBound } : {}
  return amount ? t(`field.${amount}` as 'field.min_fee', context) : getFieldLabel(t, field)
}
