/**
 * Long requests (protocol 39). The page stores a job row, then its start is sent, once; no fetch is held for the rest,
 * and whoever wants the answer waits on the row, which `job-poller.ts` keeps asking about.
 */
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

/** Stores the request; the page does it, before anything leaves. `problem`: nobody is signed in, or no room. */
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
 * Sends the start of a recorded request, once. The answer says only that it was dealt with: how it stands is in its row.
 * Null: it was not recorded here, and is sent like any other.
 */
export async function startJob(ports: PipelinePorts, request: RequestData): Promise<ResponseData | null> {
  const intent = request.headers[headers.intent] ?? request.headers[headers.key]
  const session = intent ? await readCurrentSession(ports) : null
  const job = intent && session ? await session.db.jobs.get(intent) : undefined
  if (!session || !job) return null
  // Nobody asks about it while its answer may still come: that would withdraw what is on its way.
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
 * Waits until the request has come to something, however long that takes and whatever happens to page and worker
 * meanwhile. A refusal that is told here leaves the list: its form has it (protocol 20).
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
      // The first hearing may come before there is anything to stop.
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

/** An outcome, or that nobody can say whether it began: then the form is told, and sends the same wish if any. */
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

/** One that is too long to be kept here; the server keeps it for a day. */
async function fetchStoredResponse(ports: PipelinePorts, job: Job): Promise<CallResult<unknown>> {
  const response = job.location === null ? null : await sendExplained(ports, buildJobRequest(job, job.location))
  if (!response) return { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  return isSuccess(response)
    ? { kind: 'fresh', output: parseJson(response) }
    : { kind: 'problem', problem: toProblem(response) }
}

/** The way to the worker broke while the start was on it: whether it was sent is found out at once. */
export async function markStartUnknown(ports: PipelinePorts, intent: string): Promise<void> {
  const session = await readCurrentSession(ports)
  if (!session) return
  await checkStartNow(session.db, intent, ports.clock())
  ports.keepAlive(watchOpenJobs(ports))
}
