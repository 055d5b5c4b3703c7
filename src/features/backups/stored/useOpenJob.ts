import type { PdbType } from '#contract/backups.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { useLiveQuery } from '#state/live-query.ts'

type BackupJobInput = { body?: { service_id?: number; pdb_type?: PdbType } }

interface OpenBackupJob {
  kind: 'backUp' | 'restore'
  type: PdbType
  percent: number | null
  /** Start time, epoch ms by the clock of this device. */
  since: number
}

const kindsByEndpoint: Record<string, OpenBackupJob['kind']> = { backUp: 'backUp', restoreBackup: 'restore' }

/** Returns the running backup or restore of a service that was started on this device, or null. */
export function useOpenJob(serviceId: number): OpenBackupJob | null {
  const activities = useLiveQuery(async () => await readActivity(), [])
  for (const { isOpen, endpoint, input, percent, since } of activities ?? []) {
    const { body } = input as BackupJobInput
    const kind = kindsByEndpoint[endpoint]
    if (isOpen && kind && body?.service_id === serviceId)
      return { kind, type: body.pdb_type ?? 'pdb2s3', percent, since }
  }
  return null
}
