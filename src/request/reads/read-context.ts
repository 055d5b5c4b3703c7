/** What the handlers of a read share: who asked, in which session generation, and the answer from the cache. */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Device } from '#local/storage/device.ts'
import type { LeftOutRows, PageAnswer } from '#local/lists/row-store.ts'
import { readSession, type Session } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { Subject } from '#local/storage/records.ts'
import { isFull } from '#local/storage/storage-errors.ts'
import type { ResponseData, RequestData } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { subjectOf } from '#request/session/subject.ts'

/** More rows than these are stored in pieces and shown at the end. */
export const atOnce = 5_000

export interface Asked {
  endpoint: Endpoint
  params: Record<string, string>
  letter: RequestData
}

/** Whose rows an answer may become. */
export interface Guard {
  db: UserDatabase
  subject: Subject
  generation: number
}

/** Whose it was when it was last looked at: it mostly still is, so their gate is read beside the session. */
const lastHere = new WeakMap<Device, Session>()

export async function whoNow(ports: Ports): Promise<{ session: Session | null; guard: Guard | null }> {
  const device = await ports.device()
  const last = lastHere.get(device)
  const [session, early] = await Promise.all([readSession(device), last && readGate(device.of(last))])
  if (!session || session.signedOut) return { session, guard: null }
  lastHere.set(device, session)
  const db = device.of(session)
  const generation = session.generation === last?.generation ? early : await readGate(db)
  return { session, guard: typeof generation === 'number' ? { db, subject: session, generation } : null }
}

/** Null where the answer is not for the one whose rows these are. A device that knew nobody learns it by the answer. */
export async function guardFor(ports: Ports, before: Guard | null, answer: ResponseData): Promise<Guard | null> {
  const guard = before ?? (await whoNow(ports)).guard
  return guard && answer.headers.get(headers.subject) === subjectOf(guard.subject) ? guard : null
}

/** Whoever asked has the answer whether or not it could be kept; a disk without room is nobody's mistake. */
export async function kept(ports: Ports, store: () => Promise<boolean>): Promise<boolean> {
  try {
    return await store()
  } catch (error) {
    if (!isFull(error)) ports.report(error)
    return false
  }
}

export type Page = PageAnswer

/** The rows that the answer lacks although they are there; an empty object where it has all. */
export function leftOutOf({ headers: given }: ResponseData): { leftOut?: LeftOutRows } {
  const count = Number(given.get(headers.rowsLeftOut) ?? 0)
  if (count === 0) return {}
  const ids = (given.get(headers.leftOutIds) ?? '').split(',').flatMap((id) => (id === '' ? [] : [Number(id)]))
  return { leftOut: ids.length === count ? new Set(ids) : 'unknown' }
}
