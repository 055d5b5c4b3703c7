/** Begins a backup: its row, job and audit entry are written in one transaction. */
import type { PdbType } from '#contract/backups.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import { startStoredBackup, type NewBackup, type StoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { createJobId, createProgressKey } from '#server/use-cases/job-requests.ts'

export const clockBackupJob = 'run-backup-by-clock'

export interface BackupInput {
  backupId: number
  companyId: number
  /** Id of the requesting user, or 0 for the schedule. */
  userId: number
  userCompanyId: number
  /** Whether the response may name the provider's own staff. */
  toProvider: boolean
  trail: { info: Record<string, unknown> } & Pick<AuditEntry, 'company'>
  requestId: string
  intent: string | null
}

/** Deadline of the job in ms, which is longer than a backup takes. Until then a poll reports that the job is running. */
export const backupDeadlineMs = 6 * 3_600_000

interface BackedUpService {
  id: number
  company_id: number
  code: string
}

export const buildNewBackup = (
  { id, company_id, code }: BackedUpService,
  type: PdbType,
  requester: Pick<NewBackup, 'cause' | 'user_id' | 'user_name' | 'by_provider'>,
): NewBackup => ({
  company_id,
  service_id: id,
  service_code: code,
  pdb_type: type,
  progress_key: createProgressKey(),
  ...requester,
})

export const buildTrailInfo = ({
  id,
  service_code,
  pdb_type,
}: Pick<StoredBackup, 'id' | 'service_code' | 'pdb_type'>) => ({
  ServiceCode: service_code,
  BackupType: pdb_type,
  BackupId: id,
})

/** Begins a scheduled backup as the system role. Returns false if such a backup is already running. */
export async function beginBackupByClock(
  db: DatabaseHandle,
  service: BackedUpService,
  type: PdbType,
  now: number,
): Promise<boolean> {
  const scheduleRequester = { cause: 'schedule', user_id: null, user_name: null, by_provider: false } as const
  const backup = await startStoredBackup(db, buildNewBackup(service, type, scheduleRequester), now)
  if (!backup) return false
  const info = { ...buildTrailInfo(backup), By: 'schedule' }
  const id = createJobId()
  const { company_id: companyId } = service
  const input: BackupInput = {
    backupId: backup.id,
    companyId,
    userId: 0,
    userCompanyId: companyId,
    toProvider: false,
    trail: { info },
    requestId: id,
    intent: null,
  }
  const jobOwner = { companyId: 0, userId: 0, intent: id, progressKey: backup.progress_key }
  await tryInsertJob(db, { ...jobOwner, id, kind: clockBackupJob, input, now, deadline: now + backupDeadlineMs })
  const entryHeader = { companyId, userId: null, now, status: 0, intent: null, requestId: id } as const
  await addAuditEntries(db, entryHeader, [{ code: 'backup', operation: 'backup', info }])
  return true
}
