/** Messages of problems, whose codes are known only when they come. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { getMessageKey, type Problem } from '#contract/problem.ts'
import { findMessage, i18n } from '#ui/i18n/messages.ts'

/** A problem in words: ours by its code, else the server's, else the code itself (portal 8, M48). */
export function formatProblem(problem: Problem): string {
  const { code, message } = problem
  const key = getMessageKey(code, problem.data)
  const text = findMessage('problem', key)
  if (text === null) return message || code
  const data = addMessages(typeof problem.data === 'object' && problem.data !== null ? { ...problem.data } : {})
  // A code out of an address brings no names with it: it has a sentence without them.
  const isComplete = [...text.matchAll(/{{(\w+)}}/g)].every(([, name = '']) => data[name])
  // As `replace`, because the server's data must not be taken for options of i18next.
  return i18n.t(isComplete ? (key as 'bare') : 'bare', { ns: 'problem', replace: data })
}

/** Who is doing what to a service is said by a name and a word of ours, which its pages have; no name: it is the provider's, and none of the reader's business. */
function addMessages(data: Record<string, unknown>): Record<string, unknown> {
  const action = typeof data['action'] === 'string' ? findMessage('services', `locked.${data['action']}`) : null
  const user = data['user'] === null ? findMessage('services', 'locked.somebody') : null
  return { ...data, ...(action === null ? {} : { action }), ...(user === null ? {} : { user }) }
}

/** A field's problem in words; `label` is the field as the person sees it (M51). */
export function formatFieldProblem({ code, limit }: Omit<FieldProblem, 'field'>, label: string): string {
  return i18n.t(code, { ns: 'fields', field: label, limit })
}
