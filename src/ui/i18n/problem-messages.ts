/** Messages of problems, whose codes are known only when they come. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { getMessageKey, type Problem } from '#contract/problem.ts'
import { find, i18n } from '#ui/i18n/i18n.ts'

/** A problem in words: ours by its code, else the server's, else the code itself (portal 8, M48). */
export function problemWords(problem: Problem): string {
  const { code, message } = problem
  const key = getMessageKey(code, problem.data)
  const text = find('problem', key)
  if (text === null) return message || code
  const data = withWords(typeof problem.data === 'object' && problem.data !== null ? { ...problem.data } : {})
  // A code out of an address brings no names with it: it has a sentence without them.
  const isWhole = [...text.matchAll(/{{(\w+)}}/g)].every(([, name = '']) => data[name])
  // As `replace`, because the server's data must not be taken for options of i18next.
  return i18n.t(isWhole ? (key as 'bare') : 'bare', { ns: 'problem', replace: data })
}

/** Who is doing what to a service is said by a name and a word of ours, which its pages have; no name: it is the provider's, and none of the reader's business. */
function withWords(data: Record<string, unknown>): Record<string, unknown> {
  const action = typeof data['action'] === 'string' ? find('services', `locked.${data['action']}`) : null
  const user = data['user'] === null ? find('services', 'locked.somebody') : null
  return { ...data, ...(action === null ? {} : { action }), ...(user === null ? {} : { user }) }
}

/** A field's problem in words; `label` is the field as the person sees it (M51). */
export function fieldWords({ code, limit }: Omit<FieldProblem, 'field'>, label: string): string {
  return i18n.t(code, { ns: 'fields', field: label, limit })
}
