/** Applies a response to its outbox entry: one table of verdicts, each ending in one transaction on the device. */
import { getCurrentRow, isCurrentRow, getVerdict } from '#contract/verdict.ts'
import { headers } from '#contract/headers.ts'
import { acceptNoOp } from '#local/outbox/accept-no-op.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { resendMergedEntry } from '#local/outbox/entry-actions.ts'
import { storeRow } from '#local/lists/response-store.ts'
import { acceptWrite, returnToQueue, parkEntry, pauseSending, type EntryDelay } from '#local/outbox/settle-entry.ts'
import { maxWaitMs } from '#local/outbox/claim.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { readStartedJob } from '#request/jobs/job-response.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  toProblem,
  parseRetryAfterMs,
  getStoredResponse,
  readAsOf,
} from '#request/transport/send-request.ts'
import { mergeEntry } from '#request/writes/merge.ts'
import type { PipelinePorts } from '#request/ports.ts'

const backoff = { firstMs: 1_000, maxMs: 60_000 }
/**
 * Wait before the next attempt if another user has locked the row, in ms. It is spread at random, so that devices do not retry at the same
 * moment (protocol 16).
 */
const lockedWait = { minMs: 5_000, spreadMs: 55_000 }

export interface SendContext {
  ports: PipelinePorts
  db: UserDatabase
  generation: number
}

export interface EntryResponse {
  entry: OutboxEntry
  response: ResponseData
}

/** Returns what the response means for this entry (protocol 3). */
export const getEntryVerdict = ({ entry, response }: EntryResponse) =>
  getVerdict(entry.bytes?.method ?? '', {
    status: response.status,
    code: isSuccess(response) ? null : toProblem(response).code,
    echoed: response.headers.get(headers.key) === entry.key,
    final: response.headers.has(headers.outcome),
  })

/** Returns true if the server refused a deletion because the row was already deleted, so that its goal is reached. */
export const isAlreadyDeleted = ({ status }: ResponseData) => status === 404 || status === 410

/**
 * Returns true if the write is accepted, merged for a new attempt, or waits for its user; false if it is delayed or waits for a sign-in.
 */
export async function applyResponse(context: SendContext, entryResponse: EntryResponse): Promise<boolean> {
  const { ports, db } = context
  const { entry, response } = entryResponse
  const problem = toProblem(response)
  const entryVerdict = getEntryVerdict(entryResponse)
  switch (entryVerdict) {
    case 'done':
      if (isAlreadyDeleted(response))
        await acceptNoOp(
          db,
          entry,
          { ...readAcceptedWrite(context, entryResponse.response), status: 204, body: '' },
          ports.newId,
        )
      else await acceptWrite(db, entry, readAcceptedWrite(context, entryResponse.response))
      return true
    case 'refused':
    case 'asks':
      return await parkEntry(db, entry, entryVerdict, problem)
    case 'conflict':
      return await resolveConflict(context, entryResponse)
    case 'sign in':
      await returnToQueue(db, entry, { state: 'sign in', notBefore: 0, delayedBy: null, problem })
      return false
    case 'later':
      return await delayByResponse(context, entryResponse)
  }
}

/**
 * Resolves a conflict with the current row, which the response contains. If the fields do not overlap, the write is merged and sent again.
 * Otherwise the user decides, based on this row.
 */
async function resolveConflict(context: SendContext, { entry, response }: EntryResponse): Promise<boolean> {
  const { ports, db, generation } = context
  const problem = toProblem(response)
  const currentRow = getCurrentRow(problem)
  if (!currentRow) return await parkEntry(db, entry, 'conflict', problem)
  const asOf = readAsOf(response, ports.clock())
  await storeRow(db, entry.table, currentRow, { asOf, generation })
  const mergeResult = mergeEntry(entry, currentRow)
  if (mergeResult.kind === 'already so') {
    const result = { status: 200, body: JSON.stringify(currentRow), row: currentRow, version: null }
    return await acceptNoOp(db, entry, { ...result, now: ports.clock(), asOf, generation }, ports.newId)
  }
  if (mergeResult.kind === 'overlap') return await parkEntry(db, entry, 'conflict', problem)
  const { input, base } = mergeResult
  return await resendMergedEntry(db, entry, { key: ports.newId(), input, base, ifMatch: currentRow.row_version })
}

export function readAcceptedWrite({ ports, generation }: Omit<SendContext, 'db'>, response: ResponseData) {
  const body = isSuccess(response) ? parseJson(response) : (getStoredResponse(toProblem(response))?.body ?? null)
  const version = /^"(\d+)"$/.exec(response.headers.get('etag') ?? '')?.[1]
  const now = ports.clock()
  return {
    status: response.status,
    body: response.text,
    row: isCurrentRow(body) ? body : null,
    version: version === undefined ? null : Number(version),
    now,
    asOf: readAsOf(response, now),
    generation,
    startedJob: readStartedJob(response),
    outcomeId: parseOutcomeId(response),
    assetId: readAssetId(body),
  }
}

/** Returns the number of the server's record: the second part of the outcome header. */
export const parseOutcomeId = ({ headers: responseHeaders }: ResponseData): string | null =>
  /;\s*(\d+)$/.exec(responseHeaders.get(headers.outcome) ?? '')?.[1] ?? null

/** Returns the id of an uploaded file, or null. Only the response to an upload has an id that is a string. */
function readAssetId(body: unknown): string | null {
  const { id } = (body ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : null
}

async function delayByResponse(context: SendContext, { entry, response }: EntryResponse): Promise<boolean> {
  const { ports, db } = context
  const hasEntryKey = response.headers.get(headers.key) === entry.key
  const waitMs = parseRetryAfterMs(response)
  if (hasEntryKey && waitMs !== null && (response.status === 429 || response.status === 503))
    await pauseSending(db, ports.clock(), waitMs)
  if (hasEntryKey && response.status === 423) {
    const notBefore = ports.clock() + limitWait((waitMs ?? 0) + lockedWait.minMs + ports.random() * lockedWait.spreadMs)
    // The problem is stored with the entry, because the outbox page shows why this entry and those behind it wait.
    await returnToQueue(db, entry, { state: 'waiting', notBefore, delayedBy: 'server', problem: toProblem(response) })
    return false
  }
  // An earlier copy of the request is in progress. The server has no problem, so earlier failures do not lengthen the delay.
  if (hasEntryKey && toProblem(response).code === 'IDEMPOTENCY_IN_PROGRESS')
    return await delayEntry(context, { ...entry, attempts: 0 }, 'server', waitMs)
  // Without the echoed key the response is not from the idempotency store, even if its status looks final (protocol 3).
  return await delayEntry(context, entry, hasEntryKey ? 'server' : 'network', waitMs)
}

/** Returns true if other writes may still be sent after this one failed, because only this write has a problem and not the server. */
export const canSendOthers = ({ status, headers: responseHeaders }: ResponseData, { key }: OutboxEntry) =>
  responseHeaders.get(headers.key) === key && ![401, 429, 503].includes(status)

export async function delayEntry(
  { ports, db }: Omit<SendContext, 'generation'>,
  entry: OutboxEntry,
  delayedBy: DelayCause,
  minWaitMs: number | null,
): Promise<boolean> {
  await returnToQueue(db, entry, buildDelay(ports, entry, delayedBy, minWaitMs))
  return false
}

type DelayCause = NonNullable<OutboxEntry['delayedBy']>

/**
 * Limits a wait to `maxWaitMs`. A longer one would be taken as a sign that the clock was turned back, and the entry would be sent
 * immediately.
 */
const limitWait = (ms: number) => Math.min(ms, maxWaitMs)

/**
 * Returns the next attempt's time. The wait is random between zero and a growing limit, so that many devices do not retry at the same time.
 */
export const buildDelay = (
  ports: PipelinePorts,
  entry: OutboxEntry,
  delayedBy: DelayCause,
  minWaitMs: number | null,
): EntryDelay => ({
  state: 'waiting',
  notBefore: ports.clock() + limitWait((minWaitMs ?? 0) + calculateJitterMs(ports, entry.attempts)),
  delayedBy,
  problem: null,
})

export const calculateJitterMs = (ports: PipelinePorts, attempts: number) =>
  ports.random() * Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(attempts, 10))
