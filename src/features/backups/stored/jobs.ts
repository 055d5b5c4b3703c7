/** Long requests of this user that make a backup or restore one, as their rows on the device tell. */
import type { BackupType } from '#contract/backups.ts'
import { type Activity, readActivity } from '#local/jobs/read-jobs.ts'
import { useLiveQuery } from '#state/live-query.ts'

type Given = { body?: { service_id?: number; pdb_type?: BackupType } }

const endpoints = ['backUp', 'restoreBackup']

/** What this device has begun for a service and is on its way. */
export function useOpenJob(serviceId: number): { kind: 'backUp' | 'restore'; job: Activity; type: BackupType } | null {
  const all = useLiveQuery(async () => await readActivity(), [])
  const job = all?.find(
    ({ open, endpoint, input }) =>
      open && endpoints.includes(endpoint) && (input as Given).body?.service_id === serviceId,
  )
  if (!job) return null
  const kind = job.endpoint === 'backUp' ? 'backUp' : 'restore'
  return { kind, job, type: (job.input as Given).body?.pdb_type ?? 'pdb2s3' }
}
