/**
 * Polls long requests. A lock and a lease per job ensure that all pages and the worker together poll each job only once at a time (protocol
 * 39).
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
/** How long one call of `watchOpenJobs` polls, in ms. While a job runs, the pages call it each second. */
const watchMs = 5_000
const handOverMs = 1_500
const minPollIntervalMs = 800
/**
 * How long a poll waits for the job's lock, in ms: enough for a busy computer to grant a free lock, and for another page to finish its
 * poll.
 */
const lockWaitMs = 2_000

export const getJobLockName = (db: UserDatabase, intent: string) => `job:${db.name}:${intent}`

export const storePollResult = (
  ports: PipelinePorts,
  { db, generation }: CurrentSession,
  job: Job,
  result: PollResult,
) => applyPollResult(db, job, result, { now: ports.clock(), generation })

/** The running watch of this page or worker, by database. `wake` makes it look for due jobs immediately. */
const watchesByDatabase = new WeakMap<UserDatabase, { until: number; wake: () => void }>()

/**
 * Polls every job that is due, for `forMs`. Ends earlier if no further poll is due in this time. May be called at any time: jobs that
 * another call polls are skipped. With `immediate` (the server may be reachable again, or the user has returned), jobs that wait after
 * failed polls are polled too.
 */
export async function watchOpenJobs(ports: PipelinePorts, { immediate = false, forMs = watchMs } = {}): Promise<void> {
  const session = await readCurrentSession(ports)
  if (!session) return
  const { db } = session
  if (immediate) await clearJobDelays(db, ports.clock())
  const otherWatch = watchesByDatabase.get(db)
  otherWatch?.wake()
  // The other watch still runs when the next call is expected, so that call can take over.
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
      // Another page may be polling this job, so its row is read again after this interval in any case.
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

/** Polls a job under its lock. If the lock is free, its last holder has ended, even if the lease has not (protocol 12). */
async function poll(ports: PipelinePorts, session: CurrentSession, intent: string): Promise<void> {
  const lockName = getJobLockName(session.db, intent)
  const action = () => pollUnderLock(ports, session, intent)
  const lockResult = await ports.locks.hold(lockName, { waitMs: lockWaitMs }, action)
  if (lockResult) return
  // The lock is still held after the lease has ended, so its holder is a frozen tab. If that tab wakes up, only a final response of it is
  // stored.
  const job = await session.db.jobs.get(intent)
  if (job && job.leaseUntil <= ports.clock()) await ports.locks.hold(lockName, { waitMs: 0, shouldSteal: true }, action)
}

/** Must be called under the job's lock. */
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

/** Names the user, because with another user's token the server would report that the job does not exist (protocol 10). */
export const buildJobRequest = ({ forUser }: Job, path: string): RequestData => ({
  method: 'GET',
  path,
  headers: { [headers.forUser]: forUser },
  body: null,
})

/**
 * Asks for the job by its intent. If the server does not have the intent, it is voided, and the user decides whether to start again
 * (protocol 13).
 */
async function pollByIntent(ports: PipelinePorts, job: Job): Promise<PollResult> {
  const response = await sendExplained(ports, buildIntentRequest('GET', job))
  if (!response || toProblem(response).code !== 'INTENT_UNKNOWN') return readIntentResponse(ports, job, response)
  return readIntentResponse(ports, job, await sendExplained(ports, buildIntentRequest('DELETE', job)))
}
