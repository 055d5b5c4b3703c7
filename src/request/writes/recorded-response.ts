import { headers } from '#contract/headers.ts'
import type { HoldReason, WriteStatus } from '#local/outbox/status.ts'
import { createLocalResponse, type ResponseData } from '#request/transport/send-request.ts'

export function toRecordedResponse(
  { entry, receipt }: WriteStatus,
  holdReason: HoldReason | null = null,
): ResponseData {
  if (receipt) {
    const body = receipt.status === 204 ? '' : receipt.body
    return { status: receipt.status, headers: new Headers({ 'content-type': 'application/json' }), text: body }
  }
  const problem = entry?.problem
  const stateHeader = { [headers.outbox]: entry?.state ?? 'refused' }
  if (!entry || !problem || entry.state === 'waiting' || entry.state === 'sending')
    return createLocalResponse(202, holdReason, { [headers.outbox]: 'queued' })
  if (entry.state === 'sign in') return createLocalResponse(202, null, { [headers.outbox]: 'queued' })
  const { status, code, message, data, requestId } = problem
  const body = { errorCode: code, errorMessage: message, data }
  return createLocalResponse(status, body, { ...stateHeader, ...(requestId ? { [headers.requestId]: requestId } : {}) })
}
