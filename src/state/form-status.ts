/** Where a form's sending stands, for every slice that has a form. */
import type { Intent } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'

export interface FormStatus {
  form: RequestStatus
  /** The intent under which the form's write was refused: sent again, it is the same wish (protocol 20). */
  intent: Intent | null
}

export const unsentForm: FormStatus = { form: idleStatus, intent: null }

/** An intent that has been used up names nothing any more: what is sent next is a new wish. */
const spentCodes = ['INTENT_DONE', 'INTENT_VOID']

export function toFormStatus(result: CallResult<unknown>): FormStatus {
  if (result.kind !== 'problem')
    return { form: result.kind === 'queued' ? { kind: 'queued' } : idleStatus, intent: null }
  const { problem, intent = null } = result
  return { form: { kind: 'failed', problem }, intent: spentCodes.includes(problem.code) ? null : intent }
}
