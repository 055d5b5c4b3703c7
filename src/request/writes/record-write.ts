/**
 * The step that records a write: on disk, under its intent, before any byte of it leaves (protocol 11). The page runs
 * it, so that a worker's death cannot lose or double what the user did.
 */
import { type Endpoint, findEndpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { findReferences } from '#local/outbox/dependencies.ts'
import { removeRefusedEntry } from '#local/outbox/settle-entry.ts'
import { findWriteStatus, type WriteStatus } from '#local/outbox/status.ts'
import { getQueueSpec } from '#local/lists/overlay.ts'
import { findUserDatabase } from '#local/session/session.ts'
import type { OutboxEntry, FrozenRequest } from '#local/storage/records.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallOptions } from '#request/call-results.ts'
import { buildKeyHeaders } from '#request/transport/call-http.ts'
import { type RecordWriteResult, storeForWriter } from '#request/writes/store-write.ts'

/** Stores the write; `problem` when nobody is signed in or the device cannot store. */
export async function recordWrite(
  ports: PipelinePorts,
  endpoint: Endpoint,
  input: OutboxEntry['input'],
  options: CallOptions = {},
): Promise<RecordWriteResult> {
  const queueSpec = getQueueSpec(endpoint)
  if (!queueSpec) return { problem: createLocalProblem('SIGNED_OUT') }
  const target = queueSpec.target(input)
  const draft = {
    intent: options.intent ?? ports.newId(),
    isNew: options.intent === undefined,
    key: ports.newId(),
    endpoint: endpoint.name,
    kind: queueSpec.kind,
    table: queueSpec.table,
    target,
    action:
      target === null ? ('create' as const) : endpoint.method === 'DELETE' ? ('delete' as const) : ('change' as const),
    input,
    isVersioned: queueSpec.versioned,
    ifMatch: options.base?.rowVersion ?? null,
    base: options.base?.values ?? null,
    referredIntents: findReferences(endpoint.name, input),
    since: ports.clock(),
  }
  return await storeForWriter(ports, draft)
}

/** The exact request of an entry, fixed by its first claim (protocol 2). */
export function freeze(entry: OutboxEntry): FrozenRequest {
  const endpoint = findEndpoint(entry.endpoint)
  if (!endpoint) throw new Error(`no endpoint is named ${entry.endpoint}`)
  const isUpload = endpoint.encoding === 'multipart'
  // The bytes of a file stay where they are; they never change while it waits. The browser writes the form around them, with a
  // boundary of its own each time, which the server's fingerprint leaves out.
  const input = isUpload ? { ...entry.input, body: undefined } : entry.input
  const { method, path, contentType, body } = toHttpRequest(endpoint, input as never)
  return {
    method,
    path,
    body,
    headers: {
      ...(contentType ? { 'content-type': contentType } : {}),
      [headers.forUser]: entry.forUser,
      ...buildKeyHeaders(entry),
      ...(entry.ifMatch === null ? {} : { 'if-match': `"${entry.ifMatch}"` }),
    },
  }
}

/** What became of a write whose answer never reached the page. */
export async function findOutcome(ports: PipelinePorts, intent: string): Promise<WriteStatus> {
  const db = await findUserDatabase(await ports.device())
  return db ? await findWriteStatus(db, intent) : { entry: null, receipt: null }
}

/** The form has the refusal: it leaves the outbox (protocol 20). */
export async function acknowledgeRefusal(ports: PipelinePorts, intent: string): Promise<void> {
  const db = await findUserDatabase(await ports.device())
  if (db) await removeRefusedEntry(db, intent, ports.clock(), ports.newId)
}
