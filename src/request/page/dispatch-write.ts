/**
 * What a page asks that is more than reading: secrets and files go straight, long requests and writes that may wait are
 * recorded first, all else is noted and sent.
 */
import { localProblem } from '#contract/problem.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { nameIn } from '#domain/text.ts'
import { toWire, type Wire } from '#contract/http-mapping.ts'
import type { RequestData } from '#request/transport/transport.ts'
import { failed, type Input, toRequest, toResult } from '#request/transport/http.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import type { CallOptions, Result } from '#request/results.ts'

/** Where the server wants the password first (S-48), the same wish goes once more after it. */
export async function askToWrite(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  asking: CallOptions,
): Promise<Result<unknown>> {
  const result = await askOnce(ports, endpoint, asked, asking)
  if (result.kind !== 'problem' || result.problem.code !== 'STEP_UP_REQUIRED') return result
  if (!(await ports.stepUp?.())) return result
  const { intent } = result
  return await askOnce(ports, endpoint, asked, intent === undefined ? asking : { ...asking, intent })
}

async function askOnce(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  asking: CallOptions,
): Promise<Result<unknown>> {
  if (endpoint.offline === 'queue' && endpoint.encoding === 'multipart')
    return (await (await import('#request/writes/upload.ts')).upload(ports, endpoint, asked, asking)) as Result<unknown>
  if (endpoint.secret || endpoint.encoding === 'multipart') return await askStraight(ports, endpoint, asked)
  if (endpoint.job) return await askLong(ports, endpoint, asked, asking)
  if (isQueued(endpoint, asked)) return await askRecorded(ports, endpoint, asked, asking)
  return await askNow(ports, endpoint, asked, asking)
}

function isQueued({ offline, queue: queues }: Endpoint, asked: Input): boolean {
  // An endpoint's own functions know its input; here it is only data.
  return offline === 'queue' && queues !== undefined && !queues.unless?.(asked as never)
}

/** Passwords, tokens, files: to the server and nowhere else, and never a second time by themselves. */
async function askStraight(ports: PagePorts, endpoint: Endpoint, asked: Input): Promise<Result<unknown>> {
  const isUpload = endpoint.encoding === 'multipart'
  const wire = toWire(endpoint, (isUpload ? { ...asked, body: undefined } : asked) as never)
  if (!isUpload && endpoint.who !== 'anybody') return await askSigned(ports, wire)
  const token = endpoint.who === 'anybody' ? null : await ports.access.read(null)
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
  if (!response) return failed('NEEDS_CONNECTION')
  const { readDirectResponse } = await import('#request/page/direct-response.ts')
  return await readDirectResponse(ports, response)
}

/** Somebody who thought about a new password for ten minutes has an expired token: it is renewed, and nothing has happened yet. */
async function askSigned(ports: PagePorts, { contentType, ...wire }: Wire): Promise<Result<unknown>> {
  const [{ sendSignedIn }, { sendOrExplain }, { toResponse }] = await Promise.all([
    import('#request/session/auth-fetch.ts'),
    import('#request/transport/blocked.ts'),
    import('#request/transport/transport.ts'),
  ])
  const letter = { ...wire, headers: contentType ? { 'content-type': contentType } : {} }
  const answer = await sendOrExplain(ports, letter as RequestData, (request) => sendSignedIn(ports, request))
  return answer ? await toResult(toResponse(answer)) : failed('NEEDS_CONNECTION')
}

function formOf(body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body as Record<string, string | Blob>)) form.append(name, value)
  return form
}

async function askNow(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  asking: CallOptions,
): Promise<Result<unknown>> {
  // A form that is sent again is the same wish with perhaps other bytes: it takes effect at most once (protocol 1).
  const key = ports.newId()
  const wish = asking.intent ?? key
  // Visitors keep nothing on the device.
  const watched =
    endpoint.who === 'anybody'
      ? null
      : await (await import('#request/writes/direct-call.ts')).watchCall(ports, endpoint, {
          intent: wish,
          key,
          input: asked,
          name: asking.recordName ?? nameIn(asking.base?.values),
        })
  const intent = watched?.intent ?? wish
  const base = asking.base?.rowVersion
  const request = toRequest(ports, toWire(endpoint, asked as never), {
    [headers.key]: key,
    ...(intent === key ? {} : { [headers.intent]: intent }),
    ...(base === undefined ? {} : { 'if-match': `"${base}"` }),
  })
  const sent = ports.pipeline(asking.signal ? new Request(request, { signal: asking.signal }) : request, endpoint)
  const response = await sent.catch(() => Response.error())
  await watched?.heard(response.type === 'error' ? null : response)
  return response.type === 'error' ? failed('NEEDS_CONNECTION', intent) : await toResult(response, intent)
}

const queuedUntilLogin = (intent: string): Result<never> => ({
  kind: 'queued',
  intent,
  held: { problem: localProblem('SESSION_LAPSED'), isBehind: false },
})

/** Recorded before the first byte leaves, online too (protocol 11). */
async function askRecorded(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  asking: CallOptions,
): Promise<Result<unknown>> {
  const { acknowledge, record } = await import('#request/writes/record-write.ts')
  const recorded = await record(ports, endpoint, asked, asking)
  if ('problem' in recorded) return { kind: 'problem', problem: recorded.problem }
  if ('sealed' in recorded) {
    // With a connection the server says at once whether the session is over.
    ports.lasting(import('#request/writes/sender.ts').then(({ sendOutbox }) => sendOutbox(ports, { hurry: true })))
    return queuedUntilLogin(recorded.sealed)
  }
  if ('unstored' in recorded)
    return await (await import('#request/writes/send-unstored.ts')).sendUnstored(ports, recorded)
  const { intent, key } = recorded.entry
  const request = toRequest(ports, toWire(endpoint, asked as never), {
    [headers.key]: key,
    ...(key === intent ? {} : { [headers.intent]: intent }),
  })
  // The page may ask no more, but the wish stands: an entry is never withdrawn by an abort.
  const response = await ports.pipeline(request, endpoint).catch(() => Response.error())
  if (response.type === 'error') return await lookAgain(ports, intent)
  const result = await toResult(response, intent)
  if (response.headers.get(headers.outbox) === 'refused') await acknowledge(ports, intent)
  return result
}

/**
 * One call that takes its time: the request is recorded, its start goes through the request pipeline, and the answer is waited
 * for on its row, so that no fetch is held (protocol 39).
 */
async function askLong(
  ports: PagePorts,
  endpoint: Endpoint,
  asked: Input,
  asking: CallOptions,
): Promise<Result<unknown>> {
  const { doubt, follow, record } = await import('#request/jobs/start-job.ts')
  const recorded = await record(ports, endpoint, asked, asking)
  if ('problem' in recorded) return { kind: 'problem', problem: recorded.problem }
  const { job } = recorded
  if (job.state === 'starting') {
    const request = toRequest(ports, toWire(endpoint, asked as never), {
      [headers.key]: job.key,
      ...(job.key === job.intent ? {} : { [headers.intent]: job.intent }),
    })
    const response = await ports.pipeline(request, endpoint).catch(() => Response.error())
    if (response.type === 'error') await doubt(ports, job.intent)
  }
  return await follow(ports, job, asking)
}

/** The worker died under it: what the device has recorded is the truth, and it is sent on from there. */
async function lookAgain(ports: PagePorts, intent: string): Promise<Result<unknown>> {
  const { findOutcome } = await import('#request/writes/record-write.ts')
  const { receipt } = await findOutcome(ports, intent)
  if (!receipt) return { kind: 'queued', intent }
  // As it was answered then: that it had been done before is told by a problem which holds the first answer.
  const { status, body } = receipt
  return await toResult(new Response(status === 204 ? null : body, { status }), intent)
}
