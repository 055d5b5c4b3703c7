import { storeResponse } from '#local/lists/response-store.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { type ResponseData, isSuccess, parseJson, readAsOf } from '#request/transport/send-request.ts'
import { toCachedResponse, preferNetwork } from '#request/reads/list.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type EndpointCall, getResponseGuard, tryStore, readSessionGuard } from '#request/reads/read-context.ts'

export async function handleSingleResponse(
  ports: PipelinePorts,
  endpointCall: EndpointCall,
): Promise<ResponseData | null> {
  const pendingResponse = fetchResponse(ports, endpointCall)
  return await preferNetwork(ports, pendingResponse, () => readOfflineResponse(ports, endpointCall))
}

async function fetchResponse(ports: PipelinePorts, { endpoint, request }: EndpointCall): Promise<ResponseData | null> {
  const { session, guard: guardBefore } = await readSessionGuard(ports)
  const response = await sendExplained(ports, request, endpoint.access, session)
  if (!response || !isSuccess(response)) return response
  if (parseJson(response) === undefined) return null
  const guard = await getResponseGuard(ports, guardBefore, response)
  const asOf = readAsOf(response, ports.clock())
  const cachedResponse = { path: request.path, body: response.text, asOf }
  if (guard) await tryStore(ports, () => storeResponse(guard.db, cachedResponse, guard.generation))
  return response
}

/** Returns the last response to the same request. For a stored audit trail, builds the response from its entries. */
async function readOfflineResponse(ports: PipelinePorts, endpointCall: EndpointCall): Promise<ResponseData | null> {
  const readCached = () => readCachedResponse(ports, endpointCall.request.path)
  if (!endpointCall.endpoint.path.startsWith('/api/systrail')) return await readCached()
  return await (await import(/* chunk: trail-device */ '#request/reads/stored-trail.ts')).readTrailResponse(
    ports,
    endpointCall,
    readCached,
  )
}

async function readCachedResponse(ports: PipelinePorts, path: string): Promise<ResponseData | null> {
  const { guard } = await readSessionGuard(ports)
  const cachedResponse = await guard?.db.responses.get(path)
  return cachedResponse ? toCachedResponse(JSON.parse(cachedResponse.body), cachedResponse.asOf) : null
}
