/** One request over the line, its answer read whole: everything behind works with plain data and can repeat it. */
import { headers } from '#contract/headers.ts'
import { type Problem, readProblem } from '#contract/problem.ts'
import type { Ports } from '#request/ports.ts'

export const requestTimeoutMs = 30_000

export interface RequestData {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: string | FormData | null
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
  const answer = await Promise.race([read(ports, request), late])
  if (answer === null) giveUp.abort()
  return answer
}

async function read(ports: Pick<Ports, 'network'>, request: Request): Promise<ResponseData | null> {
  try {
    const response = await ports.network(request)
    // Our server numbers all its answers. A proxy's 403, a hotel's login page, a redirect seen by hand do not.
    if (!response.headers.has(headers.requestId)) return null
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    return null
  }
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
