/** Starts long requests (protocol 39). The start is sent once; callers wait for the job's row, not for a fetch. */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { claimStart, dismissJob, checkStartNow, followJob, markSeen, recordJob } from '#local/jobs/job-store.ts'
import type { OutboxEntry, Job } from '#local/storage/records.ts'
import { isClosedError } from '#local/storage/storage-errors.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { readStartResponse } from '#request/jobs/job-response.ts'
import {
  type ResponseData,
  isSuccess,
  parseJson,
  type RequestData,
  createLocalResponse,
  toProblem,
} from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type CurrentSession, readCurrentSession } from '#request/session/current-session.ts'
import {
  leaseMs,
  buildJobRequest,
  getJobLockName,
  storePollResult,
  pollUnderLock,
  watchOpenJobs,
} from '#request/jobs/job-poller.ts'

export type RecordJobResult = { job: Job } | { problem: Problem }

/** Stores the request before anything is sent. Runs in the page. Returns `problem` if no user is signed in or there is no space. */
export async function recordRequest(
  ports: PipelinePorts,
  endpoint: Endpoint,
  input: OutboxEntry['input'],
  options: CallOptions = {},
): Promise<RecordJobResult> {
  const session = await readCurrentSession(ports)
  if (!session) return { problem: createLocalProblem('SIGNED_OUT') }
  const intent = options.intent ?? ports.newId()
  const key = ports.newId()
  try {
    const { db, forUser } = session
    return {
      job: await recordJob(db, { intent, key, endpoint: endpoint.name, input, forUser, since: ports.clock() }),
    }
  } catch (error) {
    return { problem: createLocalProblem(isClosedError(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
}

/**
 * Sends the start of a recorded request once. The response only confirms that it was handled; the state is in its row. Returns null if the
 * request was not recorded here; it is then sent like any other.
 */
export async function startJob(ports: PipelinePorts, request: RequestData): Promise<ResponseData | null> {
  const intent = request.headers[headers.intent] ?? request.headers[headers.key]
  const session = intent ? await readCurrentSession(ports) : null
  const job = intent && session ? await session.db.jobs.get(intent) : undefined
  if (!session || !job) return null
  // The lock prevents polls while the response may still arrive. A poll would void the start.
  const startLocked = () => startUnderLock(ports, session, { job, request })
  if (job.key === request.headers[headers.key])
    await ports.locks.hold(getJobLockName(session.db, job.intent), { waitMs: leaseMs }, startLocked)
  return createLocalResponse(202, null)
}

async function startUnderLock(
  ports: PipelinePorts,
  session: CurrentSession,
  { job, request }: { job: Job; request: RequestData },
): Promise<void> {
  const claimedJob = await claimStart(session.db, job, { now: ports.clock(), leaseMs })
  if (!claimedJob) return
  const forUser = { [headers.forUser]: claimedJob.forUser }
  const signedRequest = { ...request, headers: { ...request.headers, ...forUser } }
  const response = await sendExplained(ports, signedRequest)
  const result = readStartResponse(claimedJob, response)
  await storePollResult(ports, session, claimedJob, result)
  if (result.kind === 'unknown') await pollUnderLock(ports, session, job.intent)
}

/**
 * Waits for the job's result, also if page or worker are restarted meanwhile. A failed job is deleted from the device, because the form
 * shows its problem (protocol 20).
 */
export async function waitForJob(
  ports: PipelinePorts,
  { intent }: Pick<Job, 'intent'>,
  { until = 'done', signal }: Pick<CallOptions, 'until' | 'signal'>,
): Promise<CallResult<unknown>> {
  const session = await readCurrentSession(ports)
  if (!session) return { kind: 'problem', problem: createLocalProblem('SIGNED_OUT'), intent }
  const { db } = session
  const job = await new Promise<Job | null>((resolve) => {
    const stop = followJob(db, intent, (currentJob) => {
      if (currentJob && !shouldResolve(currentJob, until)) return
      // The listener may be called before `stop` exists.
      queueMicrotask(() => stop())
      resolve(currentJob)
    })
    signal?.addEventListener('abort', () => {
      stop()
      void db.jobs.get(intent).then((currentJob) => resolve(currentJob ?? null))
    })
  })
  if (job?.state === 'done') await markSeen(db, [intent])
  if (job?.state === 'failed') await dismissJob(db, intent)
  return job ? await toJobResult(ports, job) : { kind: 'problem', problem: createLocalProblem('NOT_STARTED') }
}

/**
 * Returns true if the job has a result, or if a failed poll leaves unknown whether it started. The form then shows the problem, and can
 * send the same intent again.
 */
const shouldResolve = ({ state, location, problem, failures }: Job, until: CallOptions['until']): boolean =>
  state === 'done' ||
  problem !== null ||
  (state === 'unknown' && failures > 0) ||
  (until === 'started' && location !== null)

async function toJobResult(ports: PipelinePorts, job: Job): Promise<CallResult<unknown>> {
  const { intent, state, problem, answer: storedResponse } = job
  if (problem) return { kind: 'problem', problem, intent }
  if (state === 'unknown') return { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION'), intent }
  if (!storedResponse) return { kind: 'started', jobId: intent }
  if (storedResponse.body === null && storedResponse.status !== 204) return await fetchStoredResponse(ports, job)
  return { kind: 'fresh', output: storedResponse.body === null ? null : JSON.parse(storedResponse.body) }
}

/** Fetches a response that is too long to be stored on the device. The server keeps it for a day. */
async function fetchStoredResponse(ports: PipelinePorts, job: Job): Promise<CallResult<unknown>> {
  const response = job.location === null ? null : await sendExplained(ports, buildJobRequest(job, job.location))
  if (!response) return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  return isSuccess(response)
    ? { kind: 'fresh', output: parseJson(response) }
    : { kind: 'problem', problem: toProblem(response) }
}

/** Called when the connection to the worker broke during the start. Polls immediately, to find out whether the start was sent. */
export async function markStartUnknown(ports: PipelinePorts, intent: string): Promise<void> {
  const session = await readCurrentSession(ports)
  if (!session) return
  await checkStartNow(session.db, intent, ports.clock())
  ports.keepAlive(watchOpenJobs(ports))
}
