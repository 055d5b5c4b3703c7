/** Sends one request and reads its complete response. All other code works with plain data and can repeat it. */
import { headers } from '#contract/headers.ts'
import { type Problem, readProblem } from '#contract/problem.ts'
import type { PipelinePorts } from '#request/ports.ts'

export const requestTimeoutMs = 30_000

/** How long a page waits for the network if the device has cached data. */
export const networkWaitMs = 3_000

export interface RequestData {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: string | FormData | null
  /** Called if something between this device and the server responded. The result is then null. */
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

/** Returns null if the connection failed or a proxy responded in place of the server. */
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
 * Returns true if the response is from the portal, which adds a request id to every response. A proxy's 403, a hotel's login page or an
 * opaque redirect has none. Some proxies add ids too, but an HTML error page is never from the portal, whose errors are JSON.
 */
export function isFromServer({ ok, headers: responseHeaders }: Pick<Response, 'ok' | 'headers'>): boolean {
  if (!responseHeaders.has(headers.requestId)) return false
  return ok || !responseHeaders.get('content-type')?.includes('html')
}

/** Returns the wait in ms, or null. Only seconds are accepted, which is the format of the portal. */
export function parseRetryAfterMs({ headers: responseHeaders }: Pick<Response, 'headers'>): number | null {
  const seconds = Number(responseHeaders.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

export const isSuccess = ({ status }: ResponseData) => status >= 200 && status < 300

/** Server time of a response, epoch ms. */
export const readAsOf = ({ headers: responseHeaders }: ResponseData, fallback = Number.NaN) =>
  Number(responseHeaders.get(headers.asOf) ?? fallback)

/** Returns the JSON of a response. Returns undefined for anything else, such as the login page of a network. */
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

/** Returns the stored response to a repeated write, or null if the server has none. */
export const getStoredResponse = ({ data }: Problem): StoredResponseData | null =>
  ((data ?? {}) as { answer?: StoredResponseData | null }).answer ?? null

interface StoredResponseData {
  status: number
  headers: Record<string, string>
  body: unknown
}

const bodylessStatuses = new Set([204, 205, 304])

export function toResponse(response: ResponseData, extraHeaders: Record<string, string> = {}): Response {
  const responseHeaders = new Headers(response.headers)
  // These headers describe the transferred bytes, but the text is already decoded.
  responseHeaders.delete('content-encoding')
  responseHeaders.delete('content-length')
  for (const [name, value] of Object.entries(extraHeaders)) responseHeaders.set(name, value)
  return new Response(bodylessStatuses.has(response.status) ? null : response.text, {
    status: response.status,
    headers: responseHeaders,
  })
}

export function createLocalResponse(
  status: number,
  body: unknown,
  extraHeaders: Record<string, string> = {},
): ResponseData {
  const responseHeaders = new Headers({ 'content-type': 'application/json', ...extraHeaders })
  return { status, headers: responseHeaders, text: JSON.stringify(body) }
}
