import { chooseMail } from '#server/composition/choose-mail.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import type { NodeSettings } from '#server/config/node-config.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  backupJobKinds,
  createMailJobKinds,
  hostingJobKinds,
  type JobKinds,
  paymentJobKinds,
  requestJobKinds,
  restoreJobKinds,
  scheduledJobKinds,
} from '#server/jobs/job-registry.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { runJobs } from '#server/jobs/runner.ts'
import { schedule } from '#server/jobs/schedule.ts'
import { watchWaitingJobs } from '#server/jobs/watch-waiting-jobs.ts'

/**
 * Starts the schedule and the jobs of this process. With `elsewhere` it leaves to workers what any process can do. Work on hosted services
 * always runs where they are hosted. Returns a stop function.
 */
export function startJobs(
  app: AppContext,
  demo: DemoExtension | null,
  jobs: NodeSettings['jobs'],
): () => Promise<void> {
  const isLocal = jobs === 'local'
  const scheduledJobs = [...schedule, ...(demo?.scheduledJobs ?? [])].filter(({ runs }) => isLocal || runs === 'node')
  const clusterKinds = [
    { ...requestJobKinds, ...scheduledJobKinds },
    paymentJobKinds,
    createMailJobKinds(chooseMail(app.config, app.clock)),
  ]
  const kindGroups: JobKinds[] = [
    ...(isLocal ? clusterKinds : []),
    ...(app.config.hosting === 'local' ? [hostingJobKinds, backupJobKinds, restoreJobKinds] : []),
  ]
  const stopFunctions = [
    runSchedule(app, isLocal ? scheduledJobs : [...scheduledJobs, watchWaitingJobs]),
    ...(kindGroups.length > 0 ? [runJobs(app, ...kindGroups)] : []),
  ]
  return async () => void (await Promise.all(stopFunctions.map((stop) => stop())))
}
