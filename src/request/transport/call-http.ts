/** Builds the request of an endpoint and reads its response. The page uses HTTP only here. */
import { headers } from '#contract/headers.ts'
import { type LocalProblemCode, createLocalProblem, type Problem, readProblem } from '#contract/problem.ts'
import type { HttpRequest } from '#contract/http-mapping.ts'
import type { HoldReason } from '#local/outbox/status.ts'
import { getStoredResponse } from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallOptions, CallResult, StoredDays } from '#request/call-results.ts'

export type CallInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

export const createFailure = (
  code: LocalProblemCode | 'ACTING_READ_ONLY' | 'ACTING_ENDED',
  intent?: string,
): CallResult<never> => ({
  kind: 'problem',
  problem: createLocalProblem(code),
  ...(intent === undefined ? {} : { intent }),
})

/** Returns the headers of the key and the intent. The intent is sent only if it differs from the key (protocol 1). */
export const buildKeyHeaders = ({ intent, key }: { intent: string; key: string }): Record<string, string> => ({
  [headers.key]: key,
  ...(key === intent ? {} : { [headers.intent]: intent }),
})

export const withSignal = (request: Request, { signal }: Pick<CallOptions, 'signal'>): Request =>
  signal ? new Request(request, { signal }) : request

export const toCallRequest = (
  ports: Pick<PipelinePorts, 'origin'>,
  wire: HttpRequest,
  extraHeaders: Record<string, string>,
) =>
  new Request(ports.origin + wire.path, {
    method: wire.method,
    body: wire.body,
    headers: { ...(wire.contentType ? { 'content-type': wire.contentType } : {}), ...extraHeaders },
    credentials: 'same-origin',
    cache: 'no-store',
  })

export async function toCallResult(response: Response, intent?: string): Promise<CallResult<unknown>> {
  const responseHeaders = response.headers
  const text = await response.text()
  const body = parseJsonText(text)
  if (intent && responseHeaders.get(headers.outbox) === 'queued')
    return { kind: 'queued', intent, ...(body ? { holdReason: body as HoldReason } : {}) }
  if (!response.ok) return toProblemResult(response, body, intent)
  if (body === undefined) return createFailure('UNREADABLE_ANSWER', intent)
  if (responseHeaders.has(headers.storedResponse))
    return {
      kind: 'cached',
      output: body,
      asOf: Number(responseHeaders.get(headers.asOf)),
      days: parseStoredDays(responseHeaders.get(headers.storedDays)),
      ...parseCachedProblem(responseHeaders.get(headers.replacedProblem)),
    }
  const leftOutCount = Number(responseHeaders.get(headers.rowsLeftOut) ?? 0)
  return { kind: 'fresh', output: body, ...(leftOutCount > 0 ? { leftOutCount } : {}) }
}

const parseCachedProblem = (text: string | null): { problem?: Problem } =>
  text === null ? {} : { problem: parseJsonText(decodeURIComponent(text)) as Problem }

const parseStoredDays = (text: string | null) => parseJsonText(text ?? '') as StoredDays | null

/** Returns null for an empty text and undefined for invalid JSON. */
export function parseJsonText(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toProblemResult(response: Response, body: unknown, intent?: string): CallResult<unknown> {
  const problem = readProblem(response.status, body, response.headers.get(headers.requestId))
  // An earlier attempt had taken effect, and only its response was lost. This response contains it.
  if (problem.code === 'INTENT_DONE') return { kind: 'fresh', output: getStoredResponse(problem)?.body ?? null }
  return { kind: 'problem', problem, ...(intent === undefined ? {} : { intent }) }
}
