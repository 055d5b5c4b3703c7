/** Runs the scheduled jobs. In one process a job never runs twice at a time, and no job starts while the disk is nearly full. */
import { setTimeout as wait } from 'node:timers/promises'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

/** Time in ms within which all wake-ups cause one run. */
const groupingMs = 300
/** Maximum time in ms that active runs get to end when the server stops. */
const maxStopMs = 5000

export function runSchedule(app: AppContext, jobs: readonly ScheduledJob[]): () => Promise<void> {
  const neededJobs = jobs.filter(({ isNeeded }) => isNeeded === undefined || isNeeded(app.config))
  const stopFunctions = neededJobs.map((job) => runOnSchedule(app, job))
  return async () => {
    const timeoutController = new AbortController()
    const timeoutPromise = wait(maxStopMs, undefined, { signal: timeoutController.signal }).catch(() => undefined)
    await Promise.race([Promise.all(stopFunctions.map((stop) => stop())), timeoutPromise])
    timeoutController.abort()
  }
}

function runOnSchedule(app: AppContext, job: ScheduledJob): () => Promise<void> {
  let isStopping = false
  let currentRun: Promise<void> | null = null
  let wakeTimer: NodeJS.Timeout | null = null

  async function runJob(): Promise<void> {
    try {
      await job.run(app, () => isStopping)
    } catch (error) {
      // A `ProblemError`, for example of a busy database, is temporary.
      const level = error instanceof ProblemError ? 'warn' : (job.failureLevel ?? 'warn')
      app.log[level]({ event: 'scheduled_job_failed', err: error, job: job.name }, 'a scheduled job failed')
    } finally {
      currentRun = null
    }
  }
  const startRun = () => {
    if (app.database.hasFreeSpace()) currentRun ??= runJob()
  }
  const unsubscribe = job.listen?.(app, () => {
    wakeTimer ??= setTimeout(() => {
      wakeTimer = null
      startRun()
    }, groupingMs)
  })
  const timers = [setTimeout(startRun, job.firstMs), setInterval(startRun, job.everyMs)]
  for (const timer of timers) timer.unref()

  return async () => {
    isStopping = true
    unsubscribe?.()
    for (const timer of [...timers, wakeTimer]) if (timer) clearTimeout(timer)
    await currentRun
  }
}
