/**
 * Queues files like any other write (protocol 22): the page stores the bytes with the entry, and page or worker sends them one at a time,
 * never in a batch. The worker does not intercept the page's own uploads, so the page starts the sending.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { readProblem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { LocalFile } from '#local/storage/records.ts'
import { sendEntryNow } from '#request/writes/sender.ts'
import { toRecordedResponse } from '#request/writes/recorded-response.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { acknowledgeRefusal } from '#request/writes/record-write.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import type { CallInput } from '#request/transport/call-http.ts'
import { sendUnstored } from '#request/writes/send-unstored.ts'
import { storeForWriter } from '#request/writes/store-write.ts'

interface UploadCall {
  ports: PipelinePorts
  endpoint: Endpoint
  input: CallInput
  options: CallOptions
}

/** Returns `fresh` with the response, or `queued`. If queued, use `~{intent}` in place of the file's id. */
export async function sendUpload({ ports, endpoint, input, options }: UploadCall): Promise<CallResult<unknown>> {
  const { file, fields } = await readForm(input.body)
  const recordResult = await storeForWriter(ports, {
    intent: options.intent ?? ports.newId(),
    key: ports.newId(),
    endpoint: endpoint.name,
    kind: 'asset',
    table: '',
    target: null,
    action: 'create',
    input: { ...input, body: fields },
    isVersioned: false,
    ifMatch: null,
    base: null,
    referredIntents: [],
    since: ports.clock(),
    ...(file ? { file } : {}),
  })
  if ('problem' in recordResult) return { kind: 'problem', problem: recordResult.problem }
  if ('sealedIntent' in recordResult) return { kind: 'queued', intent: recordResult.sealedIntent }
  if ('unstoredEntry' in recordResult) return await sendUnstored(ports, recordResult)
  return await sendStored(ports, recordResult.db, recordResult.entry.intent)
}

type UploadForm = { file: Omit<LocalFile, 'intent' | 'assetId'> | null; fields: Record<string, unknown> }

/** Reads the form. A file is read as bytes, because some browsers lose the data of a stored Blob. */
async function readForm(body: unknown): Promise<UploadForm> {
  const form: UploadForm = { file: null, fields: {} }
  for (const [field, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    if (!(value instanceof Blob)) form.fields[field] = value
    else {
      const name = value instanceof File ? value.name : field
      form.file = { field, name, type: value.type, bytes: await value.arrayBuffer() }
    }
  }
  return form
}

async function sendStored(ports: PipelinePorts, db: UserDatabase, intent: string): Promise<CallResult<unknown>> {
  const response = toRecordedResponse(await sendEntryNow(ports, db, intent))
  const outboxState = response.headers.get(headers.outbox)
  if (outboxState === 'queued') return { kind: 'queued', intent }
  const body: unknown = response.text === '' ? null : JSON.parse(response.text)
  if (response.status < 400) return { kind: 'fresh', output: body }
  if (outboxState === 'refused') await acknowledgeRefusal(ports, intent)
  const problem = readProblem(response.status, body, response.headers.get(headers.requestId))
  return { kind: 'problem', problem, intent }
}
