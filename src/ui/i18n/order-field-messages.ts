/** Formats field problems of orders and the catalogue. Loaded only with the pages that need them. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { groupDigits } from '#domain/money.ts'
import en from '#locales/en/order-fields.json'
import zh from '#locales/zh/order-fields.json'
import { addMessages, findMessage, i18n } from '#ui/i18n/messages.ts'

addMessages('order-fields', { en, zh })

export type AnyFieldProblem = FieldProblem | OrderProblem

export function formatOrderFieldProblem(problem: AnyFieldProblem, label: string, value = ''): string {
  const { code, named: namedCode } = problem
  const limit = problem.limit === undefined ? undefined : groupDigits(String(problem.limit))
  const { subject, lists } = problem as OrderProblem
  if ('from' in problem) return i18n.t('RANGE', { ns: 'order-fields', from: groupDigits(String(problem.from)), limit })
  const values = { field: label, limit, code: namedCode ?? value, subject, lists }
  if (findMessage('order-fields', code) === null)
    return i18n.t(code as FieldProblem['code'], { ns: 'fields', ...values })
  return i18n.t(code as keyof typeof en, { ns: 'order-fields', ...values })
}
