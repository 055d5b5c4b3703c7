/** Builds the request of an endpoint and reads its response: the only place where the page meets HTTP. */
import { headers } from '#contract/headers.ts'
import { type LocalCode, localProblem, type Problem, readProblem } from '#contract/problem.ts'
import type { Wire } from '#contract/http-mapping.ts'
import type { Held } from '#local/outbox/status.ts'
import type { Ports } from '#request/ports.ts'
import type { KeptDays, Result } from '#request/results.ts'

export type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

export const failed = (code: LocalCode, intent?: string): Result<never> => ({
  kind: 'problem',
  problem: localProblem(code),
  ...(intent === undefined ? {} : { intent }),
})

export const toRequest = (ports: Pick<Ports, 'origin'>, wire: Wire, extra: Record<string, string>) =>
  new Request(ports.origin + wire.path, {
    method: wire.method,
    body: wire.body,
    headers: { ...(wire.contentType ? { 'content-type': wire.contentType } : {}), ...extra },
    credentials: 'same-origin',
    cache: 'no-store',
  })

export async function toResult(response: Response, intent?: string): Promise<Result<unknown>> {
  const given = response.headers
  const text = await response.text()
  const body = readJson(text)
  if (intent && given.get(headers.outbox) === 'queued')
    return { kind: 'queued', intent, ...(body ? { held: body as Held } : {}) }
  if (!response.ok) return problemResult(response, body, intent)
  if (body === undefined) return failed('UNREADABLE_ANSWER', intent)
  if (given.has(headers.kept))
    return {
      kind: 'kept',
      output: body,
      asOf: Number(given.get(headers.asOf)),
      days: daysIn(given.get(headers.keptDays)),
      ...problemIn(given.get(headers.keptProblem)),
    }
  const leftOut = Number(given.get(headers.rowsLeftOut) ?? 0)
  return { kind: 'fresh', output: body, ...(leftOut > 0 ? { leftOut } : {}) }
}

const problemIn = (text: string | null): { problem?: Problem } =>
  text === null ? {} : { problem: readJson(decodeURIComponent(text)) as Problem }

const daysIn = (text: string | null) => readJson(text ?? '') as KeptDays | null

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
