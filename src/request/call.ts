/**
 * The page's end of the corridor: endpoint and input in, Result out. Nothing throws. Light on purpose: the sign-in page
 * carries it, and what touches the device's storage comes when first needed.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem, type LocalCode, readProblem } from '#contract/problem.ts'
import { toWire, type Wire } from '#contract/wire.ts'
import type { Ports } from '#request/ports.ts'
import type { Api, Asking, Result } from '#request/result.ts'

export interface PagePorts extends Ports {
  /** To the worker where one is in control, else to the same pipeline in this page. */
  corridor(request: Request, endpoint: Endpoint): Promise<Response>
}

type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

export function createApi(ports: PagePorts): Api {
  return {
    ask: async (endpoint, asked, asking) => (await ask(ports, endpoint, asked as Input, asking ?? {})) as Result<never>,
  }
}

async function ask(ports: PagePorts, endpoint: Endpoint, asked: Input, asking: Asking): Promise<Result<unknown>> {
  try {
    if (endpoint.secret || endpoint.encoding === 'multipart') return await askStraight(ports, endpoint, asked)
    if (endpoint.relays) return await askLong(ports, endpoint, asked, asking)
    if (isQueued(endpoint, asked)) return await askRecorded(ports, endpoint, asked, asking)
    return await askPlain(ports, endpoint, asked, asking)
  } catch {
    return failed('OFFLINE')
  }
}

const failed = (code: LocalCode, intent?: string): Result<never> => ({
  kind: 'problem',
  problem: localProblem(code),
  ...(intent === undefined ? {} : { intent }),
})

function isQueued({ offline, queues }: Endpoint, asked: Input): boolean {
  // An endpoint's own functions know its input; here it is only data.
  return offline === 'queue' && queues !== undefined && !queues.unless?.(asked as never)
}

/** Passwords, tokens, files: to the server and nowhere else, and never a second time by themselves. */
async function askStraight(ports: PagePorts, endpoint: Endpoint, asked: Input): Promise<Result<unknown>> {
  const isUpload = endpoint.encoding === 'multipart'
  const wire = toWire(endpoint, (isUpload ? { ...asked, body: undefined } : asked) as never)
  const token = endpoint.who === 'anybody' ? null : await ports.access.read()
  const request = new Request(ports.origin + wire.path, {
    method: wire.method,
    body: isUpload ? formOf(asked.body) : wire.body,
    headers: {
      ...(wire.contentType ? { 'content-type': wire.contentType } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      [headers.pipeline]: '1',
      [headers.build]: ports.build,
    },
    credentials: 'same-origin',
    cache: 'no-store',
  })
  const response = await ports.network(request).catch(() => null)
  return response ? await toResult(response) : failed('NEEDS_CONNECTION')
}

function formOf(body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body as Record<string, string | Blob>)) form.append(name, value)
  return form
}

async function askPlain(ports: PagePorts, endpoint: Endpoint, asked: Input, asking: Asking): Promise<Result<unknown>> {
  const isWrite = endpoint.method !== 'GET'
  // A form that is sent again is the same wish with perhaps other bytes: it takes effect at most once (protocol 1).
  const key = ports.newId()
  const intent = isWrite ? (asking.intent ?? key) : undefined
  const base = asking.base?.rowVersion
  const request = toRequest(ports, toWire(endpoint, asked as never), {
    ...(isWrite ? { [headers.key]: key } : {}),
    ...(intent && intent !== key ? { [headers.intent]: intent } : {}),
    ...(isWrite && base !== undefined ? { 'if-match': `"${base}"` } : {}),
  })
  const response = await ports.corridor(
    asking.signal ? new Request(request, { signal: asking.signal }) : request,
    endpoint,
  )
  if (response.type === 'error') return failed(isWrite ? 'NEEDS_CONNECTION' : 'OFFLINE', intent)
  return await toResult(response, intent)
}

/** Recorded before the first byte leaves, online too (protocol 11). */
async function askRecorded(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  asking: Asking,
): Promise<Result<unknown>> {
  const { acknowledge, record } = await import('#request/record.ts')
  const recorded = await record(ports, endpoint, asked, asking)
  if ('problem' in recorded) return { kind: 'problem', problem: recorded.problem }
  const { intent, key } = recorded.entry
  const request = toRequest(ports, toWire(endpoint, asked as never), {
    [headers.key]: key,
    ...(key === intent ? {} : { [headers.intent]: intent }),
  })
  // The page may ask no more, but the wish stands: an entry is never withdrawn by an abort.
  const response = await ports.corridor(request, endpoint).catch(() => Response.error())
  if (response.type === 'error') return await lookAgain(ports, intent)
  const result = await toResult(response, intent)
  if (response.headers.get(headers.outbox) === 'refused') await acknowledge(ports, intent)
  return result
}

/**
 * One call that takes its time: the request is recorded, its start goes through the corridor, and the answer is waited
 * for on its row, so that no fetch is held (protocol 39).
 */
async function askLong(ports: PagePorts, endpoint: Endpoint, asked: Input, asking: Asking): Promise<Result<unknown>> {
  const { doubt, follow, record } = await import('#request/relay.ts')
  const recorded = await record(ports, endpoint, asked, asking)
  if ('problem' in recorded) return { kind: 'problem', problem: recorded.problem }
  const { job } = recorded
  if (job.state === 'starting') {
    const request = toRequest(ports, toWire(endpoint, asked as never), {
      [headers.key]: job.key,
      ...(job.key === job.intent ? {} : { [headers.intent]: job.intent }),
    })
    const response = await ports.corridor(request, endpoint).catch(() => Response.error())
    if (response.type === 'error') await doubt(ports, job.intent)
  }
  return await follow(ports, job, asking)
}

/** The worker died under it: what the device has recorded is the truth, and it is sent on from there. */
async function lookAgain(ports: PagePorts, intent: string): Promise<Result<unknown>> {
  const { findOutcome } = await import('#request/record.ts')
  const { receipt } = await findOutcome(ports, intent)
  if (!receipt) return { kind: 'queued', intent }
  return { kind: 'fresh', output: receipt.body === '' ? null : JSON.parse(receipt.body) }
}

const toRequest = (ports: PagePorts, wire: Wire, extra: Record<string, string>) =>
  new Request(ports.origin + wire.path, {
    method: wire.method,
    body: wire.body,
    headers: { ...(wire.contentType ? { 'content-type': wire.contentType } : {}), ...extra },
    credentials: 'same-origin',
    cache: 'no-store',
  })

async function toResult(response: Response, intent?: string): Promise<Result<unknown>> {
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
