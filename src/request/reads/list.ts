/**
 * Handles reads of lists: waits a moment for the network, then returns cached data and marks it as such. Server data is stored as rows, not
 * as responses, and only if the session is still the one that sent the request (protocol 10).
 */
import type { ListSpec } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { convertPairs } from '#contract/http-mapping.ts'
import { verifyIndex } from '#local/list-index/list-index.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import type { PageResponse } from '#local/lists/row-store.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { isBlocked } from '#request/transport/blocked.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  createLocalResponse,
  networkWaitMs,
  toProblem,
  readAsOf,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { fillList } from '#request/reads/fill-list.ts'
import {
  type EndpointCall,
  type SessionGuard,
  getResponseGuard,
  tryStore,
  readLeftOutRows,
  readSessionGuard,
} from '#request/reads/read-context.ts'

export async function handleList(
  ports: PipelinePorts,
  endpointCall: EndpointCall,
  list: ListSpec,
): Promise<ResponseData | null> {
  const query = readQuery(endpointCall, list)
  // The query has a parameter that the device does not know, so it cannot determine the matching rows.
  if (!query) return await sendExplained(ports, endpointCall.request, endpointCall.endpoint.access)
  const pendingResponse = fetchList(ports, endpointCall, list, query)
  return await preferNetwork(ports, pendingResponse, () => readCachedList(ports, list, query))
}

/** Prefers a fast network response, then the cached one, then a slow one. Returns null if there is neither. */
export async function preferNetwork(
  ports: PipelinePorts,
  pendingResponse: Promise<ResponseData | null>,
  readCached: () => Promise<ResponseData | null>,
): Promise<ResponseData | null> {
  const firstResponse = await Promise.race([pendingResponse, ports.wait(networkWaitMs).then(() => null)])
  // The server or a proxy has refused the request, so waiting does not help. The page shows the problem above the cached rows.
  if (
    firstResponse &&
    (isBlocked(toProblem(firstResponse)) || (firstResponse.status < 500 && firstResponse.status !== 429))
  )
    return firstResponse
  const cachedResponse = await readCached()
  if (!cachedResponse) return await pendingResponse
  if (firstResponse && firstResponse.status >= 500)
    cachedResponse.headers.set(
      headers.replacedProblem,
      encodeURIComponent(JSON.stringify({ ...toProblem(firstResponse), data: null })),
    )
  // Not aborted once the page has its rows: a late response is still stored.
  ports.keepAlive(pendingResponse)
  return cachedResponse
}

async function fetchList(
  ports: PipelinePorts,
  endpointCall: EndpointCall,
  list: ListSpec,
  query: ListQuery,
): Promise<ResponseData | null> {
  const { session, guard: guardBefore } = await readSessionGuard(ports)
  const response = await sendExplained(ports, endpointCall.request, endpointCall.endpoint.access, session)
  if (!response || !isSuccess(response)) return response
  const page = readPage(response)
  if (!page) return null
  const guard = await getResponseGuard(ports, guardBefore, response)
  if (guard && (await tryStore(ports, () => storePage(guard.db, list, query, page, guard.generation))))
    ports.keepAlive(
      fillList(ports, endpointCall, list, { guard, query, page }).then(() =>
        cleanUp(ports, list, { guard, query, page }),
      ),
    )
  return response
}

/** One of this many pages, at random, verifies a bucket of the index, so that an error in the index does not stay (protocol 37). */
const pagesPerProof = 50

async function cleanUp(
  ports: PipelinePorts,
  list: ListSpec,
  { guard: { db }, query, page }: { guard: SessionGuard; query: ListQuery; page: PageResponse },
): Promise<void> {
  const [row] = page.rows
  if (row && ports.random() < 1 / pagesPerProof) await verifyIndex(db, list, query.scope, row.id)
  const { trimCache } = await import('#local/space/clear-cache.ts')
  await trimCache(db)
}

/** Returns null if the response is not a list of the portal, but for example a login page or a gateway's error. */
function readPage(response: ResponseData): PageResponse | null {
  const body = parseJson(response) as { count?: unknown; data?: unknown } | undefined
  const asOf = readAsOf(response)
  if (!Array.isArray(body?.data) || typeof body.count !== 'number' || !Number.isFinite(asOf)) return null
  const changeNumber = response.headers.get(headers.change) ?? ''
  return { rows: body.data, count: body.count, asOf, change: changeNumber, ...readLeftOutRows(response) }
}

const pageParams = new Set(['results', 'page', 'sortField', 'sortOrder'])

/** Converts the address to a query on the device. Returns null if it has parameters that the device does not know. */
function readQuery({ endpoint, params, request }: EndpointCall, list: ListSpec): ListQuery | null {
  if (!endpoint.query) return null
  const search = new URLSearchParams(request.path.split('?')[1] ?? '')
  const { values, repeated } = convertPairs(endpoint.query, search)
  const scopeParam = list.scope?.param
  const isKnown = (name: string) => pageParams.has(name) || name in list.filters || name === scopeParam
  if (repeated.length > 0 || !Object.keys(values).every(isKnown)) return null
  const scope = scopeParam ? Number(params[scopeParam] ?? values[scopeParam]) : null
  if (Number.isNaN(scope)) return null
  const field = typeof values.sortField === 'string' ? values.sortField : list.sort[0]
  const order = String(values.sortOrder ?? (field === list.sort[0] ? list.sort[1] : 'asc'))
  return {
    scope,
    filters: Object.fromEntries(
      Object.entries(values).filter(([name]) => name in list.filters),
    ) as ListQuery['filters'],
    sort: [field, order.startsWith('desc') ? 'desc' : 'asc'],
    page: Number(values.page ?? 1),
    results: Number(values.results ?? 10),
  }
}

async function readCachedList(ports: PipelinePorts, list: ListSpec, query: ListQuery): Promise<ResponseData | null> {
  const view = await readListOnDevice(await ports.device(), list, query)
  if (view.asOf === null) return null
  return toCachedResponse({ count: view.count, data: view.rows.map(({ row }) => row) }, view.asOf)
}

export const toCachedResponse = (body: unknown, asOf: number) =>
  createLocalResponse(200, body, { [headers.storedResponse]: '1', [headers.asOf]: String(asOf) })
