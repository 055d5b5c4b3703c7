/** Where a form's sending stands, for every slice that has a form. */
import type { Intent } from '#contract/endpoint.ts'
import type { Result } from '#request/results.ts'
import { type Status, idle } from '#state/request-status.ts'

export interface Sending {
  form: Status
  /** The intent under which the form's write was refused: sent again, it is the same wish (protocol 20). */
  intent: Intent | null
}

export const unsent: Sending = { form: idle, intent: null }

/** An intent that has been used up names nothing any more: what is sent next is a new wish. */
const spent = ['INTENT_DONE', 'INTENT_VOID']

export function formAfter(result: Result<unknown>): Sending {
  if (result.kind !== 'problem') return { form: result.kind === 'queued' ? { kind: 'queued' } : idle, intent: null }
  const { problem, intent = null } = result
  return { form: { kind: 'failed', problem }, intent: spent.includes(problem.code) ? null : intent }
}
