/**
 * What happens to a request, in the worker or, where none is in control, in the page. Lists and readings: network or
 * device. Recorded writes: their entry is sent, and the asker hears how it stands. All else: signed in and sent.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { createEndpointMatcher } from '#contract/http-mapping.ts'
import { storeRow } from '#local/lists/response-store.ts'
import { findWriteStatus, readHoldReason } from '#local/outbox/status.ts'
import { getQueueSpec } from '#local/lists/overlay.ts'
import { findUserDatabase } from '#local/session/session.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { sendExplained, sendSignedIn } from '#request/session/send-signed-in.ts'
import { toRecordedResponse } from '#request/writes/recorded-response.ts'
import { sendEntryNow } from '#request/writes/sender.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  type RequestData,
  toResponse,
  readAsOf,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { read } from '#request/reads/read.ts'
import type { EndpointCall } from '#request/reads/read-context.ts'
import { startJob } from '#request/jobs/start-job.ts'

const findEndpoint = createEndpointMatcher(endpoints)

/**
 * Whether the request pipeline takes it. Pure and synchronous, because a worker must say so at once. Secrets, uploads and
 * pictures travel as the browser sends them; what the request pipeline itself sends carries a mark (protocol 11).
 */
export function isPipelineRequest(request: Pick<Request, 'method' | 'url' | 'headers'>, origin: string): boolean {
  const url = new URL(request.url)
  if (url.origin !== origin || request.headers.has(headers.pipeline)) return false
  const endpoint = findEndpoint(request.method, url.pathname)?.endpoint
  return endpoint !== undefined && isHandled(endpoint)
}

const isHandled = ({ secret, responseType, encoding }: Endpoint) => !secret && !responseType && encoding !== 'multipart'

/** Never rejects: a line that failed with nothing kept is a network error, as without us. */
export async function handleRequest(request: Request, ports: PipelinePorts): Promise<Response> {
  try {
    const response = await dispatchRequest(request, ports)
    return response ? toResponse(response) : Response.error()
  } catch (error) {
    ports.report(error)
    return Response.error()
  }
}

async function dispatchRequest(request: Request, ports: PipelinePorts): Promise<ResponseData | null> {
  const url = new URL(request.url)
  const endpointMatch = findEndpoint(request.method, url.pathname)
  const requestData = await toRequestData(request)
  if (!endpointMatch) return await sendSignedIn(ports, requestData)
  const endpointCall = { ...endpointMatch, request: requestData }
  if (request.method === 'GET') return await read(ports, endpointCall)
  if (endpointMatch.endpoint.job) return (await startJob(ports, requestData)) ?? (await sendNow(ports, endpointCall))
  return (await sendRecorded(ports, requestData)) ?? (await sendNow(ports, endpointCall))
}

async function toRequestData(request: Request): Promise<RequestData> {
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
async function sendRecorded(
  ports: PipelinePorts,
  { headers: requestHeaders }: RequestData,
): Promise<ResponseData | null> {
  const intent = requestHeaders[headers.intent] ?? requestHeaders[headers.key]
  const db = await findUserDatabase(await ports.device())
  if (!intent || !db) return null
  const storedOutcome = await findWriteStatus(db, intent)
  if (!storedOutcome.entry) return storedOutcome.receipt && toRecordedResponse(storedOutcome)
  // Somebody waits for it, which is reason enough to try the line.
  const newOutcome = await sendEntryNow(ports, db, intent)
  return toRecordedResponse(newOutcome, await readHoldReason(db, newOutcome.entry))
}

/** A write that is never queued. Its row, where the answer holds one, is the server's word like any other. */
async function sendNow(ports: PipelinePorts, { endpoint, request }: EndpointCall): Promise<ResponseData | null> {
  const guard = await readCurrentSession(ports)
  const response = await sendExplained(ports, request, endpoint.access)
  const table = getQueueSpec(endpoint)?.table
  if (!response || !isSuccess(response) || !guard || !table) return response
  if (response.headers.get(headers.subject) !== guard.forUser) return response
  const row = parseJson(response) as { id?: unknown; row_version?: unknown } | null | undefined
  if (typeof row?.id !== 'number' || typeof row.row_version !== 'number') return response
  const asOf = readAsOf(response, ports.clock())
  const versionedRow = { ...row, id: row.id, row_version: row.row_version }
  await storeRow(guard.db, table, versionedRow, { asOf, generation: guard.generation })
  return response
}
