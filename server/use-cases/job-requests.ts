/** Starts jobs for writes of users, and returns their progress or final response when the client polls. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import { requireConsentOfRead } from '#server/db/accounts/acting-consents.ts'
import { insertOrFindJob, type JobRow, findJob, listOpenJobs } from '#server/db/jobs.ts'
import { runForCompany } from '#server/db/transaction.ts'
import { buildErrorBody } from '#server/problems/problem-body.ts'
import type { UseCaseResponse, UseCaseContext, AppContext } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'

/** Times in ms. Until `deadline` a poll for a running job returns "still running". The final response is stored for `retention` (D61). */
export const jobTimes = { deadline: 900_000, retention: 86_400_000 }
/** Maximum number of open jobs per user. */
const maxOpen = 10

export interface JobInput {
  kind: string
  input: unknown
  /** Chosen by the client, or random if omitted. */
  progressKey?: string | undefined
  deadlineMs?: number
}

/**
 * Writes the job's row in the transaction of the write (protocol 26); the same intent finds the same row. Returns a 202 with the address to
 * poll. Throws RATE_LIMITED.
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
    // A write without an intent cannot be repeated, so any unique value will do.
    intent: intent ?? id,
    deadline: now + deadlineMs,
  })
  const location = getJobLocation(job)
  const body = { location, progressKey: job.progress_key, deadline: job.deadline }
  // The endpoint's output type describes the job's result. This body only confirms its start, hence the cast.
  return { status: 202, headers: { location }, body: body as never }
}

/** Returns a random id of 128 bits. The owner of the job polls with it. */
export const createJobId = () => randomBytes(16).toString('hex')

const getJobLocation = ({ id }: Pick<JobRow, 'id'>) => `/api/request/${id}`

const keyLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Returns twelve random characters (portal 9). The key is bound to its user, so it gives no access. */
export const createProgressKey = () =>
  Array.from({ length: 12 }, () => keyLetters[randomInt(keyLetters.length)]).join('')

export interface JobResponse {
  status: number
  headers: Record<string, string>
  body: unknown
}

/**
 * Throws NOT_FOUND for every caller but the job's owner, REQUEST_TIMEOUT (408) after the deadline of a job that is still open and may end
 * later, and GONE (410) if the response is no longer stored.
 */
export async function readJob(app: AppContext, caller: Caller, id: string, language: Language): Promise<JobResponse> {
  const job = requireRow(
    await runForCompany(app, caller, async (db) => {
      await requireConsentOfRead(db, caller, app.clock())
      return await findJob(db, caller, id)
    }),
  )
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
  // The header distinguishes the final response of a job from a failed poll (protocol 3).
  const headers = { [names.outcome]: `${state === 'done' ? 'done' : 'refused'}; ${id}` }
  if (state === 'done') return { status: status ?? 200, headers, body: responseBody }
  const { code, data } = responseBody as { code: ProblemCode; data: unknown }
  return { status: status ?? 500, headers, body: buildErrorBody(code, data, language) }
}

/** Message of the websocket about a job. `status` has the values of a progress bar: active, success, exception. */
export interface JobProgress {
  progressKey: string
  code: string
  data: { status: 'active' | 'success' | 'exception'; percent: number }
  /** The current step, if the job reports one. */
  info: { name: string; message: string }
}

/** Channel that announces a job's progress to every node. Each node notifies the user's connections. */
export const progressChannel = 'portal_progress'
export const jobsChannel = 'portal_jobs'

/** Call it after the commit. If the announcement is lost, the workers still find the job by polling. */
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

/** Returns the progress of the caller's open jobs, for a client that has just connected. */
export const listRunningProgress = async (app: AppContext, caller: Caller): Promise<JobProgress[]> => {
  const openJobs = await runForCompany(app, caller, (db) => listOpenJobs(db, caller))
  return openJobs.map((job) => toJobProgress(job, 'active'))
}
