/** What the handlers of a read share: who asked, in which session generation, and the answer from the cache. */
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

/** More rows than these are stored in pieces and shown at the end. */
export const maxRowsPerTransaction = 5_000

export interface EndpointCall {
  endpoint: Endpoint
  params: Record<string, string>
  request: RequestData
}

/** Whose rows an answer may become. */
export interface SessionGuard {
  db: UserDatabase
  subject: Subject
  generation: number
}

/** Whose it was when it was last looked at: it mostly still is, so their gate is read beside the session. */
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

/** Null where the answer is not for the one whose rows these are. A device that knew nobody learns it by the answer. */
export async function getResponseGuard(
  ports: PipelinePorts,
  guardBefore: SessionGuard | null,
  response: ResponseData,
): Promise<SessionGuard | null> {
  const guard = guardBefore ?? (await readSessionGuard(ports)).guard
  return guard && response.headers.get(headers.subject) === formatSubject(guard.subject) ? guard : null
}

/** Whoever asked has the answer whether or not it could be kept; a disk without room is nobody's mistake. */
export async function tryStore(ports: PipelinePorts, store: () => Promise<boolean>): Promise<boolean> {
  try {
    return await store()
  } catch (error) {
    if (!isFullError(error)) ports.report(error)
    return false
  }
}

/** The rows that the answer lacks although they are there; an empty object where it has all. */
export function readLeftOutRows({ headers: responseHeaders }: ResponseData): { leftOutRows?: LeftOutRows } {
  const count = Number(responseHeaders.get(headers.rowsLeftOut) ?? 0)
  if (count === 0) return {}
  const ids = (responseHeaders.get(headers.leftOutIds) ?? '')
    .split(',')
    .flatMap((id) => (id === '' ? [] : [Number(id)]))
  return { leftOutRows: ids.length === count ? new Set(ids) : 'unknown' }
}
