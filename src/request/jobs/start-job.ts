/**
 * Long requests (protocol 39). The page stores a job row, then its start is sent, once; no fetch is held for the rest,
 * and whoever wants the answer waits on the row, which `job-poller.ts` keeps asking about.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import { claimStart, dismissJob, doubtStart, followJob, markSeen, recordJob } from '#local/jobs/job-store.ts'
import type { OutboxEntry, Job } from '#local/storage/records.ts'
import { isClosed } from '#local/storage/storage-errors.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { readStartResponse } from '#request/jobs/job-response.ts'
import {
  type ResponseData,
  isGood,
  jsonOf,
  type RequestData,
  localResponse,
  problemOf,
} from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import type { CallOptions, Result } from '#request/results.ts'
import { type CurrentSession, currentSession } from '#request/session/current-session.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import { ask, leaseMs, jobRequest, lockOf, note, pollAlone, watch } from '#request/jobs/job-poller.ts'

export type RecordedJob = { job: Job } | { problem: Problem }

/** Stores the request; the page does it, before anything leaves. `problem`: nobody is signed in, or no room. */
export async function record(
  ports: Ports,
  endpoint: Endpoint,
  asked: OutboxEntry['input'],
  asking: CallOptions = {},
): Promise<RecordedJob> {
  const desk = await currentSession(ports)
  if (!desk) return { problem: localProblem('SIGNED_OUT') }
  const intent = asking.intent ?? ports.newId()
  const key = ports.newId()
  try {
    const { db, forUser } = desk
    return {
      job: await recordJob(db, { intent, key, endpoint: endpoint.name, input: asked, forUser, since: ports.clock() }),
    }
  } catch (error) {
    return { problem: localProblem(isClosed(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
}

/**
 * Sends the start of a recorded request, once. The answer says only that it was dealt with: how it stands is in its row.
 * Null: it was not recorded here, and is sent like any other.
 */
export async function start(ports: Ports, letter: RequestData): Promise<ResponseData | null> {
  const intent = letter.headers[headers.intent] ?? letter.headers[headers.key]
  const desk = intent ? await currentSession(ports) : null
  const job = intent && desk ? await desk.db.jobs.get(intent) : undefined
  if (!desk || !job) return null
  // Nobody asks about it while its answer may still come: that would withdraw what is on its way.
  const alone = () => startAlone(ports, desk, { job, letter })
  if (job.key === letter.headers[headers.key])
    await ports.locks.hold(lockOf(desk.db, job.intent), { waitMs: leaseMs }, alone)
  return localResponse(202, null)
}

async function startAlone(
  ports: Ports,
  desk: CurrentSession,
  { job, letter }: { job: Job; letter: RequestData },
): Promise<void> {
  const claimed = await claimStart(desk.db, job, { now: ports.clock(), leaseMs })
  if (!claimed) return
  const forUser = { [headers.forUser]: claimed.forUser }
  const request = { ...letter, headers: { ...letter.headers, ...forUser } }
  const answer = await sendOrExplain(ports, request, (one) => sendSignedIn(ports, one))
  const heard = readStartResponse(claimed, answer)
  await note(ports, desk, claimed, heard)
  if (heard.kind === 'unknown') await pollAlone(ports, desk, job.intent)
}

/**
 * Waits until the request has come to something, however long that takes and whatever happens to page and worker
 * meanwhile. A refusal that is told here leaves the list: its form has it (protocol 20).
 */
export async function follow(
  ports: Ports,
  { intent }: Pick<Job, 'intent'>,
  { until = 'done', signal }: Pick<CallOptions, 'until' | 'signal'>,
): Promise<Result<unknown>> {
  const desk = await currentSession(ports)
  if (!desk) return { kind: 'problem', problem: localProblem('SIGNED_OUT'), intent }
  const { db } = desk
  const job = await new Promise<Job | null>((told) => {
    const stop = followJob(db, intent, (now) => {
      if (now && !isTold(now, until)) return
      // The first hearing may come before there is anything to stop.
      queueMicrotask(() => stop())
      told(now)
    })
    signal?.addEventListener('abort', () => {
      stop()
      void db.jobs.get(intent).then((now) => told(now ?? null))
    })
  })
  if (job?.state === 'done') await markSeen(db, [intent])
  if (job?.state === 'failed') await dismissJob(db, intent)
  return job ? await resultOf(ports, job) : { kind: 'problem', problem: localProblem('NOT_STARTED') }
}

/** An outcome, or that nobody can say whether it began: then the form is told, and sends the same wish if any. */
const isTold = ({ state, location, problem, failures }: Job, until: CallOptions['until']): boolean =>
  state === 'done' ||
  problem !== null ||
  (state === 'unknown' && failures > 0) ||
  (until === 'started' && location !== null)

async function resultOf(ports: Ports, job: Job): Promise<Result<unknown>> {
  const { intent, state, problem, answer } = job
  if (problem) return { kind: 'problem', problem, intent }
  if (state === 'unknown') return { kind: 'problem', problem: localProblem('NEEDS_CONNECTION'), intent }
  if (!answer) return { kind: 'started', jobId: intent }
  if (answer.body === null && answer.status !== 204) return await fetchAnswer(ports, job)
  return { kind: 'fresh', output: answer.body === null ? null : JSON.parse(answer.body) }
}

/** One that is too long to be kept here; the server keeps it for a day. */
async function fetchAnswer(ports: Ports, job: Job): Promise<Result<unknown>> {
  const answer = job.location === null ? null : await ask(ports, jobRequest(job, 'GET', job.location))
  if (!answer) return { kind: 'problem', problem: localProblem('OFFLINE') }
  return isGood(answer) ? { kind: 'fresh', output: jsonOf(answer) } : { kind: 'problem', problem: problemOf(answer) }
}

/** The way to the worker broke while the start was on it: whether it was sent is found out at once. */
export async function doubt(ports: Ports, intent: string): Promise<void> {
  const desk = await currentSession(ports)
  if (!desk) return
  await doubtStart(desk.db, intent, ports.clock())
  ports.lasting(watch(ports))
}
