import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { getMessageKey, type Problem } from '#contract/problem.ts'
import { findMessage, i18n } from '#ui/i18n/messages.ts'

/** Formats a problem: the client's message for its code, otherwise the server's message, otherwise the code (portal 8, M48). */
export function formatProblem(problem: Problem): string {
  const { code, message } = problem
  const key = getMessageKey(code, problem.data)
  const text = findMessage('problem', key)
  if (text === null) return message || code
  const data = addMessages(typeof problem.data === 'object' && problem.data !== null ? { ...problem.data } : {})
  // If data for the message is missing, a message without names is used. A code from the URL has no data.
  const isComplete = [...text.matchAll(/{{(\w+)}}/g)].every(([, name = '']) => data[name])
  // Passed as `replace`, because the server's data must not be treated as options of i18next.
  return i18n.t(isComplete ? (key as 'bare') : 'bare', { ns: 'problem', replace: data })
}

/** Adds texts about the running action on a service. In the data, `user` is null if a customer may not see the name of provider staff. */
function addMessages(data: Record<string, unknown>): Record<string, unknown> {
  const action = typeof data['action'] === 'string' ? findMessage('services', `locked.${data['action']}`) : null
  const user = data['user'] === null ? findMessage('services', 'locked.somebody') : null
  return { ...data, ...(action === null ? {} : { action }), ...(user === null ? {} : { user }) }
}

/** Text of a field problem. `label` is the displayed label of the field (M51). */
export function formatFieldProblem({ code, limit }: Omit<FieldProblem, 'field'>, label: string): string {
  return i18n.t(code, { ns: 'fields', field: label, limit })
}
