/**
 * Stores jobs. Each change of a job is one transaction of this file. A job is stored before it is sent, is polled by one page or worker at
 * a time, and is stored with its response until the user has seen it (protocol 39).
 */
import { liveQuery } from 'dexie'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isOpenJob, type NewJob, newJobFields } from '#local/jobs/job-state.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { Job, JobState } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/** Times in ms. If a page stored a start and then died, others check the start only after `graceMs`. */
const jobTimes = { pollMs: 1_000, maxLateMs: 200, graceMs: 5_000, maxWaitMs: 60_000, seenLifetime: 7 * 86_400_000 }
/** Limit of ended jobs that are stored; the oldest are deleted first. */
const maxEndedJobs = 100
/** Limit in characters of a stored response. A longer one is fetched from the server when it is needed. */
const maxStoredResponseLength = 1_000_000

const runJobTransaction = <T>(db: UserDatabase, action: () => Promise<T>): Promise<T> =>
  transact(db, ['jobs', 'meta'], action)

/** States in which a job may start again under its intent: the server does not know it, or has refused it. */
const restartableStates: readonly JobState[] = ['starting', 'unknown', 'failed', 'sign in']

/**
 * Stores a job. If the intent already has a job, it gets the new input if it may start again; otherwise it is returned unchanged. A voided
 * job gets a new intent.
 */
export async function recordJob(db: UserDatabase, draft: NewJob): Promise<Job> {
  return await runJobTransaction(db, async () => {
    const existingJob = await db.jobs.get(draft.intent)
    if (existingJob && !(restartableStates.includes(existingJob.state) && existingJob.location === null))
      return existingJob
    const isVoid = existingJob?.problem?.code === 'NOT_STARTED'
    if (isVoid) await db.jobs.delete(draft.intent)
    const intent = isVoid ? draft.key : draft.intent
    const job: Job = {
      ...draft,
      ...newJobFields,
      intent,
      key: existingJob ? draft.key : intent,
      nextAt: draft.since + jobTimes.graceMs,
      fence: (existingJob?.fence ?? 0) + 1,
    }
    await db.jobs.put(job)
    await deleteOldJobs(db, draft.since)
    return job
  })
}

/** Deletes old jobs that were seen, and ended jobs above the limit, unseen ones last. Must run inside a transaction. */
async function deleteOldJobs(db: UserDatabase, now: number): Promise<void> {
  const endedJobs = (await db.jobs.filter((job) => !isOpenJob(job)).toArray()).sort(
    (a, b) => Number(b.seen) - Number(a.seen) || (a.endedAt ?? 0) - (b.endedAt ?? 0),
  )
  const oldJobs = endedJobs.filter(({ seen, endedAt }) => seen && (endedAt ?? 0) < now - jobTimes.seenLifetime)
  const excessJobs = endedJobs.slice(0, Math.max(0, endedJobs.length - maxEndedJobs))
  await db.jobs.bulkDelete([...new Set([...oldJobs, ...excessJobs].map(({ intent }) => intent))])
}

export interface JobClaimOptions {
  now: number
  leaseMs: number
}

/** Claims the start for sending. Returns null if the job has started, was claimed by a poll, or has a new key. */
export async function claimStart(
  db: UserDatabase,
  { intent, key }: Job,
  options: JobClaimOptions,
): Promise<Job | null> {
  return await runJobTransaction(db, async () => {
    const job = await db.jobs.get(intent)
    return job?.state === 'starting' && job.key === key ? await storeClaim(db, job, options) : null
  })
}

/** Claims a poll; the next one is possible a second later. Returns null if another caller was faster or the job has ended. */
export async function claimPoll(
  db: UserDatabase,
  intent: Intent,
  options: JobClaimOptions & { generation: number },
): Promise<Job | null> {
  return await runJobTransaction(db, async () => {
    const job = await db.jobs.get(intent)
    if (!job || getPollTime(job, options.now, options.generation) > options.now) return null
    // The page that stored the start has died; otherwise this poll would not be due. Whether the start was sent is unknown.
    const state = job.state === 'starting' ? 'unknown' : job.state
    return await storeClaim(db, { ...job, state }, options)
  })
}

async function storeClaim(db: UserDatabase, job: Job, { now, leaseMs }: JobClaimOptions): Promise<Job> {
  const claimedJob = {
    ...job,
    fence: job.fence + 1,
    leaseUntil: now + leaseMs,
    nextAt: now + jobTimes.pollMs - getLateMs(job, now),
  }
  await db.jobs.put(claimedJob)
  return claimedJob
}

/**
 * Returns a small delay of this poll, which is subtracted from the next one. So later polls are not shifted: one poll per second, within a
 * fifth.
 */
function getLateMs({ nextAt }: Job, now: number): number {
  const lateMs = now - nextAt
  return lateMs > 0 && lateMs <= jobTimes.maxLateMs ? lateMs : 0
}

/**
 * Returns Infinity if the job is not polled in this session. A wait above the maximum means that the clock was turned back, so the job is
 * due now.
 */
function getPollTime(job: Job, now: number, generation: number): number {
  if (!isOpenJob(job) || (job.state === 'sign in' && job.generation === generation)) return Number.POSITIVE_INFINITY
  return job.nextAt > now + jobTimes.maxWaitMs ? now : job.nextAt
}

export async function findNextPoll(
  db: UserDatabase,
  now: number,
  generation: number,
  isExcluded: (intent: Intent) => boolean,
): Promise<{ intent: Intent; pollAt: number } | null> {
  const polls = (await db.jobs.toArray())
    .filter(({ intent }) => !isExcluded(intent))
    .map((job) => ({ intent: job.intent, pollAt: getPollTime(job, now, generation) }))
    .filter(({ pollAt }) => Number.isFinite(pollAt))
  return polls.sort((a, b) => a.pollAt - b.pollAt)[0] ?? null
}

export type PollResult =
  | { kind: 'running'; location?: string; progressKey?: string | null; percent: number; deadline?: number | null }
  | { kind: 'done'; status: number; body: string | null }
  | { kind: 'failed' | 'timeout' | 'gone'; problem: Problem }
  | { kind: 'unknown' }
  | { kind: 'sign in' }
  | { kind: 'later'; waitMs: number; blockedTries?: number }

/**
 * Stores a poll result. A final result is stored even with an old fence, because the server will not change it; other results are stored
 * only from the latest claim. Nothing is stored if the session has ended meanwhile.
 */
export async function applyPollResult(
  db: UserDatabase,
  job: Job,
  result: PollResult,
  { now, generation }: { now: number; generation: number },
): Promise<void> {
  await runJobTransaction(db, async () => {
    const currentJob = await db.jobs.get(job.intent)
    const isSameSession = (await readSessionGeneration(db)) === generation
    if (!currentJob || !isSameSession || currentJob.key !== job.key || !isOpenJob(currentJob)) return
    if (!isFinal(result) && currentJob.fence !== job.fence) return
    await db.jobs.put({ ...currentJob, leaseUntil: 0, ...toJobChanges(currentJob, result, now, generation) })
  })
}

const isFinal = ({ kind }: PollResult) => kind === 'done' || kind === 'failed' || kind === 'gone'

const limitBody = (body: string | null) => (body && body.length > maxStoredResponseLength ? null : body)

function toJobChanges(currentJob: Job, result: PollResult, now: number, generation: number): Partial<Job> {
  if ('problem' in result) return { state: result.kind, problem: result.problem, endedAt: now }
  switch (result.kind) {
    case 'running':
      return {
        state: 'running',
        failures: 0,
        blockedTries: 0,
        location: result.location ?? currentJob.location,
        progressKey: result.progressKey ?? currentJob.progressKey,
        deadline: result.deadline ?? currentJob.deadline,
        percent: Math.max(currentJob.percent, result.percent),
        // The start has just been answered, so the first poll may follow immediately.
        ...(currentJob.location === null ? { nextAt: now } : {}),
      }
    case 'done': {
      const answer = { status: result.status, body: limitBody(result.body) }
      return { state: 'done', answer, percent: 100, endedAt: now, problem: null }
    }
    case 'unknown':
      return { state: 'unknown', nextAt: now }
    case 'sign in':
      return { state: 'sign in', generation }
    case 'later':
      return {
        failures: currentJob.failures + 1,
        blockedTries: result.blockedTries ?? 0,
        nextAt: Math.max(currentJob.nextAt, now + result.waitMs),
      }
  }
}

/** Makes jobs due that wait only because polls failed. Called when the server has just responded to any request. */
export async function clearJobDelays(db: UserDatabase, now: number): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs.filter((job) => isOpenJob(job) && job.failures > 0).modify({ nextAt: now, failures: 0 })
  })
}

/** Makes a start due for a check if its page does not know whether it was sent. The check finds out. */
export async function checkStartNow(db: UserDatabase, intent: Intent, now: number): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs.filter((job) => job.intent === intent && job.state === 'starting').modify({ nextAt: now })
  })
}

const resumedFields = { state: 'running', problem: null, endedAt: null } as const

/**
 * Stores progress that arrived outside the polls: a percentage, or that the job is over (`isOver`), so that its result is fetched
 * immediately.
 */
export async function applyProgress(
  db: UserDatabase,
  { progressKey, percent, isOver }: { progressKey: string; percent: number; isOver: boolean },
  now: number,
): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs
      .filter((job) => job.progressKey === progressKey && (isOpenJob(job) || (isOver && job.state === 'timeout')))
      .modify((job) => {
        job.percent = Math.max(job.percent, percent)
        if (!isOver) return
        Object.assign(job, { ...resumedFields, nextAt: Math.min(job.nextAt, now) })
      })
  })
}

/** Polls a timed-out job again at the user's request, because it may have ended since. */
export async function resumePolling(db: UserDatabase, intent: Intent, now: number): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs
      .filter((job) => job.intent === intent && job.state === 'timeout')
      .modify({ ...resumedFields, nextAt: now, failures: 0, blockedTries: 0, seen: false })
  })
}

export async function dismissJob(db: UserDatabase, intent: Intent): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs.filter((job) => job.intent === intent && !isOpenJob(job)).delete()
  })
}

export async function markSeen(db: UserDatabase, intents: readonly Intent[]): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs.filter((job) => intents.includes(job.intent) && !isOpenJob(job)).modify({ seen: true })
  })
}

/** Calls the listener with the job now and after each change. Returns an unsubscribe function. */
export function followJob(db: UserDatabase, intent: Intent, listener: (job: Job | null) => void): () => void {
  const subscription = liveQuery(async () => (await db.jobs.get(intent)) ?? null).subscribe(listener)
  return () => subscription.unsubscribe()
}
