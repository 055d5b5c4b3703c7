/** What the server's answers say about a long request: one word each, by status, code and mark, never by text. */
import { headers } from '#contract/headers.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { PollResult } from '#local/jobs/job-store.ts'
import type { StartedJob } from '#local/jobs/job-state.ts'
import type { Job } from '#local/storage/records.ts'
import { isBlocked, maxBlockedTries } from '#request/transport/blocked.ts'
import { type ResponseData, isGood, jsonOf, localResponse, problemOf } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'

const backoff = { firstMs: 1_000, maxMs: 15_000 }

/**
 * The answer to a start. Where anything may have happened it is unknown, and the server is asked by the intent
 * (protocol 13): a start is never sent twice by itself.
 */
export function readStartResponse(job: Job, answer: ResponseData | null): PollResult {
  if (!answer) return { kind: 'unknown' }
  // It never arrived. A 5xx may have come while the server was at it.
  if (isBlocked(problemOf(answer))) return answer.status < 500 ? failedBy(answer) : { kind: 'unknown' }
  // Said before the idempotency store is looked at: an earlier start of the same wish, under another key, may have begun.
  if (answer.status === 401)
    return job.key === job.intent ? { kind: 'failed', problem: problemOf(answer) } : { kind: 'unknown' }
  if (answer.headers.get(headers.key) !== job.key) return { kind: 'unknown' }
  if (isGood(answer)) return readOutcomeResponse(answer)
  const problem = problemOf(answer)
  if (problem.code === 'INTENT_DONE') return readStoredResponse(problem)
  if (problem.code === 'IDEMPOTENCY_IN_PROGRESS' || answer.status >= 500) return { kind: 'unknown' }
  return { kind: 'failed', problem }
}

/** The stored answer to the first request of this intent, as a refusal of the second one carries it. */
function readStoredResponse(problem: Problem): PollResult {
  const { answer } = (problem.data ?? {}) as {
    answer?: { status: number; headers: Record<string, string>; body: unknown } | null
  }
  // Older than what the idempotency store keeps: it was done, and its answer is gone.
  if (!answer) return { kind: 'gone', problem }
  const text = answer.body === null ? '' : JSON.stringify(answer.body)
  return readOutcomeResponse({ ...localResponse(answer.status, null, answer.headers), text })
}

/** Of a good answer: it has begun, or it was done at once. */
function readOutcomeResponse(answer: ResponseData): PollResult {
  if (answer.status !== 202) return { kind: 'done', status: answer.status, body: answer.text || null }
  const begun = begunBy(answer)
  return begun ? { kind: 'running', percent: 0, ...begun } : { kind: 'unknown' }
}

/** What a 202 tells of the long request that has begun; null: it is none. */
export function begunBy(answer: ResponseData): StartedJob | null {
  const location = answer.status === 202 ? locationOf(answer) : null
  if (location === null) return null
  const { progressKey, deadline } = (jsonOf(answer) ?? {}) as { progressKey?: unknown; deadline?: unknown }
  return {
    location,
    progressKey: typeof progressKey === 'string' ? progressKey : null,
    deadline: typeof deadline === 'number' ? deadline : null,
  }
}

/** Only a place of our own that is meant for asking: an answer must not send the bearer anywhere else. */
const locationOf = ({ headers: given }: ResponseData): string | null =>
  /^\/api\/request\/[\w-]{8,64}$/.exec(given.get('location') ?? '')?.[0] ?? null

const failedBy = (answer: ResponseData): PollResult => ({ kind: 'failed', problem: problemOf(answer) })

const isNotTheirs = (answer: ResponseData) => answer.status === 401 || problemOf(answer).code === 'WRONG_SESSION'

/** The answer to a poll. A final one is marked as such, so that a poll that failed is never taken for it. */
export function readPollResponse(ports: Ports, job: Job, answer: ResponseData | null): PollResult {
  if (!answer) return later(ports, job, null)
  if (isBlocked(problemOf(answer))) return blockedPoll(ports, job, answer)
  if (isNotTheirs(answer)) return { kind: 'sign in' }
  const problem = problemOf(answer)
  if (answer.headers.has(headers.outcome))
    return isGood(answer)
      ? { kind: 'done', status: answer.status, body: answer.text || null }
      : { kind: 'failed', problem }
  if (answer.status === 202) return { kind: 'running', percent: percentOf(answer) }
  if (problem.code === 'REQUEST_TIMEOUT') return { kind: 'timeout', problem }
  if (problem.code === 'GONE' || problem.code === 'NOT_FOUND') return { kind: 'gone', problem }
  return later(ports, job, answer)
}

function percentOf(answer: ResponseData): number {
  const { percent } = (jsonOf(answer) ?? {}) as { percent?: unknown }
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : 0
}

/** What the idempotency store says about the intent of a start. */
export function readIntentResponse(ports: Ports, job: Job, answer: ResponseData | null): PollResult {
  if (!answer) return later(ports, job, null)
  if (isBlocked(problemOf(answer))) return blockedPoll(ports, job, answer)
  if (isNotTheirs(answer)) return { kind: 'sign in' }
  // Withdrawn before it could begin.
  if (isGood(answer) && (jsonOf(answer) as { void?: unknown } | undefined)?.void === true) return notStarted
  // Anything but the idempotency store's own word is no word on it.
  if (!answer.headers.has(headers.outcome)) return later(ports, job, answer)
  if (isGood(answer)) return readOutcomeResponse(answer)
  const problem = problemOf(answer)
  if (problem.code === 'INTENT_VOID') return notStarted
  return problem.code === 'INTENT_DONE' ? { kind: 'gone', problem } : { kind: 'failed', problem }
}

const notStarted: PollResult = { kind: 'failed', problem: localProblem('NOT_STARTED') }

/** The work may go on at the server: its user is told why nothing is heard of it, and can ask again. */
function blockedPoll(ports: Ports, job: Job, answer: ResponseData): PollResult {
  const blockedTries = (job.blockedTries ?? 0) + 1
  if (blockedTries >= maxBlockedTries) return { kind: 'timeout', problem: problemOf(answer) }
  return { ...later(ports, job, answer), blockedTries }
}

/** Growing waits with jitter; what the server says of when is obeyed. */
function later(ports: Ports, { failures }: Job, answer: ResponseData | null): PollResult & { kind: 'later' } {
  const ceiling = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(failures, 10))
  const seconds = Number(answer?.headers.get('retry-after') ?? 0)
  const asked = Number.isFinite(seconds) ? Math.min(seconds, 60) * 1_000 : 0
  return { kind: 'later', waitMs: Math.max(asked, ceiling * (0.5 + ports.chance() / 2)) }
}
