/** What the server's answers say about a long request: one word each, by status, code and mark, never by text. */
import { headers } from '#contract/headers.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { PollResult } from '#local/jobs/job-store.ts'
import type { StartedJob } from '#local/jobs/job-state.ts'
import type { Job } from '#local/storage/records.ts'
import { isBlocked, maxBlockedTries } from '#request/transport/blocked.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  createLocalResponse,
  getStoredResponse,
  toProblem,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'

const backoff = { firstMs: 1_000, maxMs: 15_000 }

/**
 * The answer to a start. Where anything may have happened it is unknown, and the server is asked by the intent
 * (protocol 13): a start is never sent twice by itself.
 */
export function readStartResponse(job: Job, response: ResponseData | null): PollResult {
  if (!response) return { kind: 'unknown' }
  // It never arrived. A 5xx may have come while the server was at it.
  if (isBlocked(toProblem(response))) return response.status < 500 ? toFailedResult(response) : { kind: 'unknown' }
  // Said before the idempotency store is looked at: an earlier start of the same wish, under another key, may have begun.
  if (response.status === 401)
    return job.key === job.intent ? { kind: 'failed', problem: toProblem(response) } : { kind: 'unknown' }
  if (response.headers.get(headers.key) !== job.key) return { kind: 'unknown' }
  if (isSuccess(response)) return readOutcomeResponse(response)
  const problem = toProblem(response)
  if (problem.code === 'INTENT_DONE') return readStoredResponse(problem)
  if (problem.code === 'IDEMPOTENCY_IN_PROGRESS' || response.status >= 500) return { kind: 'unknown' }
  return { kind: 'failed', problem }
}

/** The stored answer to the first request of this intent, as a refusal of the second one carries it. */
function readStoredResponse(problem: Problem): PollResult {
  const storedResponse = getStoredResponse(problem)
  // Older than what the idempotency store keeps: it was done, and its answer is gone.
  if (!storedResponse) return { kind: 'gone', problem }
  const text = storedResponse.body === null ? '' : JSON.stringify(storedResponse.body)
  return readOutcomeResponse({ ...createLocalResponse(storedResponse.status, null, storedResponse.headers), text })
}

/** Of a good answer: it has begun, or it was done at once. */
function readOutcomeResponse(response: ResponseData): PollResult {
  if (response.status !== 202) return { kind: 'done', status: response.status, body: response.text || null }
  const startedJob = readStartedJob(response)
  return startedJob ? { kind: 'running', percent: 0, ...startedJob } : { kind: 'unknown' }
}

/** What a 202 tells of the long request that has begun; null: it is none. */
export function readStartedJob(response: ResponseData): StartedJob | null {
  const location = response.status === 202 ? parseLocation(response) : null
  if (location === null) return null
  const { progressKey, deadline } = (parseJson(response) ?? {}) as { progressKey?: unknown; deadline?: unknown }
  return {
    location,
    progressKey: typeof progressKey === 'string' ? progressKey : null,
    deadline: typeof deadline === 'number' ? deadline : null,
  }
}

/** Only a place of our own that is meant for asking: an answer must not send the bearer anywhere else. */
const parseLocation = ({ headers: responseHeaders }: ResponseData): string | null =>
  /^\/api\/request\/[\w-]{8,64}$/.exec(responseHeaders.get('location') ?? '')?.[0] ?? null

const toFailedResult = (response: ResponseData): PollResult => ({ kind: 'failed', problem: toProblem(response) })

const isOtherUser = (response: ResponseData) => response.status === 401 || toProblem(response).code === 'WRONG_SESSION'

/** The answer to a poll. A final one is marked as such, so that a poll that failed is never taken for it. */
export function readPollResponse(ports: PipelinePorts, job: Job, response: ResponseData | null): PollResult {
  if (!response) return toLaterResult(ports, job, null)
  if (isBlocked(toProblem(response))) return readBlockedPoll(ports, job, response)
  if (isOtherUser(response)) return { kind: 'sign in' }
  const problem = toProblem(response)
  if (response.headers.has(headers.outcome))
    return isSuccess(response)
      ? { kind: 'done', status: response.status, body: response.text || null }
      : { kind: 'failed', problem }
  if (response.status === 202) return { kind: 'running', percent: parsePercent(response) }
  if (problem.code === 'REQUEST_TIMEOUT') return { kind: 'timeout', problem }
  if (problem.code === 'GONE' || problem.code === 'NOT_FOUND') return { kind: 'gone', problem }
  return toLaterResult(ports, job, response)
}

function parsePercent(response: ResponseData): number {
  const { percent } = (parseJson(response) ?? {}) as { percent?: unknown }
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : 0
}

/** What the idempotency store says about the intent of a start. */
export function readIntentResponse(ports: PipelinePorts, job: Job, response: ResponseData | null): PollResult {
  if (!response) return toLaterResult(ports, job, null)
  if (isBlocked(toProblem(response))) return readBlockedPoll(ports, job, response)
  if (isOtherUser(response)) return { kind: 'sign in' }
  // Withdrawn before it could begin.
  if (isSuccess(response) && (parseJson(response) as { void?: unknown } | undefined)?.void === true)
    return notStartedResult
  // Anything but the idempotency store's own word is no word on it.
  if (!response.headers.has(headers.outcome)) return toLaterResult(ports, job, response)
  if (isSuccess(response)) return readOutcomeResponse(response)
  const problem = toProblem(response)
  if (problem.code === 'INTENT_VOID') return notStartedResult
  return problem.code === 'INTENT_DONE' ? { kind: 'gone', problem } : { kind: 'failed', problem }
}

const notStartedResult: PollResult = { kind: 'failed', problem: createLocalProblem('NOT_STARTED') }

/** The work may go on at the server: its user is told why nothing is heard of it, and can ask again. */
function readBlockedPoll(ports: PipelinePorts, job: Job, response: ResponseData): PollResult {
  const blockedTries = (job.blockedTries ?? 0) + 1
  if (blockedTries >= maxBlockedTries) return { kind: 'timeout', problem: toProblem(response) }
  return { ...toLaterResult(ports, job, response), blockedTries }
}

/** Growing waits with jitter; what the server says of when is obeyed. */
function toLaterResult(
  ports: PipelinePorts,
  { failures }: Job,
  response: ResponseData | null,
): PollResult & { kind: 'later' } {
  const maxBackoffMs = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(failures, 10))
  const seconds = Number(response?.headers.get('retry-after') ?? 0)
  const requestedWaitMs = Number.isFinite(seconds) ? Math.min(seconds, 60) * 1_000 : 0
  return { kind: 'later', waitMs: Math.max(requestedWaitMs, maxBackoffMs * (0.5 + ports.random() / 2)) }
}
