/** Records a write before any byte is sent (protocol 11). Runs in the page, because a worker may die. */
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

/** Stores the write. Returns `problem` if no user is signed in or the device cannot store it. */
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

/** Returns the exact request of an entry. It is stored when the entry is first claimed, and does not change afterwards (protocol 2). */
export function freeze(entry: OutboxEntry): FrozenRequest {
  const endpoint = findEndpoint(entry.endpoint)
  if (!endpoint) throw new Error(`the endpoint ${entry.endpoint} does not exist`)
  const isUpload = endpoint.encoding === 'multipart'
  // File bytes are stored separately and do not change while the entry waits. The browser builds the form around them, with a new boundary
  // each time, which the server's fingerprint ignores.
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

export async function findOutcome(ports: PipelinePorts, intent: string): Promise<WriteStatus> {
  const db = await findUserDatabase(await ports.device())
  return db ? await findWriteStatus(db, intent) : { entry: null, receipt: null }
}

/** The form shows the refusal, so the entry is deleted from the outbox (protocol 20). */
export async function acknowledgeRefusal(ports: PipelinePorts, intent: string): Promise<void> {
  const db = await findUserDatabase(await ports.device())
  if (db) await removeRefusedEntry(db, intent, ports.clock(), ports.newId)
}
