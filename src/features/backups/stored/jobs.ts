/** Long requests of this user that make a backup or restore one, as their rows on the device tell. */
import type { PdbType } from '#contract/backups.ts'
import { type JobActivity, readActivity } from '#local/jobs/read-jobs.ts'
import { useLiveQuery } from '#state/live-query.ts'

type BackupJobInput = { body?: { service_id?: number; pdb_type?: PdbType } }

const backupEndpoints = ['backUp', 'restoreBackup']

/** What this device has begun for a service and is on its way. */
export function useOpenJob(serviceId: number): { kind: 'backUp' | 'restore'; job: JobActivity; type: PdbType } | null {
  const activities = useLiveQuery(async () => await readActivity(), [])
  const job = activities?.find(
    ({ isOpen, endpoint, input }) =>
      isOpen && backupEndpoints.includes(endpoint) && (input as BackupJobInput).body?.service_id === serviceId,
  )
  if (!job) return null
  const kind = job.endpoint === 'backUp' ? 'backUp' : 'restore'
  return { kind, job, type: (job.input as BackupJobInput).body?.pdb_type ?? 'pdb2s3' }
}
