/**
 * Writes that are never queued: with a record of them on the device before they leave, so that one whose answer is lost
 * is known to be unknown. It is asked about until the server has said how it went, or that it never will (protocol 13).
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { readSubjectName, type SubjectInput } from '#local/outbox/subject-name.ts'
import { readSession } from '#local/session/session.ts'
import type { Receipt, DirectCall } from '#local/storage/records.ts'
import {
  beginDirectCall,
  markUnknown,
  endDirectCall,
  findCallsToCheck,
  delayCheck,
  isVoidedIntent,
  type NewDirectCall,
} from '#local/outbox/direct-calls.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { storeUnsentCount } from '#request/session/unsent-count.ts'
import { buildIntentRequest } from '#request/transport/entry-request.ts'
import { type ResponseData, isSuccess, parseJson, toProblem } from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { calculateJitterMs, parseOutcomeId } from '#request/writes/apply-response.ts'

export interface WatchedCall {
  /** Names the wish; another one than was asked for where that can never run any more. */
  intent: string
  /** What came back; null: nothing. */
  onResponse(response: Response | null): Promise<void>
}

/** Notes the call, before it is sent. Where nobody is signed in or nothing can be stored it goes without. */
export async function watchCall(
  ports: PipelinePorts,
  endpoint: Endpoint,
  { intent, key, input, name }: { intent: string; key: string; input: SubjectInput; name: string | null },
): Promise<WatchedCall> {
  const session = await readCurrentSession(ports)
  if (!session) return { intent, onResponse: async () => {} }
  const { db, forUser } = session
  const callIntent = intent !== key && (await isVoidedIntent(db, intent)) ? key : intent
  const call = {
    intent: callIntent,
    key,
    endpoint: endpoint.name,
    forUser,
    since: ports.clock(),
    name: name ?? (await readSubjectName(db, endpoint, input).catch(() => null)),
  }
  const isRecorded = await beginDirectCall(db, call).then(
    () => true,
    () => false,
  )
  return {
    intent: callIntent,
    onResponse: async (response) => (isRecorded ? await handleResponse(ports, db, call, response) : undefined),
  }
}

async function handleResponse(
  ports: PipelinePorts,
  db: UserDatabase,
  call: NewDirectCall,
  response: Response | null,
): Promise<void> {
  // Our server says no outcome of what it gave up in the middle: only there it may have happened all the same.
  const isOutcomeUnknown = response === null || (response.status >= 500 && !response.headers.has(headers.outcome))
  if (!isOutcomeUnknown) return await endDirectCall(db, call, null)
  await markUnknown(db, call, ports.clock())
  // From here on the page's probe looks for a line.
  const session = await readSession(await ports.device())
  if (session) await storeUnsentCount(ports, session)
  ports.keepAlive(resolveUnknownCalls(ports, db))
}

/** Asks about all whose outcome nobody knows. True: there are still some. */
export async function resolveUnknownCalls(ports: PipelinePorts, db: UserDatabase): Promise<boolean> {
  for (const call of await findCallsToCheck(db, ports.clock())) {
    const callEnding = await fetchCallEnding(ports, call)
    if (callEnding) await endDirectCall(db, call, callEnding)
    else await delayCheck(db, call, ports.clock() + 1_000 + calculateJitterMs(ports, call.failures))
  }
  return (await db.directCalls.filter(({ state }) => state === 'unknown').count()) > 0
}

type CallEnding = Pick<Receipt, 'outcome' | 'status' | 'time' | 'outcomeId' | 'code'>

/** What the idempotency store says; what it has never heard of is kept from ever running, and only then told as not done. */
async function fetchCallEnding(ports: PipelinePorts, call: DirectCall): Promise<CallEnding | null> {
  const response = await sendSignedIn(ports, buildIntentRequest('GET', call))
  if (!response || toProblem(response).code !== 'INTENT_UNKNOWN') return readEnding(ports, response)
  return readEnding(ports, await sendSignedIn(ports, buildIntentRequest('DELETE', call)))
}

/** Null: that was no word on it. */
function readEnding(ports: PipelinePorts, response: ResponseData | null): CallEnding | null {
  if (!response) return null
  const time = ports.clock()
  const { status } = response
  if (isSuccess(response) && (parseJson(response) as { void?: unknown } | undefined)?.void === true)
    return { outcome: 'void', status, time, outcomeId: null, code: null }
  const outcomeHeader = response.headers.get(headers.outcome)
  if (!outcomeHeader) return null
  const outcomeId = parseOutcomeId(response)
  const { code } = toProblem(response)
  if (isSuccess(response) || code === 'INTENT_DONE') return { outcome: 'done', status, time, outcomeId, code: null }
  return { outcome: code === 'INTENT_VOID' ? 'void' : 'refused', status, time, outcomeId, code }
}
