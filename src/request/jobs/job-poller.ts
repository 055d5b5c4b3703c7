/**
 * Asks about long requests: each second, inside an event, by whoever holds the lock and the lease of the row. Any number
 * of pages and a worker that may die at any moment are together one poller (protocol 39).
 */
import { headers } from '#contract/headers.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { claimPoll, clearJobDelays, applyPollResult, type PollResult, findNextPoll } from '#local/jobs/job-store.ts'
import type { Job } from '#local/storage/records.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { readIntentResponse, readPollResponse } from '#request/jobs/job-response.ts'
import { buildIntentRequest } from '#request/transport/entry-request.ts'
import { type RequestData, toProblem, requestTimeoutMs } from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type CurrentSession, readCurrentSession } from '#request/session/current-session.ts'

export const leaseMs = requestTimeoutMs + 15_000
/** So long one event watches; pages ask for the next one each second while something runs. */
const watchMs = 5_000
const handOverMs = 1_500
/** The shortest time between two polls of one job. */
const minPollIntervalMs = 800
/** Long enough for a busy machine to hand over a lock that is free, and for another page to end its poll. */
const lockWaitMs = 2_000

/** Held for the length of one request about this job, its start or a poll. */
export const getJobLockName = (db: UserDatabase, intent: string) => `job:${db.name}:${intent}`

export const storePollResult = (
  ports: PipelinePorts,
  { db, generation }: CurrentSession,
  job: Job,
  result: PollResult,
) => applyPollResult(db, job, result, { now: ports.clock(), generation })

/** The event of this page or worker that watches a database, and how to make it look again before its time. */
const watchesByDatabase = new WeakMap<UserDatabase, { until: number; wake: () => void }>()

/**
 * Asks about everything that is due, for a few seconds, and ends when nothing is on its way. Run it in an event and as
 * often as there is reason to: who comes second finds nothing due. `immediate`: there was a sign of life.
 */
export async function watchOpenJobs(ports: PipelinePorts, { immediate = false, forMs = watchMs } = {}): Promise<void> {
  const session = await readCurrentSession(ports)
  if (!session) return
  const { db } = session
  if (immediate) await clearJobDelays(db, ports.clock())
  const otherWatch = watchesByDatabase.get(db)
  otherWatch?.wake()
  // Long enough for a later event to take over from it.
  if (forMs > 0 && otherWatch && otherWatch.until > ports.clock() + handOverMs) return
  const ownWatch = { until: ports.clock() + forMs, wake: () => {} }
  watchesByDatabase.set(db, ownWatch)
  try {
    await watchUntil(ports, session, ownWatch)
  } finally {
    if (watchesByDatabase.get(db) === ownWatch) watchesByDatabase.delete(db)
  }
}

async function watchUntil(
  ports: PipelinePorts,
  session: CurrentSession,
  ownWatch: { until: number; wake: () => void },
): Promise<void> {
  const pendingPolls = new Map<string, Promise<void>>()
  const earliestPollAt = new Map<string, number>()
  for (;;) {
    const now = ports.clock()
    const isBusy = (intent: string) => pendingPolls.has(intent) || (earliestPollAt.get(intent) ?? 0) > now
    const next = await findNextPoll(session.db, now, session.generation, isBusy)
    if (next && next.pollAt <= now) {
      const { intent } = next
      // Whatever comes of it, this event looks at it again in a while: it may be somebody else who asks.
      earliestPollAt.set(intent, now + minPollIntervalMs)
      pendingPolls.set(
        intent,
        poll(ports, session, intent).finally(() => pendingPolls.delete(intent)),
      )
      continue
    }
    const nextWakeAt = Math.min(
      next?.pollAt ?? Number.POSITIVE_INFINITY,
      ...[...earliestPollAt.values()].filter((pollAt) => pollAt > now),
    )
    if (nextWakeAt > ownWatch.until) break
    const wakeup = new Promise<void>((resolve) => (ownWatch.wake = resolve))
    await Promise.race([ports.wait(nextWakeAt - now), wakeup])
  }
  await Promise.all(pendingPolls.values())
}

/** One asking about one job, alone. Its lock free: whoever had it is gone, whatever the lease says (protocol 12). */
async function poll(ports: PipelinePorts, session: CurrentSession, intent: string): Promise<void> {
  const lockName = getJobLockName(session.db, intent)
  const action = () => pollUnderLock(ports, session, intent)
  const lockResult = await ports.locks.hold(lockName, { waitMs: lockWaitMs }, action)
  if (lockResult) return
  // Held past its lease: a frozen tab. What it may still hear counts only if it is final.
  const job = await session.db.jobs.get(intent)
  if (job && job.leaseUntil <= ports.clock()) await ports.locks.hold(lockName, { waitMs: 0, shouldSteal: true }, action)
}

/** Call it under the job's lock. */
export async function pollUnderLock(ports: PipelinePorts, session: CurrentSession, intent: string): Promise<void> {
  const { db, generation } = session
  const job = await claimPoll(db, intent, { now: ports.clock(), leaseMs, generation })
  if (!job) return
  const result =
    job.location === null
      ? await pollByIntent(ports, job)
      : readPollResponse(ports, job, await sendExplained(ports, buildJobRequest(job, job.location)))
  await storePollResult(ports, session, job, result)
}

/** Another user's bearer must not ask for this one: they would be told that there is nothing (protocol 10). */
export const buildJobRequest = ({ forUser }: Job, path: string): RequestData => ({
  method: 'GET',
  path,
  headers: { [headers.forUser]: forUser },
  body: null,
})

/** Whether the server has it. What it has not is kept from ever beginning: the user decides anew (protocol 13). */
async function pollByIntent(ports: PipelinePorts, job: Job): Promise<PollResult> {
  const response = await sendExplained(ports, buildIntentRequest('GET', job))
  if (!response || toProblem(response).code !== 'INTENT_UNKNOWN') return readIntentResponse(ports, job, response)
  return readIntentResponse(ports, job, await sendExplained(ports, buildIntentRequest('DELETE', job)))
}
