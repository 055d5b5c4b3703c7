/**
 * Sends many writes in one request (protocol 23-25). Each item has its own key, and items of one queue key are chained. The response is
 * used only if it is complete, with one entry per item that echoes the item's key. After any other response the outcome of all items is
 * unknown, and they are resent unchanged.
 */
import { headers } from '#contract/headers.ts'
import { sendBatch } from '#contract/requests.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { acceptWrites, type EntryDelay, returnAllToQueue, pauseSending } from '#local/outbox/settle-entry.ts'
import type { OutboxEntry, FrozenRequest } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { buildWaitedHeader } from '#request/transport/entry-request.ts'
import {
  type BlockedResponse,
  type ResponseData,
  isSuccess,
  parseJson,
  toProblem,
  parseRetryAfterMs,
} from '#request/transport/send-request.ts'
import {
  readAcceptedWrite,
  canSendOthers,
  type EntryResponse,
  type SendContext,
  isAlreadyDeleted,
  applyResponse,
  getEntryVerdict,
  buildDelay,
} from '#request/writes/apply-response.ts'

/** How sending continues. `halve`: the batch was too large. `singly`: the server does not support batches, or a proxy blocked this one. */
export type BatchEnd = 'go on' | 'stop' | 'halve' | 'singly'

export async function sendEntryBatch(context: SendContext, entries: readonly OutboxEntry[]): Promise<BatchEnd> {
  const { ports, db } = context
  let blockedResponse: BlockedResponse | null = null
  const response = await sendSignedIn(ports, {
    ...buildBatchRequest(entries, ports.clock()),
    onBlocked: (blockedBy) => void (blockedResponse = blockedBy),
  })
  // A proxy may have blocked the batch because of one item. Sent singly, only that item is blocked.
  if (!response && blockedResponse) return await returnAll(db, entries, 'singly')
  if (!response) return await delayAll(context, entries, 'network')
  if (isSuccess(response)) {
    const items = readBatchItems(response, entries)
    return items ? await applyAllResponses(context, entries, items) : await delayAll(context, entries, 'network')
  }
  const { status } = response
  if (status === 413) return await returnAll(db, entries, 'halve')
  if ([400, 403, 404, 405, 501].includes(status)) return await returnAll(db, entries, 'singly')
  if (status === 401)
    return await returnAll(db, entries, 'stop', { ...noDelay, state: 'sign in', problem: toProblem(response) })
  const retryAfter = parseRetryAfterMs(response)
  if (retryAfter !== null && (status === 429 || status === 503)) await pauseSending(db, ports.clock(), retryAfter)
  return await delayAll(context, entries, 'server')
}

function buildBatchRequest(entries: readonly OutboxEntry[], now: number) {
  const lastIntents = new Map<string, string>()
  const items = entries.map((entry) => {
    const previousIntent = lastIntents.get(entry.queueKey)
    lastIntents.set(entry.queueKey, entry.intent)
    return {
      ...toBatchItem(entry.bytes as FrozenRequest, entry.key, buildWaitedHeader(entry, now)),
      ...(previousIntent === undefined ? {} : { after: previousIntent }),
    }
  })
  const body = JSON.stringify(items)
  return { method: sendBatch.method, path: sendBatch.path, headers: { 'content-type': 'application/json' }, body }
}

/** Names of the headers that an item has itself. The others are headers of the batch request. */
const itemHeaderNames = ['if-match', headers.forUser, headers.intent]

function toBatchItem(
  { method, path, headers: requestHeaders, body }: FrozenRequest,
  key: string,
  waitedHeader: Record<string, string>,
) {
  const ownHeaders = Object.fromEntries(
    Object.entries(requestHeaders).filter(([name]) => itemHeaderNames.includes(name)),
  )
  return {
    method,
    path,
    key,
    headers: { ...ownHeaders, ...waitedHeader },
    ...(body === null ? {} : { body: JSON.parse(body) as unknown }),
  }
}

type BatchItemResponse = { status: number; headers: Record<string, string>; body: unknown }

/** Returns null if the response is incomplete, not from the portal, or does not have one entry for each item. */
function readBatchItems(response: ResponseData, entries: readonly OutboxEntry[]): ResponseData[] | null {
  const body = parseJson(response)
  if (!Array.isArray(body) || body.length !== entries.length) return null
  const items = body as (BatchItemResponse | null)[]
  if (!items.every((item, index) => item?.headers?.[headers.key] === entries[index]?.key)) return null
  return (items as BatchItemResponse[]).map((item) => toItemResponse(item, response))
}

/** Builds the response as if the item had been sent alone. Time and subject of the batch response apply to each item. */
function toItemResponse(
  { status, headers: ownHeaders, body }: BatchItemResponse,
  batchResponse: ResponseData,
): ResponseData {
  const responseHeaders = new Headers({ 'content-type': 'application/json', ...ownHeaders })
  for (const name of [headers.asOf, headers.subject, headers.requestId]) {
    const headerValue = batchResponse.headers.get(name)
    if (headerValue !== null && !responseHeaders.has(name)) responseHeaders.set(name, headerValue)
  }
  return { status, headers: responseHeaders, text: body === null ? '' : JSON.stringify(body) }
}

async function applyAllResponses(
  context: SendContext,
  entries: readonly OutboxEntry[],
  items: ResponseData[],
): Promise<BatchEnd> {
  const entryResponses = items.flatMap((response, index) => {
    const entry = entries[index]
    return entry ? [{ entry, response }] : []
  })
  const acceptedResults = entryResponses.filter(isDone).map((entryResponse) => ({
    entry: entryResponse.entry,
    acceptedWrite: readAcceptedWrite(context, entryResponse.response),
  }))
  // Accepted items are recorded together. Within a queue key, no failed item can come before an accepted one.
  await acceptWrites(context.db, acceptedResults)
  let end: BatchEnd = acceptedResults.length > 0 ? 'go on' : 'stop'
  for (const entryResponse of entryResponses)
    if (!isDone(entryResponse) && (await applyItemResponse(context, entryResponse))) end = 'go on'
  return end
}

const isDone = (entryResponse: EntryResponse) =>
  getEntryVerdict(entryResponse) === 'done' && !isAlreadyDeleted(entryResponse.response)

/** Returns true if other writes may be sent next without a wait. */
async function applyItemResponse(context: SendContext, entryResponse: EntryResponse): Promise<boolean> {
  const { entry, response } = entryResponse
  const { code } = toProblem(response)
  // The server has not executed this item. It is sent in the next step, or after the write before it is settled.
  if (code === 'NOT_ATTEMPTED' || code === 'DEPENDENCY_FAILED')
    return (await returnAll(context.db, [entry], 'go on')) === 'go on'
  return (await applyResponse(context, entryResponse)) || canSendOthers(response, entry)
}

async function delayAll(
  { ports, db }: SendContext,
  entries: readonly OutboxEntry[],
  delayedBy: 'network' | 'server',
): Promise<BatchEnd> {
  await returnAllToQueue(db, entries, (entry) => buildDelay(ports, entry, delayedBy, null))
  return 'stop'
}

async function returnAll(
  db: UserDatabase,
  entries: readonly OutboxEntry[],
  end: BatchEnd,
  delay = noDelay,
): Promise<BatchEnd> {
  await returnAllToQueue(db, entries, () => delay)
  return end
}

const noDelay: EntryDelay = { state: 'waiting', notBefore: 0, delayedBy: null, problem: null }
