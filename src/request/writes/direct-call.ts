/**
 * Sends writes that are never queued. Each one is recorded on the device before it is sent. If its response is lost, its outcome is marked
 * as unknown. The server is then polled until it reports the outcome or guarantees that the write never runs (protocol 13).
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
  /** The intent to send. It differs from the requested intent if that one was voided. */
  intent: string
  /** Called with the response, or null if there was none. */
  onResponse(response: Response | null): Promise<void>
}

/** Records the call before it is sent. Without a session or free space, it is sent without a record. */
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
  // The server sends no outcome header if it failed while it executed the write, so the write may have taken effect.
  const isOutcomeUnknown = response === null || (response.status >= 500 && !response.headers.has(headers.outcome))
  if (!isOutcomeUnknown) return await endDirectCall(db, call, null)
  await markUnknown(db, call, ports.clock())
  // The cookie's count makes the pages probe the connection from now on.
  const session = await readSession(await ports.device())
  if (session) await storeUnsentCount(ports, session)
  ports.keepAlive(resolveUnknownCalls(ports, db))
}

/** Polls the calls with an unknown outcome that are due. Returns true if the outcome of any call is still unknown. */
export async function resolveUnknownCalls(ports: PipelinePorts, db: UserDatabase): Promise<boolean> {
  for (const call of await findCallsToCheck(db, ports.clock())) {
    const callEnding = await fetchCallEnding(ports, call)
    if (callEnding) await endDirectCall(db, call, callEnding)
    else await delayCheck(db, call, ports.clock() + 1_000 + calculateJitterMs(ports, call.failures))
  }
  return (await db.directCalls.filter(({ state }) => state === 'unknown').count()) > 0
}

type CallEnding = Pick<Receipt, 'outcome' | 'status' | 'time' | 'outcomeId' | 'code'>

/** If the server does not know the intent, it is voided; only then the call is reported as not executed. */
async function fetchCallEnding(ports: PipelinePorts, call: DirectCall): Promise<CallEnding | null> {
  const response = await sendSignedIn(ports, buildIntentRequest('GET', call))
  if (!response || toProblem(response).code !== 'INTENT_UNKNOWN') return readEnding(ports, response)
  return readEnding(ports, await sendSignedIn(ports, buildIntentRequest('DELETE', call)))
}

/** Returns null if the response does not contain the outcome. */
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
