/**
 * The step that records a write: on disk, under its intent, before any byte of it leaves (protocol 11). The page runs
 * it, so that a worker's death cannot lose or double what the user did.
 */
import { type Endpoint, endpointNamed } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import { refKind } from '#contract/values.ts'
import { toWire } from '#contract/wire.ts'
import type { Entry, Frozen, UserDatabase } from '#local/database.ts'
import { queuesOf } from '#local/overlay.ts'
import { enqueue, refersTo } from '#local/drafts.ts'
import { forgetRefused, lookUp, type Outcome } from '#local/outbox.ts'
import type { Device } from '#local/device.ts'
import { hasLapsed, readSession, type Session } from '#local/session.ts'
import { tellCounts } from '#request/counts.ts'
import type { Ports } from '#request/ports.ts'
import type { Asking } from '#request/result.ts'
import { subjectOf } from '#request/subject.ts'

export type Recorded = { entry: Entry } | { problem: Problem }

/** Stores the write; `problem` when nobody is signed in or the device cannot store. */
export async function record(
  ports: Ports,
  endpoint: Endpoint,
  asked: Entry['asked'],
  asking: Asking = {},
): Promise<Recorded> {
  const queues = queuesOf(endpoint)
  const device = await ports.device()
  const session = await sessionNow(device)
  if (!queues || !session || session.signedOut) return { problem: localProblem('SIGNED_OUT') }
  if (hasLapsed(session, ports.clock())) return { problem: localProblem('SESSION_LAPSED') }
  const target = queues.target(asked)
  const intent = asking.intent ?? ports.newId()
  try {
    const entry = await enqueue(device.of(session), {
      intent,
      isNew: asking.intent === undefined,
      key: ports.newId(),
      endpoint: endpoint.name,
      kind: queues.kind,
      table: queues.table,
      target,
      makes: target === null ? 'create' : endpoint.method === 'DELETE' ? 'delete' : 'change',
      asked,
      versioned: queues.versioned,
      ifMatch: asking.base?.rowVersion ?? null,
      base: asking.base?.values ?? null,
      refers: refersTo(endpoint.name, asked, refKind),
      forUser: subjectOf(session),
      since: ports.clock(),
    })
    // Beside, not before: who stores many does not wait for a figure each time.
    ports.lasting(tellCounts(ports, session))
    ports.lasting(keepForGood(device.of(session)))
    return { entry }
  } catch {
    // A full disk, above all. The form keeps what was typed.
    return { problem: localProblem('STORAGE_FAILED') }
  }
}

/** Of those who ask in one breath, begun after the last of them. */
const reading = new WeakMap<Device, Promise<Session | null>>()

/** Whoever writes much at once has the session read once, and everything stored together. */
function sessionNow(device: Device): Promise<Session | null> {
  const together =
    reading.get(device) ??
    Promise.resolve().then(() => {
      reading.delete(device)
      return readSession(device)
    })
  reading.set(device, together)
  return together
}

/** Asked for, so that not every write asks the browser again. */
const askedFor = new WeakSet<UserDatabase>()

/** A window asks the browser not to clear away what waits; a worker and a test have no such word. */
async function keepForGood(db: UserDatabase): Promise<void> {
  if (askedFor.has(db) || !globalThis.navigator?.storage || !('persist' in navigator.storage)) return
  askedFor.add(db)
  const { askToPersist } = await import('#local/room.ts')
  await askToPersist(db)
}

/** The exact request of an entry, fixed by its first claim (protocol 2). */
export function freeze(entry: Entry): Frozen {
  const endpoint = endpointNamed(entry.endpoint)
  if (!endpoint) throw new Error(`no endpoint is named ${entry.endpoint}`)
  const isUpload = endpoint.encoding === 'multipart'
  // The bytes of a file stay where they are; they never change while it waits.
  const asked = isUpload ? { ...entry.asked, body: undefined } : entry.asked
  const { method, path, contentType, body } = toWire(endpoint, asked as never)
  return {
    method,
    path,
    body,
    headers: {
      ...(contentType ? { 'content-type': contentType } : {}),
      ...(isUpload ? { 'content-type': `multipart/form-data; boundary=${boundaryOf(entry)}` } : {}),
      [headers.forUser]: entry.forUser,
      [headers.key]: entry.key,
      ...(entry.key === entry.intent ? {} : { [headers.intent]: entry.intent }),
      ...(entry.ifMatch === null ? {} : { 'if-match': `"${entry.ifMatch}"` }),
    },
  }
}

/** Fixed with the key, so that every attempt is the same to the byte. */
export const boundaryOf = ({ key }: Pick<Entry, 'key'>) => `portal-${key}`

const ownDatabase = async (ports: Ports): Promise<UserDatabase | null> => {
  const device = await ports.device()
  const session = await readSession(device)
  return session && !session.signedOut ? device.of(session) : null
}

/** What became of a write whose answer never reached the page. */
export async function findOutcome(ports: Ports, intent: string): Promise<Outcome> {
  const db = await ownDatabase(ports)
  return db ? await lookUp(db, intent) : { entry: null, receipt: null }
}

/** The form has the refusal: it leaves the outbox (protocol 20). */
export async function acknowledge(ports: Ports, intent: string): Promise<void> {
  const db = await ownDatabase(ports)
  if (db) await forgetRefused(db, intent, ports.clock(), ports.newId)
}
