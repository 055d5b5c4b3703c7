/**
 * Asks about long requests: each second, inside an event, by whoever holds the lock and the lease of the row. Any number
 * of pages and a worker that may die at any moment are together one poller (protocol 39).
 */
import { headers } from '#contract/headers.ts'
import { getRequest } from '#contract/requests.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { claimPoll, hastenJobs, applyPollResult, type PollResult, nextPoll } from '#local/jobs/job-store.ts'
import type { Job } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { readIntentResponse, readPollResponse } from '#request/jobs/job-response.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import { type RequestData, type ResponseData, problemOf, requestTimeoutMs } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { type CurrentSession, currentSession } from '#request/session/current-session.ts'

export const leaseMs = requestTimeoutMs + 15_000
/** So long one event watches; pages ask for the next one each second while something runs. */
const watchMs = 5_000
const handOverMs = 1_500
/** The shortest time between two polls of one job. */
const lookAgainMs = 800
/** Long enough for a busy machine to hand over a lock that is free, and for another page to end its poll. */
const lockWaitMs = 2_000

/** Held for the length of one request about this job, its start or a poll. */
export const lockOf = (db: UserDatabase, intent: string) => `job:${db.name}:${intent}`

export const note = (ports: Ports, { db, generation }: CurrentSession, job: Job, heard: PollResult) =>
  applyPollResult(db, job, heard, { now: ports.clock(), generation })

/** The event of this page or worker that watches a database, and how to make it look again before its time. */
const watching = new WeakMap<UserDatabase, { until: number; look: () => void }>()

/**
 * Asks about everything that is due, for a few seconds, and ends when nothing is on its way. Run it in an event and as
 * often as there is reason to: who comes second finds nothing due. `hurry`: there was a sign of life.
 */
export async function watch(ports: Ports, { hurry = false, forMs = watchMs } = {}): Promise<void> {
  const desk = await currentSession(ports)
  if (!desk) return
  const { db } = desk
  if (hurry) await hastenJobs(db, ports.clock())
  const other = watching.get(db)
  other?.look()
  // Long enough for a later event to take over from it.
  if (forMs > 0 && other && other.until > ports.clock() + handOverMs) return
  const own = { until: ports.clock() + forMs, look: () => {} }
  watching.set(db, own)
  try {
    await watchUntil(ports, desk, own)
  } finally {
    if (watching.get(db) === own) watching.delete(db)
  }
}

async function watchUntil(ports: Ports, desk: CurrentSession, own: { until: number; look: () => void }): Promise<void> {
  const asking = new Map<string, Promise<void>>()
  const notBefore = new Map<string, number>()
  for (;;) {
    const now = ports.clock()
    const isBusy = (intent: string) => asking.has(intent) || (notBefore.get(intent) ?? 0) > now
    const next = await nextPoll(desk.db, now, desk.generation, isBusy)
    if (next && next.at <= now) {
      const { intent } = next
      // Whatever comes of it, this event looks at it again in a while: it may be somebody else who asks.
      notBefore.set(intent, now + lookAgainMs)
      asking.set(
        intent,
        poll(ports, desk, intent).finally(() => asking.delete(intent)),
      )
      continue
    }
    const soonest = Math.min(next?.at ?? Number.POSITIVE_INFINITY, ...[...notBefore.values()].filter((at) => at > now))
    if (soonest > own.until) break
    const looked = new Promise<void>((look) => (own.look = look))
    await Promise.race([ports.wait(soonest - now), looked])
  }
  await Promise.all(asking.values())
}

/** One asking about one job, alone. Its lock free: whoever had it is gone, whatever the lease says (protocol 12). */
async function poll(ports: Ports, desk: CurrentSession, intent: string): Promise<void> {
  const name = lockOf(desk.db, intent)
  const act = () => pollAlone(ports, desk, intent)
  const held = await ports.locks.hold(name, { waitMs: lockWaitMs }, act)
  if (held) return
  // Held past its lease: a frozen tab. What it may still hear counts only if it is final.
  const job = await desk.db.jobs.get(intent)
  if (job && job.leaseUntil <= ports.clock()) await ports.locks.hold(name, { waitMs: 0, steal: true }, act)
}

/** Call it under the job's lock. */
export async function pollAlone(ports: Ports, desk: CurrentSession, intent: string): Promise<void> {
  const { db, generation } = desk
  const job = await claimPoll(db, intent, { now: ports.clock(), leaseMs, generation })
  if (!job) return
  const heard =
    job.location === null
      ? await askByIntent(ports, job)
      : readPollResponse(ports, job, await ask(ports, jobRequest(job, 'GET', job.location)))
  await note(ports, desk, job, heard)
}

export const ask = (ports: Ports, request: RequestData): Promise<ResponseData | null> =>
  sendOrExplain(ports, request, (one) => sendSignedIn(ports, one))

/** Another user's bearer must not ask for this one: they would be told that there is nothing (protocol 10). */
export const jobRequest = (job: Job, method: 'GET' | 'DELETE', path: string): RequestData => ({
  method,
  path,
  headers: { [headers.forUser]: job.forUser },
  body: null,
})

/** Whether the server has it. What it has not is kept from ever beginning: the user decides anew (protocol 13). */
async function askByIntent(ports: Ports, job: Job): Promise<PollResult> {
  const { path } = toWire(getRequest, { params: { id: `~${job.intent}` } })
  const answer = await ask(ports, jobRequest(job, 'GET', path))
  if (!answer || problemOf(answer).code !== 'INTENT_UNKNOWN') return readIntentResponse(ports, job, answer)
  return readIntentResponse(ports, job, await ask(ports, jobRequest(job, 'DELETE', path)))
}
