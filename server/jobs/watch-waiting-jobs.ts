import { findWaitingJobs } from '#server/db/jobs.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

/** Time in ms for which a job may wait for a process that runs it. A worker claims a job within seconds. */
const maxWaitMs = 5 * 60_000

/** Warns if jobs wait for long. Runs on nodes that leave jobs to workers, because then no worker may be running. */
export const watchWaitingJobs: ScheduledJob = {
  name: 'watch-waiting-jobs',
  runs: 'node',
  firstMs: 60_000,
  everyMs: 5 * 60_000,
  async run(app) {
    const waitingJobs = await readAsSystem(app, (db) => findWaitingJobs(db, app.clock() - maxWaitMs))
    for (const { kind, count } of waitingJobs)
      app.log.warn({ event: 'jobs_waiting', kind, count }, 'jobs have waited for minutes, and no process runs them')
  },
}
