/**
 * Handles a request in the worker or, if no worker is in control, in the page. Lists and single responses come from the network or the
 * device. For a recorded write, its entry is sent and its state returned. All others are sent with the session's token.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { createEndpointMatcher } from '#contract/http-mapping.ts'
import { isCurrentRow } from '#contract/verdict.ts'
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
  getStoredResponse,
  toProblem,
  toResponse,
  readAsOf,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { read } from '#request/reads/read.ts'
import type { EndpointCall } from '#request/reads/read-context.ts'
import { startJob } from '#request/jobs/start-job.ts'

const findEndpoint = createEndpointMatcher(endpoints)

/**
 * Returns true if the request pipeline handles the request. Synchronous, because a worker must decide before its event handler returns.
 * Secrets, uploads and files are left to the browser. Requests that the pipeline itself sends carry a header and are not handled again
 * (protocol 11).
 */
export function isPipelineRequest(request: Pick<Request, 'method' | 'url' | 'headers'>, origin: string): boolean {
  const url = new URL(request.url)
  if (url.origin !== origin || request.headers.has(headers.pipeline)) return false
  const endpoint = findEndpoint(request.method, url.pathname)?.endpoint
  return endpoint !== undefined && isHandled(endpoint)
}

const isHandled = ({ secret, responseType, encoding }: Endpoint) => !secret && !responseType && encoding !== 'multipart'

/** Never rejects. A lost connection with nothing cached is a network error, as without the pipeline. */
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

/** Sends the entry of a write that the page recorded; never creates a second one. Returns null if the write was not recorded. */
async function sendRecorded(
  ports: PipelinePorts,
  { headers: requestHeaders }: RequestData,
): Promise<ResponseData | null> {
  const intent = requestHeaders[headers.intent] ?? requestHeaders[headers.key]
  const db = await findUserDatabase(await ports.device())
  if (!intent || !db) return null
  const storedOutcome = await findWriteStatus(db, intent)
  if (!storedOutcome.entry) return storedOutcome.receipt && toRecordedResponse(storedOutcome)
  // The caller is waiting, so the connection is tried now.
  const newOutcome = await sendEntryNow(ports, db, intent)
  return toRecordedResponse(newOutcome, await readHoldReason(db, newOutcome.entry))
}

/**
 * Sends a write that is never queued. A row in its response is stored like any other, also if an earlier attempt had taken effect: the next
 * change is otherwise based on the row before it.
 */
async function sendNow(ports: PipelinePorts, { endpoint, request }: EndpointCall): Promise<ResponseData | null> {
  const guard = await readCurrentSession(ports)
  const response = await sendExplained(ports, request, endpoint.access)
  const table = getQueueSpec(endpoint)?.table
  if (!response || !guard || !table || response.headers.get(headers.subject) !== guard.forUser) return response
  const row = readWrittenRow(response)
  const asOf = readAsOf(response, ports.clock())
  if (isCurrentRow(row)) await storeRow(guard.db, table, row, { asOf, generation: guard.generation })
  return response
}

function readWrittenRow(response: ResponseData): unknown {
  if (isSuccess(response)) return parseJson(response)
  const problem = toProblem(response)
  return problem.code === 'INTENT_DONE' ? getStoredResponse(problem)?.body : null
}
