/**
 * Runs jobs: claims a job in a transaction, runs a step outside of a transaction, and stores its result in a transaction. If a process is
 * killed, its lease expires, and another process continues after the last stored step. A result under an older claim is never stored (the
 * fence), so a job ends only once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isStored } from '#contract/verdict.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  type ClaimedJob,
  claimJob,
  deleteJob,
  finishJob,
  resetLeases,
  keepLease,
  requeueJob,
  recordPercent,
  recordStep,
} from '#server/db/jobs.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { type JobKind, type JobStepResult, RetryLaterError } from '#server/jobs/job-kind.ts'
import { findJobEndpoint, type JobKinds } from '#server/jobs/job-registry.ts'
import { applyOutputSchema } from '#server/context/response-schema.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { notifyOfTask } from '#server/use-cases/notifications/notify.ts'
import {
  jobsChannel,
  type JobProgress,
  progressChannel,
  type UserJobProgress,
  toJobProgress,
} from '#server/use-cases/job-requests.ts'

/** Times in ms. The heartbeat renews the lease while a step runs. */
export const jobTimingsMs = { lease: 15_000, heartbeat: 5_000, poll: 5_000, stop: 5_000, firstRetry: 2_000 }
/** Number of times that a step may fail or be interrupted before the job ends, unless the job's kind defines another number. */
const maxTries = 5
const getDefaultDelay = (tries: number) => (tries >= maxTries ? null : jobTimingsMs.firstRetry * 2 ** tries)
const getStepRetryDelay = ({ getRetryDelay: getDelay = getDefaultDelay }: JobKind, tries: number) => getDelay(tries)
const workersPerGroup = 2

/** Claims one job and runs it until it ends or `stopSignal` aborts. Returns false if there was no job. */
export async function runOneJob(
  app: AppContext,
  kinds: JobKinds,
  stopSignal = new AbortController().signal,
): Promise<boolean> {
  const names = Object.keys(kinds)
  const job = await writeAsSystem(app, (db) =>
    claimJob(db, { kinds: names, now: app.clock(), leaseMs: jobTimingsMs.lease }),
  )
  if (!job) return false
  const kind = kinds[job.kind]
  if (!kind) throw new Error(`the job kind ${job.kind} is not registered`)
  await runClaimedJob({ app, kind, job, stopSignal })
  return true
}

interface JobRun {
  app: AppContext
  kind: JobKind
  job: ClaimedJob
  stopSignal: AbortSignal
}

async function runClaimedJob(run: JobRun): Promise<void> {
  const { app, kind, job, stopSignal } = run
  if ((job.orphaned && !kind.isResumable) || getStepRetryDelay(kind, job.tries - 1) === null)
    return await failRun(run, new ProblemError('INTERRUPTED'))
  for (;;) {
    if (stopSignal.aborted) return void (await writeAsSystem(app, (db) => requeueJob(db, job, 0)))
    const step = await runWithLease(run, () => kind.step(createJobContext(run))).catch((error: unknown) =>
      toStepFailure(error),
    )
    if ('failed' in step) return await handleStepError(run, step.failed)
    if (step.kind === 'done') return await completeRun(run, step.output)
    if (!(await recordProgress(run, step))) return
    await pauseBetweenSteps(app, stopSignal)
  }
}

/** Lets user requests run between two steps, because the embedded database has one connection for all. */
const pauseBetweenSteps = ({ config }: AppContext, stopSignal: AbortSignal) =>
  wait(config.jobRestMs, undefined, { signal: stopSignal }).catch(() => undefined)

/** Progress only informs waiting users, so a failure to announce it does not fail the step. */
const createJobContext = ({ app, kind, job }: JobRun) => ({
  app,
  input: job.input,
  point: job.point,
  tries: job.tries,
  async reportProgress(percent: number, info?: JobProgress['info']) {
    if (kind.isQuiet) return
    job.percent = Math.max(Math.floor(percent), job.percent)
    const isCurrent = await writeAsSystem(app, (db) => recordPercent(db, job, job.percent)).catch(() => false)
    if (isCurrent) await announceProgress(app, job, 'active', info)
  },
})

async function runWithLease<T>({ app, job }: JobRun, work: () => Promise<T>): Promise<T> {
  const heartbeat = setInterval(() => {
    writeAsSystem(app, (db) => keepLease(db, job, app.clock() + jobTimingsMs.lease)).catch((error: unknown) =>
      app.log.warn(
        { event: 'job_lease_renewal_failed', err: error, job: job.id },
        'could not renew the lease of a job',
      ),
    )
  }, jobTimingsMs.heartbeat)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
  }
}

async function recordProgress(
  { app, job }: JobRun,
  { point, percent, info }: JobStepResult<unknown, unknown> & { kind: 'on' },
) {
  const leaseUntil = app.clock() + jobTimingsMs.lease
  if (!(await writeAsSystem(app, (db) => recordStep(db, job, { point, percent, leaseUntil })))) return false
  Object.assign(job, { point, percent: Math.max(percent, job.percent), tries: 0 })
  await announceProgress(app, job, 'active', info)
  return true
}

async function completeRun(run: JobRun, output: unknown): Promise<void> {
  const { app, kind, job } = run
  const isCurrent = await settleAndEnd(run, null, async (db, settledOutput) => {
    if (kind.isQuiet) return await deleteJob(db, job)
    const endpoint = findJobEndpoint(job.kind)
    if (!endpoint) throw new Error(`no endpoint returns the result of the job kind ${job.kind}`)
    const finalOutput = kind.settle ? settledOutput : output
    const body = endpoint.output === null ? null : JSON.stringify(applyOutputSchema(endpoint, finalOutput))
    return await finishJob(db, job, { state: 'done', status: body === null ? 204 : 200, body, now: app.clock() })
  })
  if (isCurrent && !kind.isQuiet) await announceProgress(app, { ...job, percent: 100 }, 'success')
}

class JobOvertakenError extends Error {}

/** Stores the job's end and its effects. Returns false, without writing, if another process has claimed the job. */
async function settleAndEnd(
  run: JobRun,
  problem: ProblemError | null,
  writeEnd: (db: DatabaseHandle, settledOutput: unknown) => Promise<boolean>,
): Promise<boolean> {
  const { app, kind } = run
  const context = createJobContext(run)
  try {
    await writeAsSystem(app, async (db) => {
      const settledOutput = await kind.settle?.(db, context, problem)
      if (!(await writeEnd(db, settledOutput))) throw new JobOvertakenError()
      const task = findJobEndpoint(run.job.kind)?.name
      if (!kind.isQuiet && task) await notifyOfTask(db, { ...run.job, task }, problem?.code ?? null, app.clock())
    })
    kind.onEnded?.(context)
    return true
  } catch (error) {
    if (error instanceof JobOvertakenError) return false
    throw error
  }
}

interface StepFailure {
  failed: unknown
}
const toStepFailure = (error: unknown): StepFailure => ({ failed: error })

/** A refusal is the final response. Other errors are retried if the step may be repeated. */
async function handleStepError(run: JobRun, error: unknown): Promise<void> {
  const { app, kind, job } = run
  if (error instanceof ProblemError && isStored(error.status, error.code)) return await failRun(run, error)
  const minWaitMs = error instanceof RetryLaterError ? error.delayMs : 0
  app.log[error instanceof RetryLaterError ? 'warn' : 'error'](
    { event: 'job_step_failed', err: error, job: job.id, kind: job.kind },
    'a step of a job failed',
  )
  if (!kind.isResumable) return await failRun(run, new ProblemError('INTERRUPTED'))
  const waitMs = getStepRetryDelay(kind, job.tries)
  if (waitMs === null) return await failRun(run, new ProblemError('SERVER_ERROR'))
  await writeAsSystem(app, (db) => requeueJob(db, job, app.clock() + Math.max(waitMs, minWaitMs)))
}

async function failRun(run: JobRun, problem: ProblemError): Promise<void> {
  const { app, kind, job } = run
  const { code, status, data } = problem
  if (kind.isQuiet)
    app.log.error(
      { event: 'job_failed', job: job.id, kind: job.kind, tries: job.tries, problem: code },
      'a job failed for good',
    )
  const body = JSON.stringify({ code, data })
  const isCurrent = await settleAndEnd(run, problem, (db) =>
    kind.isQuiet ? deleteJob(db, job) : finishJob(db, job, { state: 'failed', status, body, now: app.clock() }),
  )
  if (isCurrent && !kind.isQuiet) await announceProgress(app, job, 'exception')
}

/** The caller awaits this, so that announcements stay in order. A failure is only logged, because a poll returns the same progress. */
async function announceProgress(
  app: AppContext,
  job: ClaimedJob,
  status: JobProgress['data']['status'],
  info?: JobProgress['info'],
): Promise<void> {
  const message: UserJobProgress = {
    companyId: job.company_id,
    userId: job.user_id,
    progress: toJobProgress(job, status, info),
  }
  await app.database.announce(progressChannel, JSON.stringify(message)).catch((error: unknown) => {
    app.log.warn({ event: 'job_progress_failed', err: error, job: job.id }, 'could not announce the progress of a job')
  })
}

/** Runs jobs as soon as they are announced, and also polls for them. Each group has its own workers. Returns a stop function. */
export const runJobs = (app: AppContext, ...kindGroups: JobKinds[]): (() => Promise<void>) =>
  runJobsWhile(app, () => true, ...kindGroups)

/** The same, but claims jobs only while `canClaim` returns true. */
export function runJobsWhile(app: AppContext, canClaim: () => boolean, ...kindGroups: JobKinds[]): () => Promise<void> {
  const stopController = new AbortController()
  const wakeCallbacks = new Map<number, () => void>()
  const wakeAll = () => wakeCallbacks.forEach((wake) => wake())
  const unsubscribe = app.database.listen(jobsChannel, wakeAll, wakeAll)
  const waitForWake = (worker: number) => new Promise<void>((resolve) => wakeCallbacks.set(worker, resolve))

  async function runWorker(kinds: JobKinds, worker: number): Promise<void> {
    while (!stopController.signal.aborted) {
      // The worker subscribes before it checks, so that a job that arrives during the check causes another check.
      const nextCheck = Promise.race([
        waitForWake(worker),
        wait(jobTimingsMs.poll, undefined, { signal: stopController.signal, ref: false }),
      ])
        // The abort may come while nothing awaits this promise. An unhandled rejection would end the process (S-92).
        .catch(() => undefined)
      const hasWorked =
        canClaim() &&
        app.database.hasFreeSpace() &&
        (await runOneJob(app, kinds, stopController.signal).catch(logMissedJob))
      if (!hasWorked) await nextCheck
    }
  }
  const logMissedJob = (error: unknown) => {
    app.log[error instanceof ProblemError ? 'warn' : 'error'](
      { event: 'job_run_failed', err: error },
      'could not run a job',
    )
    return false
  }
  // Only one process at a time has the embedded folder open, so no lease from before this start is valid.
  const leasesReset =
    app.database.engine === 'embedded' ? writeAsSystem(app, resetLeases).catch(logMissedJob) : Promise.resolve()
  const workerKinds = kindGroups.flatMap((kinds) => Array.from({ length: workersPerGroup }, () => kinds))
  const allWorkers = leasesReset.then(() => Promise.all(workerKinds.map(runWorker)))
  return async () => {
    stopController.abort()
    unsubscribe()
    wakeAll()
    await Promise.race([allWorkers, wait(jobTimingsMs.stop, undefined, { ref: false })])
  }
}
