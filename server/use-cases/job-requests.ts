/** Long requests as their owner meets them: begun with a write, asked about until the final answer is there. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import { insertJob, type JobRow, jobOf, openJobsOf } from '#server/db/jobs.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { errorBody } from '#server/problems/problem-body.ts'
import type { Answer, UseCaseContext, AppContext } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'

/** How long a poll says "still running" unless the call says otherwise, and how long an answer is kept (D61), in ms. */
export const jobTimes = { deadline: 900_000, kept: 86_400_000 }
/** Of one user at once: more wait for nobody but themselves. */
const maxOpen = 10

export interface Begun {
  kind: string
  input: unknown
  /** As the caller chose it, where the call lets them. */
  progressKey?: string | undefined
  deadlineMs?: number
}

/**
 * Takes a long request: its row is written in the transaction of the write that asks for it (protocol 26), and the same
 * intent finds the same row. Answers 202 and where to ask. Throws RATE_LIMITED.
 */
export async function beginJob(
  { db, caller, now, intent }: UseCaseContext,
  { kind, input, progressKey = newProgressKey(), deadlineMs = jobTimes.deadline }: Begun,
): Promise<Answer<never>> {
  const open = await openJobsOf(db, caller)
  if (open.length >= maxOpen) throw new ProblemError('RATE_LIMITED', null, 30)
  const id = newJobId()
  const { companyId, userId } = caller
  const job = await insertJob(db, {
    id,
    companyId,
    userId,
    kind,
    input,
    progressKey,
    now,
    // Without a key nothing can be repeated, so any name will do.
    intent: intent ?? id,
    deadline: now + deadlineMs,
  })
  const location = locationOf(job)
  const body = { location, progressKey: job.progress_key, deadline: job.deadline }
  // The endpoint's output is what the job will answer; this is the word that it has begun.
  return { status: 202, headers: { location }, body: body as never }
}

/** 128 bits: it is what its owner asks by. */
export const newJobId = () => randomBytes(16).toString('hex')

const locationOf = ({ id }: Pick<JobRow, 'id'>) => `/api/request/${id}`

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Twelve random characters (portal 9); bound to its user, so it opens nothing. */
export const newProgressKey = () => Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')

export interface JobAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

/**
 * How far a long request is, or what it came to. Throws NOT_FOUND for anybody but its owner, REQUEST_TIMEOUT (408) once
 * its time is up, which may still turn final, and GONE (410) once its answer is no longer kept.
 */
export async function askJob(app: AppContext, caller: Caller, id: string, language: Language): Promise<JobAnswer> {
  const job = await inTransaction(app, { role: 'portal_app', companyId: caller.companyId }, (db) =>
    jobOf(db, caller, id),
  )
  if (!job) throw notFound()
  return job.end_time === null ? unfinished(app, job) : finished(app, job, job.end_time, language)
}

function unfinished(app: AppContext, job: JobRow): JobAnswer {
  const { percent, progress_key: progressKey } = job
  const told = { status: 'active', percent, progressKey }
  if (job.deadline <= app.clock()) throw new ProblemError('REQUEST_TIMEOUT', told)
  return { status: 202, headers: { location: locationOf(job) }, body: told }
}

function finished(
  app: AppContext,
  { id, state, status, body }: JobRow,
  endTime: number,
  language: Language,
): JobAnswer {
  if (endTime + jobTimes.kept <= app.clock()) throw new ProblemError('GONE', { state, status })
  const said: unknown = body === null ? null : JSON.parse(body)
  // What sets the last word of a long request apart from a poll that failed (protocol 3).
  const headers = { [names.outcome]: `${state === 'done' ? 'done' : 'refused'}; ${id}` }
  if (state === 'done') return { status: status ?? 200, headers, body: said }
  const { code, data } = said as { code: ProblemCode; data: unknown }
  return { status: status ?? 500, headers, body: errorBody(code, data, language) }
}

/** What the websocket says of a job. `status` as progress bars know it: active, success, exception. */
export interface Progress {
  progressKey: string
  /** The kind of job. */
  code: string
  data: { status: 'active' | 'success' | 'exception'; percent: number }
  /** What it is at, where it says so. */
  info: { name: string; message: string }
}

/** Says to every node how far a user's job is; each tells those who are connected to it. */
export const progressChannel = 'portal_progress'
/** Says to every node that there is a job to be taken. */
export const jobsChannel = 'portal_jobs'

/** After the commit, so that whoever looks finds it; who does not hear of it looks by itself. */
export const notifyJobs = ({ database }: AppContext): void =>
  void database.announce(jobsChannel, '').catch(() => undefined)

export interface ProgressOf {
  companyId: number
  userId: number
  progress: Progress
}

export const progressOf = (
  { kind, progress_key: progressKey, percent }: Pick<JobRow, 'kind' | 'progress_key' | 'percent'>,
  status: Progress['data']['status'],
  info: Progress['info'] = { name: '', message: '' },
): Progress => ({ progressKey, code: kind, data: { status, percent }, info })

/** What somebody who has just connected has missed. */
export const progressNow = async (app: AppContext, caller: Caller): Promise<Progress[]> => {
  const open = await inTransaction(app, { role: 'portal_app', companyId: caller.companyId }, (db) =>
    openJobsOf(db, caller),
  )
  return open.map((job) => progressOf(job, 'active'))
}
