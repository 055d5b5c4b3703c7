/**
 * Runs the scheduled jobs. In one process a job never runs twice at a time, and no job starts while the disk is nearly full. On PostgreSQL
 * a job of the cluster runs only on the node that has its lease.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { AppContext } from '#server/context/context.ts'
import { claimClusterRun, isRecorded } from '#server/jobs/cluster-run.ts'
import { holdJobLeases, type JobLeases } from '#server/jobs/job-leases.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

/** Time in ms within which all wake-ups cause one run. */
const groupingMs = 300
/** Maximum time in ms that active runs get to end when the server stops. */
const maxStopMs = 5000

interface ScheduleOptions {
  /** Whether this node may run the hosted services at the moment. */
  canHost?: () => boolean
}

export function runSchedule(
  app: AppContext,
  jobs: readonly ScheduledJob[],
  { canHost = () => true }: ScheduleOptions = {},
): () => Promise<void> {
  const neededJobs = jobs.filter(({ isNeeded }) => isNeeded === undefined || isNeeded(app.config))
  const clusterJobs = neededJobs.filter(({ runs }) => runs === 'cluster').map(({ name }) => name)
  const runners = new Map<string, JobRunner>()
  const leases =
    app.database.engine === 'postgres' && clusterJobs.length > 0
      ? holdJobLeases(app, clusterJobs, (names) => names.forEach((name) => runners.get(name)?.startIfDue()))
      : null
  for (const job of neededJobs) {
    const jobLeases = job.runs === 'cluster' ? leases : null
    const canRun = () => (job.runs === 'hosting' ? canHost() : jobLeases === null || jobLeases.isHeld(job.name))
    runners.set(job.name, runOnSchedule(app, job, { canRun, leases: jobLeases }))
  }
  return async () => {
    const timeoutController = new AbortController()
    const timeoutPromise = wait(maxStopMs, undefined, { signal: timeoutController.signal }).catch(() => undefined)
    await Promise.race([Promise.all([...runners.values()].map(({ stop }) => stop())), timeoutPromise])
    timeoutController.abort()
    await leases?.release()
  }
}

interface JobRunner {
  /** Starts a run, unless the server has just started or the previous run was less than an interval ago. */
  startIfDue(): void
  stop(): Promise<void>
}

interface RunConditions {
  canRun: () => boolean
  /** Null if each node runs the job, or there is only one. */
  leases: JobLeases | null
}

function runOnSchedule(app: AppContext, job: ScheduledJob, { canRun, leases }: RunConditions): JobRunner {
  let isStopping = false
  let isFirstRunDue = false
  let currentRun: Promise<void> | null = null
  let wakeTimer: NodeJS.Timeout | null = null
  let dueTimer: NodeJS.Timeout | null = null

  async function runOnce(isWoken: boolean): Promise<void> {
    const isInterrupted = () => isStopping || !canRun()
    if (!leases || !isRecorded(job)) return void (await job.run(app, isInterrupted))
    const { waitMs, end } = await claimClusterRun(app, leases, job, isWoken)
    if (waitMs > 0) return startLater(waitMs)
    try {
      await job.run(app, isInterrupted)
    } finally {
      if (!isInterrupted()) await end()
    }
  }
  async function runJob(isWoken: boolean): Promise<void> {
    try {
      await runOnce(isWoken)
    } catch (error) {
      // A `ProblemError`, for example of a busy database, is temporary.
      const level = error instanceof ProblemError ? 'warn' : (job.failureLevel ?? 'warn')
      app.log[level]({ event: 'scheduled_job_failed', err: error, job: job.name }, 'a scheduled job failed')
    } finally {
      currentRun = null
    }
  }
  const startRun = (isWoken = false) => {
    if (!isStopping && canRun() && app.database.hasFreeSpace()) currentRun ??= runJob(isWoken)
  }
  /** A node that took over runs the job when the interval after its last run on the former node is over. */
  const startLater = (waitMs: number) => {
    dueTimer ??= setTimeout(() => {
      dueTimer = null
      startRun()
    }, waitMs).unref()
  }
  const unsubscribe = job.listen?.(app, () => {
    wakeTimer ??= setTimeout(() => {
      wakeTimer = null
      startRun(true)
    }, groupingMs)
  })
  const startFirstRun = () => {
    isFirstRunDue = true
    startRun()
  }
  const timers = [setTimeout(startFirstRun, job.firstMs), setInterval(() => startRun(), job.everyMs)]
  for (const timer of timers) timer.unref()

  return {
    startIfDue() {
      if (isFirstRunDue) startRun()
    },
    async stop() {
      isStopping = true
      unsubscribe?.()
      for (const timer of [...timers, wakeTimer, dueTimer]) if (timer) clearTimeout(timer)
      await currentRun
    },
  }
}
