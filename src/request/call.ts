/**
 * The page's end of the corridor: endpoint and input in, Result out. Nothing throws. Light on purpose: the sign-in page
 * and the first list carry it; what writes, and what touches the device's storage, comes when first needed.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem, type LocalCode, readProblem } from '#contract/problem.ts'
import { toWire, type Wire } from '#contract/wire.ts'
import type { Ports } from '#request/ports.ts'
import { type Api, type Asking, isRead, type Result } from '#request/result.ts'

export interface PagePorts extends Ports {
  /** To the worker where one is in control, else to the same pipeline in this page. */
  corridor(request: Request, endpoint: Endpoint): Promise<Response>
  /** Asks who sits here for the password and has the server hear it; false: they would not. */
  stepUp?(): Promise<boolean>
}

export type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

export function createApi(ports: PagePorts): Api {
  return {
    ask: async (endpoint, asked, asking) => (await ask(ports, endpoint, asked as Input, asking ?? {})) as Result<never>,
  }
}

async function ask(ports: PagePorts, endpoint: Endpoint, asked: Input, asking: Asking): Promise<Result<unknown>> {
  try {
    if (isRead(endpoint)) return await askToRead(ports, endpoint, asked, asking)
    return await (await import('#request/writing.ts')).askToWrite(ports, endpoint, asked, asking)
  } catch (error) {
    // What a line that is gone throws is one of these; all else is a mistake of ours.
    if (!(error instanceof TypeError || error instanceof DOMException)) ports.report(error)
    return failed('OFFLINE')
  }
}

export const failed = (code: LocalCode, intent?: string): Result<never> => ({
  kind: 'problem',
  problem: localProblem(code),
  ...(intent === undefined ? {} : { intent }),
})

async function askToRead(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  { signal }: Asking,
): Promise<Result<unknown>> {
  const request = toRequest(ports, toWire(endpoint, asked as never), {})
  const response = await ports.corridor(signal ? new Request(request, { signal }) : request, endpoint)
  return response.type === 'error' ? failed('OFFLINE') : await toResult(response)
}

export const toRequest = (ports: PagePorts, wire: Wire, extra: Record<string, string>) =>
  new Request(ports.origin + wire.path, {
    method: wire.method,
    body: wire.body,
    headers: { ...(wire.contentType ? { 'content-type': wire.contentType } : {}), ...extra },
    credentials: 'same-origin',
    cache: 'no-store',
  })

export async function toResult(response: Response, intent?: string): Promise<Result<unknown>> {
  const given = response.headers
  if (intent && given.get(headers.outbox) === 'queued') return { kind: 'queued', intent }
  const text = await response.text()
  const body = readJson(text)
  if (!response.ok) return problemResult(response, body, intent)
  if (body === undefined) return failed('UNREADABLE_ANSWER', intent)
  if (given.has(headers.kept)) return { kind: 'kept', output: body, asOf: Number(given.get(headers.asOf)) }
  return { kind: 'fresh', output: body }
}

/** Null: nothing came; undefined: it cannot be read. */
function readJson(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function problemResult(response: Response, body: unknown, intent?: string): Result<unknown> {
  const problem = readProblem(response.status, body, response.headers.get(headers.requestId))
  // It had taken effect before, and only its answer was lost: now it has come.
  if (problem.code === 'INTENT_DONE') return { kind: 'fresh', output: storedOutput(problem.data) }
  return { kind: 'problem', problem, ...(intent === undefined ? {} : { intent }) }
}

/** What was answered the first time, if it is still known. */
function storedOutput(data: unknown): unknown {
  const { answer } = (data ?? {}) as { answer?: { body?: unknown } | null }
  return answer?.body ?? null
}
