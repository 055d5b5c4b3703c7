/** Faults of a price list in words (domain/checks/price-list-faults.ts), and other problems of its fields. */
import type { TFunction } from 'i18next'
import type { UatBound } from '#domain/fees/annual.ts'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import { labelOf } from '#features/prices/words-of.ts'

/** In a sentence that can stand alone: "Named users: there is no range, …". */
export const faultText = (t: TFunction<'prices'>, fault: AnyProblem, uatBound: UatBound = 'floor'): string =>
  orderFieldWords(fault, fieldLabel(t, fault.field, uatBound))

function fieldLabel(t: TFunction<'prices'>, field: string, uatBound: UatBound): string {
  const [table = '', row, column] = field.split('.')
  if (table === 'concurrentUser' || table === 'namedUser' || table === 'module') {
    const section = t(`section.${table}`)
    return row === undefined || column === undefined ? section : labelOf(t, column)
  }
  // A price in some currencies: the field is named without the first one that it lacks.
  const amount = /^(?:pdbPrice\.)?(.+)_(?:hkd|usd|rmb)$/.exec(field)?.[1]
  const context = uatBound === 'ceiling' ? { context: uatBound } : {}
  return amount ? t(`field.${amount}` as 'field.min_fee', context) : labelOf(t, field)
}
