import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Device } from '#local/storage/device.ts'
import type { LeftOutRows } from '#local/lists/row-store.ts'
import { readSession, type Session } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { Subject } from '#local/storage/records.ts'
import { isFullError } from '#local/storage/storage-errors.ts'
import type { ResponseData, RequestData } from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { formatSubject } from '#request/session/subject.ts'

/** Maximum number of rows stored in one transaction. A longer list is stored in pieces, and becomes visible after the last one. */
export const maxRowsPerTransaction = 5_000

export interface EndpointCall {
  endpoint: Endpoint
  params: Record<string, string>
  request: RequestData
}

export interface SessionGuard {
  db: UserDatabase
  subject: Subject
  generation: number
}

/** Session at the last request. It is usually still valid, so its generation is read in parallel with the session. */
const lastSessions = new WeakMap<Device, Session>()

export async function readSessionGuard(
  ports: PipelinePorts,
): Promise<{ session: Session | null; guard: SessionGuard | null }> {
  const device = await ports.device()
  const lastSession = lastSessions.get(device)
  const [session, earlyGeneration] = await Promise.all([
    readSession(device),
    lastSession && readSessionGeneration(device.getDatabase(lastSession)),
  ])
  if (!session || session.signedOut) return { session, guard: null }
  lastSessions.set(device, session)
  const db = device.getDatabase(session)
  const generation = session.generation === lastSession?.generation ? earlyGeneration : await readSessionGeneration(db)
  return { session, guard: typeof generation === 'number' ? { db, subject: session, generation } : null }
}

/**
 * Returns null if the response is not for the current user. On a device without a session, the response may have opened one, so it is read
 * again.
 */
export async function getResponseGuard(
  ports: PipelinePorts,
  guardBefore: SessionGuard | null,
  response: ResponseData,
): Promise<SessionGuard | null> {
  const guard = guardBefore ?? (await readSessionGuard(ports)).guard
  return guard && response.headers.get(headers.subject) === formatSubject(guard.subject) ? guard : null
}

/** Returns whether the response was stored. The caller gets the response in any case, and a full disk is not reported as a bug. */
export async function tryStore(ports: PipelinePorts, store: () => Promise<boolean>): Promise<boolean> {
  try {
    return await store()
  } catch (error) {
    if (!isFullError(error)) ports.report(error)
    return false
  }
}

/** Returns the ids of rows that the server left out of the response, or `unknown`. Returns an empty object if the response has all rows. */
export function readLeftOutRows({ headers: responseHeaders }: ResponseData): { leftOutRows?: LeftOutRows } {
  const count = Number(responseHeaders.get(headers.rowsLeftOut) ?? 0)
  if (count === 0) return {}
  const ids = (responseHeaders.get(headers.leftOutIds) ?? '')
    .split(',')
    .flatMap((id) => (id === '' ? [] : [Number(id)]))
  return { leftOutRows: ids.length === count ? new Set(ids) : 'unknown' }
}
