import { headers } from '#contract/headers.ts'
import type { Held, Outcome } from '#local/outbox/status.ts'
import { localResponse, type ResponseData } from '#request/transport/transport.ts'

/** How a recorded write stands, as the one who asked gets it. */
export function recordedResponse({ entry, receipt }: Outcome, held: Held | null = null): ResponseData {
  if (receipt) {
    const body = receipt.status === 204 ? '' : receipt.body
    return { status: receipt.status, headers: new Headers({ 'content-type': 'application/json' }), text: body }
  }
  const problem = entry?.problem
  const stands = { [headers.outbox]: entry?.state ?? 'refused' }
  if (!entry || !problem || entry.state === 'waiting' || entry.state === 'sending')
    return localResponse(202, held, { [headers.outbox]: 'queued' })
  if (entry.state === 'sign in') return localResponse(202, null, { [headers.outbox]: 'queued' })
  const { status, code, message, data, requestId } = problem
  const body = { errorCode: code, errorMessage: message, data }
  return localResponse(status, body, { ...stands, ...(requestId ? { [headers.requestId]: requestId } : {}) })
}
