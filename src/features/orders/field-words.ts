/** What is wrong with an order's field, in words. They come with the order pages: no other page has such fields. */
import type { FieldProblem } from '#domain/checks.ts'
import type { OrderProblem } from '#domain/order-checks.ts'
import en from '#locales/en/order-fields.json'
import zh from '#locales/zh/order-fields.json'
import { addTexts, find, say } from '#ui/texts.ts'

addTexts('en', 'order-fields', en)
addTexts('zh', 'order-fields', zh)

export type AnyProblem = FieldProblem | OrderProblem

/** `label` and `value`: of the field as the person sees it. */
export function orderFieldWords({ code, limit, named }: AnyProblem, label: string, value = ''): string {
  const words = find('order-fields', code) === null ? 'fields' : 'order-fields'
  return say(words, code, { field: label, limit, code: named ?? value })
}
