/** Decides when a scheduled job of the cluster may run on this node. */
import type { AppContext } from '#server/context/context.ts'
import { claimScheduledRun, endScheduledRun } from '#server/db/cluster/scheduled-runs.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { type JobLeases, toLeaseName } from '#server/jobs/job-leases.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

/**
 * Minimum interval in ms of jobs whose runs are recorded. More frequent jobs run whenever the holder of their lease has time: an early run
 * after a change of the holder does no harm, and recording each run would cost more than the job.
 */
const minRecordedMs = 5000
/** Part of the interval by which a run may be early, because the timers of a process are not exact. */
const tolerance = 0.1

export const isRecorded = ({ everyMs }: Pick<ScheduledJob, 'everyMs'>): boolean => everyMs >= minRecordedMs

export interface ClusterRun {
  /** Time in ms until the job is due. 0 means that the run was claimed and must now start. */
  waitMs: number
  /** Records that the run has ended. Without this, the job runs again on the next node that gets the lease. */
  end(): Promise<void>
}

/** `isWoken`: the run does not wait for the interval. */
export async function claimClusterRun(
  app: AppContext,
  leases: Pick<JobLeases, 'holder'>,
  { name, everyMs }: ScheduledJob,
  isWoken: boolean,
): Promise<ClusterRun> {
  const startedAt = app.clock()
  const intervalMs = isWoken ? 0 : Math.round(everyMs * (1 - tolerance))
  const request = { name, lease: toLeaseName(name), holder: leases.holder, now: startedAt, intervalMs }
  return {
    waitMs: await writeAsSystem(app, (db) => claimScheduledRun(db, request)),
    end: () => writeAsSystem(app, (db) => endScheduledRun(db, name, startedAt, app.clock())),
  }
}
