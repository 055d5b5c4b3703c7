/**
 * Files that wait like any other write (protocol 22): the page stores the bytes with the entry, page or worker sends them
 * from there, one at a time and never in a batch. Workers leave the page's own uploads alone, so the page starts it.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { readProblem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { lookUp, whenSettled } from '#local/outbox/status.ts'
import type { LocalFile } from '#local/storage/records.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { patienceMs } from '#request/transport/transport.ts'
import { recordedResponse } from '#request/writes/recorded-response.ts'
import type { Ports } from '#request/ports.ts'
import { acknowledge } from '#request/writes/record-write.ts'
import type { CallOptions, Result } from '#request/results.ts'
import { sendUnstored } from '#request/writes/send-unstored.ts'
import { storeForWriter } from '#request/writes/store-write.ts'

type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** `fresh` with the server's answer, or `queued`: then `~{intent}` names the file wherever its id would stand. */
export async function upload(
  ports: Ports,
  endpoint: Endpoint,
  asked: Input,
  asking: CallOptions,
): Promise<Result<unknown>> {
  const { file, fields } = await readForm(asked.body)
  const recorded = await storeForWriter(ports, {
    intent: asking.intent ?? ports.newId(),
    key: ports.newId(),
    endpoint: endpoint.name,
    kind: 'asset',
    table: '',
    target: null,
    action: 'create',
    input: { ...asked, body: fields },
    versioned: false,
    ifMatch: null,
    base: null,
    refers: [],
    since: ports.clock(),
    ...(file ? { file } : {}),
  })
  if ('problem' in recorded) return { kind: 'problem', problem: recorded.problem }
  if ('sealed' in recorded) return { kind: 'queued', intent: recorded.sealed }
  if ('unstored' in recorded) return await sendUnstored(ports, recorded)
  return await send(ports, recorded.db, recorded.entry.intent)
}

type Form = { file: Omit<LocalFile, 'intent' | 'assetId'> | null; fields: Record<string, unknown> }

/** Bytes, not a Blob: some browsers lose what a stored Blob points to. */
async function readForm(body: unknown): Promise<Form> {
  const form: Form = { file: null, fields: {} }
  for (const [field, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    if (!(value instanceof Blob)) form.fields[field] = value
    else {
      const name = value instanceof File ? value.name : field
      form.file = { field, name, type: value.type, bytes: await value.arrayBuffer() }
    }
  }
  return form
}

async function send(ports: Ports, db: UserDatabase, intent: string): Promise<Result<unknown>> {
  const draining = sendOutbox(ports, { hurry: true })
  ports.lasting(draining)
  const { settled, stop } = whenSettled(db, intent)
  await Promise.race([settled, draining, ports.wait(patienceMs)])
  stop()
  const answer = recordedResponse(await lookUp(db, intent))
  const stands = answer.headers.get(headers.outbox)
  if (stands === 'queued') return { kind: 'queued', intent }
  const body: unknown = answer.text === '' ? null : JSON.parse(answer.text)
  if (answer.status < 400) return { kind: 'fresh', output: body }
  if (stands === 'refused') await acknowledge(ports, intent)
  const problem = readProblem(answer.status, body, answer.headers.get(headers.requestId))
  return { kind: 'problem', problem, intent }
}
