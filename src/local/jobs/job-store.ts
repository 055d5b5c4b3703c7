/**
 * Long requests. Every move of one is a transaction of this file: stored before it is asked for, asked about by one at a
 * time over all pages and the worker, kept with its answer until somebody has seen it (protocol 39).
 */
import { liveQuery } from 'dexie'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isOpenJob, type NewJob, newJobFields } from '#local/jobs/job-state.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { Job, JobState } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/** In ms. A start that its page recorded and then died over is not touched before `graceMs`. */
const jobTimes = { pollMs: 1_000, maxLateMs: 200, graceMs: 5_000, maxWaitMs: 60_000, seenLifetime: 7 * 86_400_000 }
/** Ended ones beside those that run; the oldest go first. */
const maxEndedJobs = 100
/** Characters of an answer that is kept here; a longer one is fetched from the server when it is wanted. */
const maxStoredResponseLength = 1_000_000

const runJobTransaction = <T>(db: UserDatabase, action: () => Promise<T>): Promise<T> =>
  transact(db, ['jobs', 'meta'], action)

/** What may begin once more under its intent: nothing is known of it at the server, or it said no. */
const restartableStates: readonly JobState[] = ['starting', 'unknown', 'failed', 'sign in']

/**
 * Stores a long request before any byte of it leaves. The same wish again is the one that is there: if it runs it is
 * followed, if it may begin it gets new bytes; one that was kept from ever beginning is a new wish.
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

/** Inside a transaction. What nobody has seen yet goes only when there is far too much of it. */
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

/** Its start may leave now. Null: it is no longer this one's to send. */
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

/** It may be asked about now, and not again within a second. Null: somebody was quicker, or it has ended. */
export async function claimPoll(
  db: UserDatabase,
  intent: Intent,
  options: JobClaimOptions & { generation: number },
): Promise<Job | null> {
  return await runJobTransaction(db, async () => {
    const job = await db.jobs.get(intent)
    if (!job || getPollTime(job, options.now, options.generation) > options.now) return null
    // Whoever was sending its start is gone, or this would not be theirs to ask about: nobody knows how it went.
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

/** A little late is made good, or every poll would put off all that follow: once a second, give or take a fifth. */
function getLateMs({ nextAt }: Job, now: number): number {
  const lateMs = now - nextAt
  return lateMs > 0 && lateMs <= jobTimes.maxLateMs ? lateMs : 0
}

/** When it may be asked about; Infinity: not under this session. A wait longer than any is a clock turned back. */
function getPollTime(job: Job, now: number, generation: number): number {
  if (!isOpenJob(job) || (job.state === 'sign in' && job.generation === generation)) return Number.POSITIVE_INFINITY
  return job.nextAt > now + jobTimes.maxWaitMs ? now : job.nextAt
}

/** What is to be asked about next, and when; none: nothing is on its way. */
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

/** What came back from one asking. */
export type PollResult =
  /** The server has it, and works on it. */
  | { kind: 'running'; location?: string; progressKey?: string | null; percent: number; deadline?: number | null }
  | { kind: 'done'; status: number; body: string | null }
  | { kind: 'failed' | 'timeout' | 'gone'; problem: Problem }
  /** Sent, and no answer of ours came back: it may have begun. */
  | { kind: 'unknown' }
  | { kind: 'sign in' }
  /** Neither the line nor the server has anything to say now. */
  | { kind: 'later'; waitMs: number; blockedTries?: number }

/**
 * Records it. What is final counts whatever the fence, because the server will say nothing else; the rest only from the
 * one who asked last. Nothing is stored for a session that has ended meanwhile.
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
        // Its start was answered just now: the first poll may come at once.
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

/** A sign of life, or somebody who looks: what waits only because asking failed is asked about now. */
export async function clearJobDelays(db: UserDatabase, now: number): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs.filter((job) => isOpenJob(job) && job.failures > 0).modify({ nextAt: now, failures: 0 })
  })
}

/** The page lost sight of its start: whether it was sent is to be found out now, if nobody is at it. */
export async function checkStartNow(db: UserDatabase, intent: Intent, now: number): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs.filter((job) => job.intent === intent && job.state === 'starting').modify({ nextAt: now })
  })
}

/** Of a job that is polled again after its time was up. */
const resumedFields = { state: 'running', problem: null, endedAt: null } as const

/** Heard beside the polls: how far it is, or that its end can be fetched at once. */
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

/** Its time was up at the server, and the user wants to know once more: it may have ended since. */
export async function resumePolling(db: UserDatabase, intent: Intent, now: number): Promise<void> {
  await runJobTransaction(db, async () => {
    await db.jobs
      .filter((job) => job.intent === intent && job.state === 'timeout')
      .modify({ ...resumedFields, nextAt: now, failures: 0, blockedTries: 0, seen: false })
  })
}

/** Of one that runs nothing is forgotten. */
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

/** Hears the row now and at every change of it; returns how to stop. */
export function followJob(db: UserDatabase, intent: Intent, listener: (job: Job | null) => void): () => void {
  const subscription = liveQuery(async () => (await db.jobs.get(intent)) ?? null).subscribe(listener)
  return () => subscription.unsubscribe()
}
