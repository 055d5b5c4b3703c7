/** Polls long requests. By lock and lease, all pages and the worker together are one poller (protocol 39). */
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
/** How long one event polls. Pages request the next event each second while a job runs. */
const watchMs = 5_000
const handOverMs = 1_500
const minPollIntervalMs = 800
/** Enough for a busy computer to grant a free lock, and for another page to finish its poll. */
const lockWaitMs = 2_000

export const getJobLockName = (db: UserDatabase, intent: string) => `job:${db.name}:${intent}`

export const storePollResult = (
  ports: PipelinePorts,
  { db, generation }: CurrentSession,
  job: Job,
  result: PollResult,
) => applyPollResult(db, job, result, { now: ports.clock(), generation })

/** The running watch of this page or worker for each database, and a function that makes it check again at once. */
const watchesByDatabase = new WeakMap<UserDatabase, { until: number; wake: () => void }>()

/**
 * Polls everything that is due, for a few seconds, and ends when no job is open. May be called at any time: a second call finds nothing
 * due. `immediate` means that the server has just responded to something.
 */
export async function watchOpenJobs(ports: PipelinePorts, { immediate = false, forMs = watchMs } = {}): Promise<void> {
  const session = await readCurrentSession(ports)
  if (!session) return
  const { db } = session
  if (immediate) await clearJobDelays(db, ports.clock())
  const otherWatch = watchesByDatabase.get(db)
  otherWatch?.wake()
  // The other watch runs long enough for a later event to take over.
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
      // This event checks the job again later in any case, because another page may be polling it.
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

/** If the lock is free, its earlier holder is gone, even if the lease has not ended (protocol 12). */
async function poll(ports: PipelinePorts, session: CurrentSession, intent: string): Promise<void> {
  const lockName = getJobLockName(session.db, intent)
  const action = () => pollUnderLock(ports, session, intent)
  const lockResult = await ports.locks.hold(lockName, { waitMs: lockWaitMs }, action)
  if (lockResult) return
  // Held longer than its lease, so the holder is a frozen tab. A response that it still receives counts only if it is final.
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

/** Looks up the intent. A job that the server does not know is voided; its user decides again (protocol 13). */
async function pollByIntent(ports: PipelinePorts, job: Job): Promise<PollResult> {
  const response = await sendExplained(ports, buildIntentRequest('GET', job))
  if (!response || toProblem(response).code !== 'INTENT_UNKNOWN') return readIntentResponse(ports, job, response)
  return readIntentResponse(ports, job, await sendExplained(ports, buildIntentRequest('DELETE', job)))
}
