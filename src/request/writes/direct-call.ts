/**
 * Writes that are never queued: with a record of them on the device before they leave, so that one whose answer is lost
 * is known to be unknown. It is asked about until the server has said how it went, or that it never will (protocol 13).
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { getRequest, voidRequest } from '#contract/requests.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { readSubjectName, type SubjectInput } from '#local/outbox/subject-name.ts'
import { readSession } from '#local/session/session.ts'
import type { Receipt, DirectCall } from '#local/storage/records.ts'
import {
  beginWatched,
  doubtWatched,
  endWatched,
  findUnknown,
  holdUnknown,
  isVoided,
  type NewWatched,
} from '#local/outbox/direct-calls.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { storeUnsentCount } from '#request/session/unsent-count.ts'
import { type ResponseData, isGood, jsonOf, problemOf } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { currentSession } from '#request/session/current-session.ts'
import { jitter, outcomeIdOf } from '#request/writes/apply-response.ts'

export interface WatchedCall {
  /** Names the wish; another one than was asked for where that can never run any more. */
  intent: string
  /** What came back; null: nothing. */
  heard(response: Response | null): Promise<void>
}

/** Notes the call, before it is sent. Where nobody is signed in or nothing can be stored it goes without. */
export async function watchCall(
  ports: Ports,
  endpoint: Endpoint,
  { intent, key, input, name }: { intent: string; key: string; input: SubjectInput; name: string | null },
): Promise<WatchedCall> {
  const desk = await currentSession(ports)
  if (!desk) return { intent, heard: async () => {} }
  const { db, forUser } = desk
  const named = intent !== key && (await isVoided(db, intent)) ? key : intent
  const call = {
    intent: named,
    key,
    endpoint: endpoint.name,
    forUser,
    since: ports.clock(),
    name: name ?? (await readSubjectName(db, endpoint, input).catch(() => null)),
  }
  const isNoted = await beginWatched(db, call).then(
    () => true,
    () => false,
  )
  return { intent: named, heard: async (response) => (isNoted ? await hear(ports, db, call, response) : undefined) }
}

async function hear(ports: Ports, db: UserDatabase, call: NewWatched, response: Response | null): Promise<void> {
  // Our server says no outcome of what it gave up in the middle: only there it may have happened all the same.
  const isUnsure = response === null || (response.status >= 500 && !response.headers.has(headers.outcome))
  if (!isUnsure) return await endWatched(db, call, null)
  await doubtWatched(db, call, ports.clock())
  // From here on the page's probe looks for a line.
  const session = await readSession(await ports.device())
  if (session) await storeUnsentCount(ports, session)
  ports.lasting(askAboutUnknown(ports, db))
}

/** Asks about all whose outcome nobody knows. True: there are still some. */
export async function askAboutUnknown(ports: Ports, db: UserDatabase): Promise<boolean> {
  for (const call of await findUnknown(db, ports.clock())) {
    const ending = await askAbout(ports, call)
    if (ending) await endWatched(db, call, ending)
    else await holdUnknown(db, call, ports.clock() + 1_000 + jitter(ports, call.failures))
  }
  return (await db.directCalls.filter(({ state }) => state === 'unknown').count()) > 0
}

type Ending = Pick<Receipt, 'outcome' | 'status' | 'time' | 'outcomeId' | 'code'>

/** What the idempotency store says; what it has never heard of is kept from ever running, and only then told as not done. */
async function askAbout(ports: Ports, { intent, forUser }: DirectCall): Promise<Ending | null> {
  const ask = async (endpoint: Endpoint) => {
    const { method, path } = toWire(endpoint, { params: { id: `~${intent}` } } as never)
    return await sendSignedIn(ports, { method, path, headers: { [headers.forUser]: forUser }, body: null })
  }
  const answer = await ask(getRequest as unknown as Endpoint)
  if (!answer || problemOf(answer).code !== 'INTENT_UNKNOWN') return endingOf(ports, answer)
  return endingOf(ports, await ask(voidRequest as unknown as Endpoint))
}

/** Null: that was no word on it. */
function endingOf(ports: Ports, answer: ResponseData | null): Ending | null {
  if (!answer) return null
  const time = ports.clock()
  const { status } = answer
  if (isGood(answer) && (jsonOf(answer) as { void?: unknown } | undefined)?.void === true)
    return { outcome: 'void', status, time, outcomeId: null, code: null }
  const said = answer.headers.get(headers.outcome)
  if (!said) return null
  const outcomeId = outcomeIdOf(answer)
  const { code } = problemOf(answer)
  if (isGood(answer) || code === 'INTENT_DONE') return { outcome: 'done', status, time, outcomeId, code: null }
  return { outcome: code === 'INTENT_VOID' ? 'void' : 'refused', status, time, outcomeId, code }
}
