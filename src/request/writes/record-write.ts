/**
 * The step that records a write: on disk, under its intent, before any byte of it leaves (protocol 11). The page runs
 * it, so that a worker's death cannot lose or double what the user did.
 */
import { type Endpoint, endpointNamed } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem } from '#contract/problem.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { refersTo } from '#local/outbox/dependencies.ts'
import { forgetRefused } from '#local/outbox/settle.ts'
import { lookUp, type Outcome } from '#local/outbox/status.ts'
import { queuesOf } from '#local/lists/overlay.ts'
import { readSession } from '#local/session/session.ts'
import type { OutboxEntry, FrozenRequest } from '#local/storage/records.ts'
import type { Ports } from '#request/ports.ts'
import type { CallOptions } from '#request/results.ts'
import { type Recorded, storeForWriter } from '#request/writes/store-write.ts'

/** Stores the write; `problem` when nobody is signed in or the device cannot store. */
export async function record(
  ports: Ports,
  endpoint: Endpoint,
  asked: OutboxEntry['input'],
  asking: CallOptions = {},
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
    action:
      target === null ? ('create' as const) : endpoint.method === 'DELETE' ? ('delete' as const) : ('change' as const),
    input: asked,
    versioned: queues.versioned,
    ifMatch: asking.base?.rowVersion ?? null,
    base: asking.base?.values ?? null,
    refers: refersTo(endpoint.name, asked),
    since: ports.clock(),
  }
  return await storeForWriter(ports, wish)
}

/** The exact request of an entry, fixed by its first claim (protocol 2). */
export function freeze(entry: OutboxEntry): FrozenRequest {
  const endpoint = endpointNamed(entry.endpoint)
  if (!endpoint) throw new Error(`no endpoint is named ${entry.endpoint}`)
  const isUpload = endpoint.encoding === 'multipart'
  // The bytes of a file stay where they are; they never change while it waits. The browser writes the form around them, with a
  // boundary of its own each time, which the server's fingerprint leaves out.
  const asked = isUpload ? { ...entry.input, body: undefined } : entry.input
  const { method, path, contentType, body } = toWire(endpoint, asked as never)
  return {
    method,
    path,
    body,
    headers: {
      ...(contentType ? { 'content-type': contentType } : {}),
      [headers.forUser]: entry.forUser,
      [headers.key]: entry.key,
      ...(entry.key === entry.intent ? {} : { [headers.intent]: entry.intent }),
      ...(entry.ifMatch === null ? {} : { 'if-match': `"${entry.ifMatch}"` }),
    },
  }
}

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
