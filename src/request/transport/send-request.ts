/** One request over the line, its answer read whole: everything behind works with plain data and can repeat it. */
import { headers } from '#contract/headers.ts'
import { type Problem, readProblem } from '#contract/problem.ts'
import type { PipelinePorts } from '#request/ports.ts'

export const requestTimeoutMs = 30_000

/** So long a screen waits for the line while the device has something to show. */
export const networkWaitMs = 3_000

export interface RequestData {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: string | FormData | null
  /** Called where something between this device and the server answered. The response is null then. */
  onBlocked?: (blocked: BlockedResponse) => void
}

export interface BlockedResponse {
  status: number
  retryAfterMs: number | null
}

export interface ResponseData {
  status: number
  headers: Headers
  text: string
}

/** Null: the line failed, or something in between answered in our server's place. */
export async function sendRequest(
  ports: Pick<PipelinePorts, 'network' | 'origin' | 'build' | 'wait'>,
  requestData: RequestData,
): Promise<ResponseData | null> {
  const abortController = new AbortController()
  const request = new Request(ports.origin + requestData.path, {
    method: requestData.method,
    headers: { ...requestData.headers, [headers.pipeline]: '1', [headers.build]: ports.build },
    body: requestData.body,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'manual',
    signal: abortController.signal,
  })
  const timeout = ports.wait(requestTimeoutMs).then(() => null)
  const response = await Promise.race([fetchOnce(ports, request, requestData), timeout])
  if (response === null) abortController.abort()
  return response
}

async function fetchOnce(
  ports: Pick<PipelinePorts, 'network'>,
  request: Request,
  { onBlocked }: RequestData,
): Promise<ResponseData | null> {
  try {
    const response = await ports.network(request)
    if (!isFromServer(response)) {
      onBlocked?.({ status: response.status, retryAfterMs: parseRetryAfterMs(response) })
      return null
    }
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    return null
  }
}

/**
 * Our server numbers all its answers. A proxy's 403, a hotel's login page, a redirect seen by hand do not. Some proxies number
 * theirs too; but an error page is none of ours, whose errors are JSON.
 */
export function isFromServer({ ok, headers: responseHeaders }: Pick<Response, 'ok' | 'headers'>): boolean {
  if (!responseHeaders.has(headers.requestId)) return false
  return ok || !responseHeaders.get('content-type')?.includes('html')
}

/** Seconds, as our server writes it. */
export function parseRetryAfterMs({ headers: responseHeaders }: Pick<Response, 'headers'>): number | null {
  const seconds = Number(responseHeaders.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

export const isSuccess = ({ status }: ResponseData) => status >= 200 && status < 300

/** Server time of a response, epoch ms. */
export const readAsOf = ({ headers: responseHeaders }: ResponseData, fallback = Number.NaN) =>
  Number(responseHeaders.get(headers.asOf) ?? fallback)

/** The JSON of an answer; undefined for anything else, a portal's login page above all. */
export function parseJson({ headers: responseHeaders, text }: ResponseData): unknown {
  if (!responseHeaders.get('content-type')?.includes('json')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const toProblem = (response: ResponseData): Problem =>
  readProblem(response.status, parseJson(response), response.headers.get(headers.requestId))

/** The response that the server has stored of a repeated write. Null: it has none. */
export const getStoredResponse = ({ data }: Problem): StoredResponseData | null =>
  ((data ?? {}) as { answer?: StoredResponseData | null }).answer ?? null

interface StoredResponseData {
  status: number
  headers: Record<string, string>
  body: unknown
}

const bodylessStatuses = new Set([204, 205, 304])

/** The answer as the one who asked gets it. */
export function toResponse(response: ResponseData, extraHeaders: Record<string, string> = {}): Response {
  const responseHeaders = new Headers(response.headers)
  // Already undone when the text was read.
  responseHeaders.delete('content-encoding')
  responseHeaders.delete('content-length')
  for (const [name, value] of Object.entries(extraHeaders)) responseHeaders.set(name, value)
  return new Response(bodylessStatuses.has(response.status) ? null : response.text, {
    status: response.status,
    headers: responseHeaders,
  })
}

/** An answer that this device gives by itself. */
export function createLocalResponse(
  status: number,
  body: unknown,
  extraHeaders: Record<string, string> = {},
): ResponseData {
  const responseHeaders = new Headers({ 'content-type': 'application/json', ...extraHeaders })
  return { status, headers: responseHeaders, text: JSON.stringify(body) }
}
