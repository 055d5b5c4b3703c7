/** One request over the line, its answer read whole: everything behind works with plain data and can repeat it. */
import { headers } from '#contract/headers.ts'
import { type Problem, readProblem } from '#contract/problem.ts'
import type { Ports } from '#request/ports.ts'

export const requestTimeoutMs = 30_000

/** So long a screen waits for the line while the device has something to show. */
export const patienceMs = 3_000

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
  ports: Pick<Ports, 'network' | 'origin' | 'build' | 'wait'>,
  letter: RequestData,
): Promise<ResponseData | null> {
  const giveUp = new AbortController()
  const request = new Request(ports.origin + letter.path, {
    method: letter.method,
    headers: { ...letter.headers, [headers.pipeline]: '1', [headers.build]: ports.build },
    body: letter.body,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'manual',
    signal: giveUp.signal,
  })
  const late = ports.wait(requestTimeoutMs).then(() => null)
  const answer = await Promise.race([read(ports, request, letter), late])
  if (answer === null) giveUp.abort()
  return answer
}

async function read(
  ports: Pick<Ports, 'network'>,
  request: Request,
  { onBlocked }: RequestData,
): Promise<ResponseData | null> {
  try {
    const response = await ports.network(request)
    if (!isFromServer(response)) {
      onBlocked?.({ status: response.status, retryAfterMs: retryAfterMs(response) })
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
export function isFromServer({ ok, headers: given }: Pick<Response, 'ok' | 'headers'>): boolean {
  if (!given.has(headers.requestId)) return false
  return ok || !given.get('content-type')?.includes('html')
}

/** Seconds, as our server writes it. */
export function retryAfterMs({ headers: given }: Pick<Response, 'headers'>): number | null {
  const seconds = Number(given.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

export const isGood = ({ status }: ResponseData) => status >= 200 && status < 300

/** The JSON of an answer; undefined for anything else, a portal's login page above all. */
export function jsonOf({ headers: given, text }: ResponseData): unknown {
  if (!given.get('content-type')?.includes('json')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const problemOf = (answer: ResponseData): Problem =>
  readProblem(answer.status, jsonOf(answer), answer.headers.get(headers.requestId))

const bodyless = new Set([204, 205, 304])

/** The answer as the one who asked gets it. */
export function toResponse(answer: ResponseData, extra: Record<string, string> = {}): Response {
  const given = new Headers(answer.headers)
  // Already undone when the text was read.
  given.delete('content-encoding')
  given.delete('content-length')
  for (const [name, value] of Object.entries(extra)) given.set(name, value)
  return new Response(bodyless.has(answer.status) ? null : answer.text, { status: answer.status, headers: given })
}

/** An answer that this device gives by itself. */
export function localResponse(status: number, body: unknown, extra: Record<string, string> = {}): ResponseData {
  const given = new Headers({ 'content-type': 'application/json', ...extra })
  return { status, headers: given, text: JSON.stringify(body) }
}
