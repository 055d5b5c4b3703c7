/**
 * Handles reads: lists and single responses from the network or the device, all others sent with the session's token. Separate from the
 * pipeline, so that the first page, which no worker serves yet, does not load the code for writes.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { createEndpointMatcher } from '#contract/http-mapping.ts'
import { findUserDatabase } from '#local/session/session.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { type ResponseData, isSuccess, toResponse } from '#request/transport/send-request.ts'
import { handleList } from '#request/reads/list.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { EndpointCall } from '#request/reads/read-context.ts'
import { handleSingleResponse } from '#request/reads/single-response.ts'

export async function read(ports: PipelinePorts, endpointCall: EndpointCall): Promise<ResponseData | null> {
  const { endpoint, request } = endpointCall
  const response = await (endpoint.list
    ? handleList(ports, endpointCall, endpoint.list)
    : endpoint.offline === 'read'
      ? handleSingleResponse(ports, endpointCall)
      : sendExplained(ports, request, endpoint.access))
  if (response && isSuccess(response) && !response.headers.has(headers.storedResponse))
    ports.keepAlive(sendIfWaiting(ports))
  return response
}

/** Sends waiting writes. Called after a successful response, which shows that the server can be reached. */
async function sendIfWaiting(ports: PipelinePorts): Promise<void> {
  const db = await findUserDatabase(await ports.device())
  if (!db || (await db.outbox.count()) === 0) return
  const [{ hasSendable }, { sendOutbox }] = await Promise.all([
    import('#local/outbox/status.ts'),
    import('#request/writes/sender.ts'),
  ])
  if (await hasSendable(db)) await sendOutbox(ports, { immediate: true })
}

/** Handles a page's own read if no worker is in control. The caller has already determined the endpoint. Never rejects. */
export async function handleRead(httpRequest: Request, endpoint: Endpoint, ports: PipelinePorts): Promise<Response> {
  try {
    const { pathname, search } = new URL(httpRequest.url)
    const { params } = createEndpointMatcher([endpoint])(httpRequest.method, pathname) ?? { params: {} }
    const request = {
      method: httpRequest.method,
      path: pathname + search,
      headers: Object.fromEntries(httpRequest.headers),
      body: null,
    }
    const response = await read(ports, { endpoint, params, request })
    return response ? toResponse(response) : Response.error()
  } catch (error) {
    ports.report(error)
    return Response.error()
  }
}
