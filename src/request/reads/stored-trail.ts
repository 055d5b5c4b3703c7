import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { headers } from '#contract/headers.ts'
import { convertPairs } from '#contract/http-mapping.ts'
import { type PlainDate, toPlainDate } from '#domain/time.ts'
import { findCoveredDays, readStoredTrailActivity, readStoredTrailPage } from '#local/audit-trail/read-stored-trail.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { toCachedResponse } from '#request/reads/list.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type EndpointCall, readSessionGuard } from '#request/reads/read-context.ts'
import type { ResponseData } from '#request/transport/send-request.ts'

/** Prefers the stored trail for all days, then the last response, then the stored trail for some days. */
export async function readTrailResponse(
  ports: PipelinePorts,
  endpointCall: EndpointCall,
  readCached: () => Promise<ResponseData | null>,
): Promise<ResponseData | null> {
  const { name } = endpointCall.endpoint
  if (name !== listTrail.name && name !== trailActivity.name) return await readCached()
  return (
    (await readFromStoredTrail(ports, endpointCall, { isComplete: true })) ??
    (await readCached()) ??
    (await readFromStoredTrail(ports, endpointCall, { isComplete: false }))
  )
}

/**
 * Returns null unless the stored trail covers all requested days, or only some if `isComplete` is false. The header `storedDays` then
 * states these days.
 */
async function readFromStoredTrail(
  ports: PipelinePorts,
  endpointCall: EndpointCall,
  { isComplete }: { isComplete: boolean },
): Promise<ResponseData | null> {
  const { guard } = await readSessionGuard(ports)
  if (!guard) return null
  const search = new URLSearchParams(endpointCall.request.path.split('?')[1] ?? '')
  const companyId = Number(search.get('companyId') ?? guard.subject.companyId)
  const coveredDays = await findCoveredDays(guard.db, companyId, Object.fromEntries(search))
  if (!coveredDays || (coveredDays.days === 'all') !== isComplete) return null
  const { zone, asOf, days } = coveredDays
  const getToday = () => toPlainDate(zone, ports.clock())
  const body = await buildBody(guard.db, endpointCall, { search, companyId, getToday })
  if (!body) return null
  const response = toCachedResponse(body, asOf)
  if (days !== 'all') response.headers.set(headers.storedDays, JSON.stringify(days))
  return response
}

async function buildBody(
  db: UserDatabase,
  { endpoint }: EndpointCall,
  { search, companyId, getToday }: { search: URLSearchParams; companyId: number; getToday: () => PlainDate },
): Promise<object | null> {
  if (!endpoint.query) return null
  const { values, repeated } = convertPairs(endpoint.query, search)
  if (repeated.length > 0) return null
  if (endpoint.name === trailActivity.name) {
    const activityQuery = trailActivity.query?.safeParse(values)
    if (!activityQuery?.success) return null
    const { companyId: _company, ...filters } = activityQuery.data
    return await readStoredTrailActivity(db, companyId, filters, getToday())
  }
  const listQuery = listTrail.query?.safeParse(values)
  if (!listQuery?.success) return null
  const {
    results,
    page,
    after,
    sortField: _field,
    sortOrder = 'desc',
    companyId: _company,
    ...filters
  } = listQuery.data
  const order = sortOrder.startsWith('asc') ? 'asc' : 'desc'
  return await readStoredTrailPage(db, companyId, { filters, order, results, page, afterEntryId: after })
}
