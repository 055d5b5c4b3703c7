/**
 * Long requests. Every move of one is a transaction of this file: stored before it is asked for, asked about by one at a
 * time over all pages and the worker, kept with its answer until somebody has seen it (protocol 39).
 */
import { liveQuery } from 'dexie'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { fresh, isOpen } from '#local/jobs/job-state.ts'
import type { Job, JobState } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/** In ms. A start that its page recorded and then died over is not touched before `grace`. */
const times = { poll: 1_000, late: 200, grace: 5_000, longestWait: 60_000, keptSeen: 7 * 86_400_000 }
/** Ended ones beside those that run; the oldest go first. */
const maxEnded = 100
/** Characters of an answer that is kept here; a longer one is fetched from the server when it is wanted. */
const longestAnswer = 1_000_000

const jobs = <T>(db: UserDatabase, act: () => Promise<T>): Promise<T> => transact(db, ['jobs', 'meta'], act)

export type NewJob = Pick<Job, 'intent' | 'key' | 'endpoint' | 'input' | 'forUser' | 'since'>

/** What may begin once more under its intent: nothing is known of it at the server, or it said no. */
const mayBegin: readonly JobState[] = ['starting', 'unknown', 'failed', 'sign in']

/**
 * Stores a long request before any byte of it leaves. The same wish again is the one that is there: if it runs it is
 * followed, if it may begin it gets new bytes; one that was kept from ever beginning is a new wish.
 */
export async function recordJob(db: UserDatabase, draft: NewJob): Promise<Job> {
  return await jobs(db, async () => {
    const there = await db.jobs.get(draft.intent)
    if (there && !(mayBegin.includes(there.state) && there.location === null)) return there
    const isVoid = there?.problem?.code === 'NOT_STARTED'
    if (isVoid) await db.jobs.delete(draft.intent)
    const intent = isVoid ? draft.key : draft.intent
    const job: Job = {
      ...draft,
      ...fresh,
      intent,
      key: there ? draft.key : intent,
      nextAt: draft.since + times.grace,
      fence: (there?.fence ?? 0) + 1,
    }
    await db.jobs.put(job)
    await makeRoom(db, draft.since)
    return job
  })
}

/** Inside a transaction. What nobody has seen yet goes only when there is far too much of it. */
async function makeRoom(db: UserDatabase, now: number): Promise<void> {
  const ended = (await db.jobs.filter((job) => !isOpen(job)).toArray()).sort(
    (a, b) => Number(b.seen) - Number(a.seen) || (a.endedAt ?? 0) - (b.endedAt ?? 0),
  )
  const old = ended.filter(({ seen, endedAt }) => seen && (endedAt ?? 0) < now - times.keptSeen)
  const tooMany = ended.slice(0, Math.max(0, ended.length - maxEnded))
  await db.jobs.bulkDelete([...new Set([...old, ...tooMany].map(({ intent }) => intent))])
}

export interface Claiming {
  now: number
  leaseMs: number
}

/** Its start may leave now. Null: it is no longer this one's to send. */
export async function claimStart(db: UserDatabase, { intent, key }: Job, claiming: Claiming): Promise<Job | null> {
  return await jobs(db, async () => {
    const job = await db.jobs.get(intent)
    return job?.state === 'starting' && job.key === key ? await claimed(db, job, claiming) : null
  })
}

/** It may be asked about now, and not again within a second. Null: somebody was quicker, or it has ended. */
export async function claimPoll(
  db: UserDatabase,
  intent: Intent,
  claiming: Claiming & { generation: number },
): Promise<Job | null> {
  return await jobs(db, async () => {
    const job = await db.jobs.get(intent)
    if (!job || dueAt(job, claiming.now, claiming.generation) > claiming.now) return null
    // Whoever was sending its start is gone, or this would not be theirs to ask about: nobody knows how it went.
    const state = job.state === 'starting' ? 'unknown' : job.state
    return await claimed(db, { ...job, state }, claiming)
  })
}

async function claimed(db: UserDatabase, job: Job, { now, leaseMs }: Claiming): Promise<Job> {
  const held = { ...job, fence: job.fence + 1, leaseUntil: now + leaseMs, nextAt: now + times.poll - lateBy(job, now) }
  await db.jobs.put(held)
  return held
}

/** A little late is made good, or every poll would put off all that follow: once a second, give or take a fifth. */
function lateBy({ nextAt }: Job, now: number): number {
  const late = now - nextAt
  return late > 0 && late <= times.late ? late : 0
}

/** When it may be asked about; Infinity: not under this session. A wait longer than any is a clock turned back. */
function dueAt(job: Job, now: number, generation: number): number {
  if (!isOpen(job) || (job.state === 'sign in' && job.generation === generation)) return Number.POSITIVE_INFINITY
  return job.nextAt > now + times.longestWait ? now : job.nextAt
}

/** What is to be asked about next, and when; none: nothing is on its way. */
export async function nextPoll(
  db: UserDatabase,
  now: number,
  generation: number,
  except: (intent: Intent) => boolean,
): Promise<{ intent: Intent; at: number } | null> {
  const due = (await db.jobs.toArray())
    .filter(({ intent }) => !except(intent))
    .map((job) => ({ intent: job.intent, at: dueAt(job, now, generation) }))
    .filter(({ at }) => Number.isFinite(at))
  return due.sort((a, b) => a.at - b.at)[0] ?? null
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
  heard: PollResult,
  { now, generation }: { now: number; generation: number },
): Promise<void> {
  await jobs(db, async () => {
    const there = await db.jobs.get(job.intent)
    const gate = await db.meta.get('session-generation')
    const isTheirs = gate?.name === 'session-generation' && gate.open && gate.generation === generation
    if (!there || !isTheirs || there.key !== job.key || !isOpen(there)) return
    if (!isFinal(heard) && there.fence !== job.fence) return
    await db.jobs.put({ ...there, leaseUntil: 0, ...changesBy(there, heard, now, generation) })
  })
}

const isFinal = ({ kind }: PollResult) => kind === 'done' || kind === 'failed' || kind === 'gone'

function changesBy(there: Job, heard: PollResult, now: number, generation: number): Partial<Job> {
  switch (heard.kind) {
    case 'running':
      return {
        state: 'running',
        failures: 0,
        blockedTries: 0,
        location: heard.location ?? there.location,
        progressKey: heard.progressKey ?? there.progressKey,
        deadline: heard.deadline ?? there.deadline,
        percent: Math.max(there.percent, heard.percent),
        // Its start was answered just now: the first poll may come at once.
        ...(there.location === null ? { nextAt: now } : {}),
      }
    case 'done': {
      const body = (heard.body?.length ?? 0) > longestAnswer ? null : heard.body
      return { state: 'done', answer: { status: heard.status, body }, percent: 100, endedAt: now, problem: null }
    }
    case 'failed':
    case 'timeout':
    case 'gone':
      return { state: heard.kind, problem: heard.problem, endedAt: now }
    case 'unknown':
      return { state: 'unknown', nextAt: now }
    case 'sign in':
      return { state: 'sign in', generation }
    case 'later':
      return {
        failures: there.failures + 1,
        blockedTries: heard.blockedTries ?? 0,
        nextAt: Math.max(there.nextAt, now + heard.waitMs),
      }
  }
}

/** A sign of life, or somebody who looks: what waits only because asking failed is asked about now. */
export async function hastenJobs(db: UserDatabase, now: number): Promise<void> {
  await jobs(db, async () => {
    await db.jobs.filter((job) => isOpen(job) && job.failures > 0).modify({ nextAt: now, failures: 0 })
  })
}

/** The page lost sight of its start: whether it was sent is to be found out now, if nobody is at it. */
export async function doubtStart(db: UserDatabase, intent: Intent, now: number): Promise<void> {
  await jobs(db, async () => {
    await db.jobs.filter((job) => job.intent === intent && job.state === 'starting').modify({ nextAt: now })
  })
}

/** Heard beside the polls: how far it is, or that its end can be fetched at once. */
export async function applyProgress(
  db: UserDatabase,
  { progressKey, percent, isOver }: { progressKey: string; percent: number; isOver: boolean },
  now: number,
): Promise<void> {
  await jobs(db, async () => {
    await db.jobs
      .filter((job) => job.progressKey === progressKey && (isOpen(job) || (isOver && job.state === 'timeout')))
      .modify((job) => {
        job.percent = Math.max(job.percent, percent)
        if (!isOver) return
        Object.assign(job, { state: 'running', problem: null, endedAt: null, nextAt: Math.min(job.nextAt, now) })
      })
  })
}

/** Its time was up at the server, and the user wants to know once more: it may have ended since. */
export async function askAgain(db: UserDatabase, intent: Intent, now: number): Promise<void> {
  await jobs(db, async () => {
    await db.jobs
      .filter((job) => job.intent === intent && job.state === 'timeout')
      .modify({
        state: 'running',
        problem: null,
        endedAt: null,
        nextAt: now,
        failures: 0,
        blockedTries: 0,
        seen: false,
      })
  })
}

/** Of one that runs nothing is forgotten. */
export async function dismissJob(db: UserDatabase, intent: Intent): Promise<void> {
  await jobs(db, async () => {
    await db.jobs.filter((job) => job.intent === intent && !isOpen(job)).delete()
  })
}

export async function markSeen(db: UserDatabase, intents: readonly Intent[]): Promise<void> {
  await jobs(db, async () => {
    await db.jobs.filter((job) => intents.includes(job.intent) && !isOpen(job)).modify({ seen: true })
  })
}

/** Hears the row now and at every change of it; returns how to stop. */
export function followJob(db: UserDatabase, intent: Intent, hearJob: (job: Job | null) => void): () => void {
  const subscription = liveQuery(async () => (await db.jobs.get(intent)) ?? null).subscribe(hearJob)
  return () => subscription.unsubscribe()
}
