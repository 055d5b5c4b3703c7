/**
 * What happens to a request, in the worker or, where none is in control, in the page. Lists and readings: network or
 * device. Recorded writes: their entry is sent, and the asker hears how it stands. All else: signed in and sent.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { matcher } from '#contract/http-mapping.ts'
import { storeRow } from '#local/lists/response-store.ts'
import { lookUp, readHeld, whenSettled } from '#local/outbox/status.ts'
import { queuesOf } from '#local/lists/overlay.ts'
import { readSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { recordedResponse } from '#request/writes/recorded-response.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import {
  type ResponseData,
  isGood,
  jsonOf,
  patienceMs,
  type RequestData,
  toResponse,
} from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { read } from '#request/reads/read.ts'
import type { Asked } from '#request/reads/read-context.ts'
import { start } from '#request/jobs/start-job.ts'
import { subjectOf } from '#request/session/subject.ts'

const find = matcher(endpoints)

/**
 * Whether the request pipeline takes it. Pure and synchronous, because a worker must say so at once. Secrets, uploads and
 * pictures travel as the browser sends them; what the request pipeline itself sends carries a mark (protocol 11).
 */
export function takes(request: Pick<Request, 'method' | 'url' | 'headers'>, origin: string): boolean {
  const url = new URL(request.url)
  if (url.origin !== origin || request.headers.has(headers.pipeline)) return false
  const endpoint = find(request.method, url.pathname)?.endpoint
  return endpoint !== undefined && isOurs(endpoint)
}

const isOurs = ({ secret, responseType: answers, encoding }: Endpoint) =>
  !secret && !answers && encoding !== 'multipart'

/** Never rejects: a line that failed with nothing kept is a network error, as without us. */
export async function handle(request: Request, ports: Ports): Promise<Response> {
  try {
    const answer = await travel(request, ports)
    return answer ? toResponse(answer) : Response.error()
  } catch (error) {
    ports.report(error)
    return Response.error()
  }
}

async function travel(request: Request, ports: Ports): Promise<ResponseData | null> {
  const url = new URL(request.url)
  const match = find(request.method, url.pathname)
  const letter = await letterOf(request)
  if (!match) return await sendSignedIn(ports, letter)
  const asked = { ...match, letter }
  if (request.method === 'GET') return await read(ports, asked)
  if (match.endpoint.job) return (await start(ports, letter)) ?? (await sendNow(ports, asked))
  return (await recorded(ports, letter)) ?? (await sendNow(ports, asked))
}

async function letterOf(request: Request): Promise<RequestData> {
  const url = new URL(request.url)
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.text()
  return {
    method: request.method,
    path: url.pathname + url.search,
    headers: Object.fromEntries([...request.headers].filter(([name]) => name !== headers.pageAccess)),
    body: body || null,
  }
}

/** A write that the page recorded: its entry is sent, never a second one made. Null: it was not recorded. */
async function recorded(ports: Ports, { headers: given }: RequestData): Promise<ResponseData | null> {
  const intent = given[headers.intent] ?? given[headers.key]
  const device = await ports.device()
  const session = await readSession(device)
  if (!intent || !session || session.signedOut) return null
  const db = device.of(session)
  const before = await lookUp(db, intent)
  if (!before.entry) return before.receipt && recordedResponse(before)
  // Somebody waits for it, which is reason enough to try the line.
  const draining = sendOutbox(ports, { hurry: true })
  ports.lasting(draining)
  const { settled, stop } = whenSettled(db, intent)
  await Promise.race([settled, draining, ports.wait(patienceMs)])
  stop()
  const after = await lookUp(db, intent)
  return recordedResponse(after, await readHeld(db, after.entry))
}

/** A write that is never queued. Its row, where the answer holds one, is the server's word like any other. */
async function sendNow(ports: Ports, { endpoint, letter }: Asked): Promise<ResponseData | null> {
  const device = await ports.device()
  const session = await readSession(device)
  const generation = session && !session.signedOut ? await readGate(device.of(session)) : null
  const answer = await sendOrExplain(ports, letter, (request) => sendSignedIn(ports, request, endpoint.who))
  const table = queuesOf(endpoint)?.table
  if (!answer || !isGood(answer) || !session || generation === null || !table) return answer
  if (answer.headers.get(headers.subject) !== subjectOf(session)) return answer
  const row = jsonOf(answer) as { id?: unknown; row_version?: unknown } | null | undefined
  if (typeof row?.id !== 'number' || typeof row.row_version !== 'number') return answer
  const asOf = Number(answer.headers.get(headers.asOf) ?? ports.clock())
  await storeRow(device.of(session), table, { ...row, id: row.id, row_version: row.row_version }, { asOf, generation })
  return answer
}
