/** Long requests as their owner meets them: begun with a write, asked about until the final answer is there. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import { insertOrFindJob, type JobRow, findJob, listOpenJobs } from '#server/db/jobs.ts'
import { runForCompany } from '#server/db/transaction.ts'
import { buildErrorBody } from '#server/problems/problem-body.ts'
import type { UseCaseResponse, UseCaseContext, AppContext } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'

/** How long a poll says "still running" unless the call says otherwise, and how long an answer is kept (D61), in ms. */
export const jobTimes = { deadline: 900_000, retention: 86_400_000 }
/** Of one user at once: more wait for nobody but themselves. */
const maxOpen = 10

export interface JobInput {
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
export async function startJob(
  { db, caller, now, intent }: UseCaseContext,
  { kind, input, progressKey = createProgressKey(), deadlineMs = jobTimes.deadline }: JobInput,
): Promise<UseCaseResponse<never>> {
  const openJobs = await listOpenJobs(db, caller)
  if (openJobs.length >= maxOpen) throw new ProblemError('RATE_LIMITED', null, 30)
  const id = createJobId()
  const { companyId, userId } = caller
  const job = await insertOrFindJob(db, {
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
  const location = getJobLocation(job)
  const body = { location, progressKey: job.progress_key, deadline: job.deadline }
  // The endpoint's output is what the job will answer; this is the word that it has begun.
  return { status: 202, headers: { location }, body: body as never }
}

/** 128 bits: it is what its owner asks by. */
export const createJobId = () => randomBytes(16).toString('hex')

const getJobLocation = ({ id }: Pick<JobRow, 'id'>) => `/api/request/${id}`

const keyLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Twelve random characters (portal 9); bound to its user, so it opens nothing. */
export const createProgressKey = () =>
  Array.from({ length: 12 }, () => keyLetters[randomInt(keyLetters.length)]).join('')

export interface JobResponse {
  status: number
  headers: Record<string, string>
  body: unknown
}

/**
 * How far a long request is, or what it came to. Throws NOT_FOUND for anybody but its owner, REQUEST_TIMEOUT (408) once
 * its time is up, which may still turn final, and GONE (410) once its answer is no longer kept.
 */
export async function readJob(app: AppContext, caller: Caller, id: string, language: Language): Promise<JobResponse> {
  const job = requireRow(await runForCompany(app, caller, (db) => findJob(db, caller, id)))
  return job.end_time === null ? buildPendingResponse(app, job) : buildFinalResponse(app, job, job.end_time, language)
}

function buildPendingResponse(app: AppContext, job: JobRow): JobResponse {
  const { percent, progress_key: progressKey } = job
  const progress = { status: 'active', percent, progressKey }
  if (job.deadline <= app.clock()) throw new ProblemError('REQUEST_TIMEOUT', progress)
  return { status: 202, headers: { location: getJobLocation(job) }, body: progress }
}

function buildFinalResponse(
  app: AppContext,
  { id, state, status, body }: JobRow,
  endTime: number,
  language: Language,
): JobResponse {
  if (endTime + jobTimes.retention <= app.clock()) throw new ProblemError('GONE', { state, status })
  const responseBody: unknown = body === null ? null : JSON.parse(body)
  // What sets the last word of a long request apart from a poll that failed (protocol 3).
  const headers = { [names.outcome]: `${state === 'done' ? 'done' : 'refused'}; ${id}` }
  if (state === 'done') return { status: status ?? 200, headers, body: responseBody }
  const { code, data } = responseBody as { code: ProblemCode; data: unknown }
  return { status: status ?? 500, headers, body: buildErrorBody(code, data, language) }
}

/** What the websocket says of a job. `status` as progress bars know it: active, success, exception. */
export interface JobProgress {
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

export interface UserJobProgress {
  companyId: number
  userId: number
  progress: JobProgress
}

export const toJobProgress = (
  { kind, progress_key: progressKey, percent }: Pick<JobRow, 'kind' | 'progress_key' | 'percent'>,
  status: JobProgress['data']['status'],
  info: JobProgress['info'] = { name: '', message: '' },
): JobProgress => ({ progressKey, code: kind, data: { status, percent }, info })

/** What somebody who has just connected has missed. */
export const listRunningProgress = async (app: AppContext, caller: Caller): Promise<JobProgress[]> => {
  const openJobs = await runForCompany(app, caller, (db) => listOpenJobs(db, caller))
  return openJobs.map((job) => toJobProgress(job, 'active'))
}
