import { chooseMail } from '#server/composition/choose-mail.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import type { RunningNode } from '#server/composition/start-app.ts'
import type { Config } from '#server/config/config.ts'
import type { NodeSettings } from '#server/config/node-config.ts'
import {
  backupJobKinds,
  createMailJobKinds,
  createPushJobKinds,
  hostingJobKinds,
  paymentJobKinds,
  requestJobKinds,
  restoreJobKinds,
  scheduledJobKinds,
} from '#server/jobs/job-registry.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { runJobs, runJobsWhile } from '#server/jobs/runner.ts'
import { schedule } from '#server/jobs/schedule.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { watchWaitingJobs } from '#server/jobs/watch-waiting-jobs.ts'
import { shareLogAlarms } from '#server/use-cases/audit/log-alarms.ts'

/**
 * Starts the schedule and the jobs of this process. With `elsewhere` it leaves to workers what any process can do. Work on hosted services
 * runs only where they are hosted, while `canHost` is true. With `HOSTING=docker` any process can do it. Returns a stop function.
 */
export function startJobs(
  { app, canHost }: Pick<RunningNode, 'app' | 'canHost'>,
  demo: DemoExtension | null,
  jobs: NodeSettings['jobs'],
): () => Promise<void> {
  const isLocal = jobs === 'local'
  const { hosting } = app.config
  const scheduledJobs = listScheduledJobs([...schedule, ...(demo?.scheduledJobs ?? [])], { hosting, jobs })
  const clusterKinds = [
    { ...requestJobKinds, ...scheduledJobKinds },
    paymentJobKinds,
    createMailJobKinds(chooseMail(app.config, app.clock)),
    createPushJobKinds(),
  ]
  const stopFunctions = [
    shareLogAlarms(app),
    runSchedule(app, isLocal ? scheduledJobs : [...scheduledJobs, watchWaitingJobs], { canHost }),
    ...(isLocal ? [runJobs(app, ...clusterKinds)] : []),
    ...(hosting === 'local' || (hosting === 'docker' && isLocal)
      ? [runJobsWhile(app, canHost, hostingJobKinds, backupJobKinds, restoreJobKinds)]
      : []),
  ]
  return async () => void (await Promise.all(stopFunctions.map((stop) => stop())))
}

/** Returns the scheduled jobs of a process, with the way in which each runs here. */
export function listScheduledJobs(
  allJobs: readonly ScheduledJob[],
  { hosting, jobs }: Pick<Config, 'hosting'> & Pick<NodeSettings, 'jobs'>,
): ScheduledJob[] {
  // Every node reaches the Swarm, so one of them does the work on hosted services, by the lease of the job.
  const toClusterJob = (job: ScheduledJob): ScheduledJob =>
    hosting === 'docker' && job.runs === 'hosting' ? { ...job, runs: 'cluster' } : job
  return allJobs.map(toClusterJob).filter(({ runs }) => jobs === 'local' || runs !== 'cluster')
}
