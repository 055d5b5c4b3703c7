/**
 * The step that records a write: on disk, under its intent, before any byte of it leaves (protocol 11). The page runs
 * it, so that a worker's death cannot lose or double what the user did.
 */
import { type Endpoint, endpointNamed } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem } from '#contract/problem.ts'
import { refKind } from '#contract/values.ts'
import { toWire } from '#contract/wire.ts'
import type { Entry, Frozen, UserDatabase } from '#local/database.ts'
import { queuesOf } from '#local/overlay.ts'
import { refersTo } from '#local/drafts.ts'
import { forgetRefused, lookUp, type Outcome } from '#local/outbox.ts'
import { readSession } from '#local/session.ts'
import type { Ports } from '#request/ports.ts'
import type { Asking } from '#request/result.ts'
import { type Recorded, storeForWriter } from '#request/writer.ts'

/** Stores the write; `problem` when nobody is signed in or the device cannot store. */
export async function record(
  ports: Ports,
  endpoint: Endpoint,
  asked: Entry['asked'],
  asking: Asking = {},
): Promise<Recorded> {
  const queues = queuesOf(endpoint)
  if (!queues) return { problem: localProblem('SIGNED_OUT') }
  const target = queues.target(asked)
  const wish = {
    intent: asking.intent ?? ports.newId(),
    isNew: asking.intent === undefined,
    key: ports.newId(),
    endpoint: endpoint.name,
    kind: queues.kind,
    table: queues.table,
    target,
    makes:
      target === null ? ('create' as const) : endpoint.method === 'DELETE' ? ('delete' as const) : ('change' as const),
    asked,
    versioned: queues.versioned,
    ifMatch: asking.base?.rowVersion ?? null,
    base: asking.base?.values ?? null,
    refers: refersTo(endpoint.name, asked, refKind),
    since: ports.clock(),
  }
  return await storeForWriter(ports, wish)
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
