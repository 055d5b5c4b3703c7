/** Runs scheduled jobs: never two runs of one job at a time, and none while the disk is nearly full. */
import { setTimeout as wait } from 'node:timers/promises'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

/** What happens within this time after a wake-up is one run, ms. */
const gatherMs = 300
/** How long runs that have begun may take to end when the server stops, ms. */
const stopMs = 5000

/** Returns how to stop, which waits for runs that have begun. */
export function runSchedule(app: AppContext, jobs: readonly ScheduledJob[]): () => Promise<void> {
  const needed = jobs.filter(({ isNeeded }) => isNeeded === undefined || isNeeded(app.config))
  const stops = needed.map((job) => runOnSchedule(app, job))
  return async () => {
    const late = new AbortController()
    const bound = wait(stopMs, undefined, { signal: late.signal }).catch(() => undefined)
    await Promise.race([Promise.all(stops.map((stop) => stop())), bound])
    late.abort()
  }
}

function runOnSchedule(app: AppContext, job: ScheduledJob): () => Promise<void> {
  let isStopping = false
  let running: Promise<void> | null = null
  let wakeTimer: NodeJS.Timeout | null = null

  async function run(): Promise<void> {
    try {
      await job.run(app, () => isStopping)
    } catch (error) {
      // A problem of the protocol, such as a database that is busy, passes by itself.
      const level = error instanceof ProblemError ? 'warn' : (job.failureLevel ?? 'warn')
      app.log[level]({ err: error, job: job.name }, 'a scheduled job failed')
    } finally {
      running = null
    }
  }
  const runUnlessRunning = () => {
    if (app.database.hasFreeSpace()) running ??= run()
  }
  const unlisten = job.listen?.(app, () => {
    wakeTimer ??= setTimeout(() => {
      wakeTimer = null
      runUnlessRunning()
    }, gatherMs)
  })
  const timers = [setTimeout(runUnlessRunning, job.firstMs), setInterval(runUnlessRunning, job.everyMs)]
  for (const timer of timers) timer.unref()

  return async () => {
    isStopping = true
    unlisten?.()
    for (const timer of [...timers, wakeTimer]) if (timer) clearTimeout(timer)
    await running
  }
}
