/** Converts responses about a long request to poll results, by status, code and headers, never by text. */
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

/** Returns `unknown` if the job may have started (protocol 13). A start is never resent automatically. */
export function readStartResponse(job: Job, response: ResponseData | null): PollResult {
  if (!response) return { kind: 'unknown' }
  // A 4xx of a proxy means that the start never arrived. A 5xx may have come while the server worked on it.
  if (isBlocked(toProblem(response))) return response.status < 500 ? toFailedResult(response) : { kind: 'unknown' }
  // A 401 is sent before the idempotency store is checked. An earlier start of this intent under another key may have succeeded.
  if (response.status === 401)
    return job.key === job.intent ? { kind: 'failed', problem: toProblem(response) } : { kind: 'unknown' }
  if (response.headers.get(headers.key) !== job.key) return { kind: 'unknown' }
  if (isSuccess(response)) return readOutcomeResponse(response)
  const problem = toProblem(response)
  if (problem.code === 'INTENT_DONE') return readStoredResponse(problem)
  if (problem.code === 'IDEMPOTENCY_IN_PROGRESS' || response.status >= 500) return { kind: 'unknown' }
  return { kind: 'failed', problem }
}

/** Reads the server's response to the first request of this intent. The problem of the second request contains it. */
function readStoredResponse(problem: Problem): PollResult {
  const storedResponse = getStoredResponse(problem)
  // The server no longer has the response: the request was executed, but longer ago than responses are stored.
  if (!storedResponse) return { kind: 'gone', problem }
  const text = storedResponse.body === null ? '' : JSON.stringify(storedResponse.body)
  return readOutcomeResponse({ ...createLocalResponse(storedResponse.status, null, storedResponse.headers), text })
}

function readOutcomeResponse(response: ResponseData): PollResult {
  if (response.status !== 202) return { kind: 'done', status: response.status, body: response.text || null }
  const startedJob = readStartedJob(response)
  return startedJob ? { kind: 'running', percent: 0, ...startedJob } : { kind: 'unknown' }
}

/** Returns the job that a 202 response has started. Returns null if the response starts no job. */
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

/** Accepts only a polling address of the portal, so that a response cannot redirect the token elsewhere. */
const parseLocation = ({ headers: responseHeaders }: ResponseData): string | null =>
  /^\/api\/request\/[\w-]{8,64}$/.exec(responseHeaders.get('location') ?? '')?.[0] ?? null

const toFailedResult = (response: ResponseData): PollResult => ({ kind: 'failed', problem: toProblem(response) })

const isOtherUser = (response: ResponseData) => response.status === 401 || toProblem(response).code === 'WRONG_SESSION'

/** Reads the response to a poll. Only a final response carries the outcome header, so a failed poll is never mistaken for a failed job. */
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

export function readIntentResponse(ports: PipelinePorts, job: Job, response: ResponseData | null): PollResult {
  if (!response) return toLaterResult(ports, job, null)
  if (isBlocked(toProblem(response))) return readBlockedPoll(ports, job, response)
  if (isOtherUser(response)) return { kind: 'sign in' }
  if (isSuccess(response) && (parseJson(response) as { void?: unknown } | undefined)?.void === true)
    return notStartedResult
  // Only a response with the outcome header comes from the idempotency store. Any other does not show the outcome.
  if (!response.headers.has(headers.outcome)) return toLaterResult(ports, job, response)
  if (isSuccess(response)) return readOutcomeResponse(response)
  const problem = toProblem(response)
  if (problem.code === 'INTENT_VOID') return notStartedResult
  return problem.code === 'INTENT_DONE' ? { kind: 'gone', problem } : { kind: 'failed', problem }
}

const notStartedResult: PollResult = { kind: 'failed', problem: createLocalProblem('NOT_STARTED') }

/**
 * Handles a poll that a proxy refused. The job may continue on the server. After some refusals the user sees the reason and can poll again.
 */
function readBlockedPoll(ports: PipelinePorts, job: Job, response: ResponseData): PollResult {
  const blockedTries = (job.blockedTries ?? 0) + 1
  if (blockedTries >= maxBlockedTries) return { kind: 'timeout', problem: toProblem(response) }
  return { ...toLaterResult(ports, job, response), blockedTries }
}

/** Returns a random wait that grows with each failure. A Retry-After header extends it, to at most 60 s. */
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
