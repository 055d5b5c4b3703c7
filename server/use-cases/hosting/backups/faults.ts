import { type BackupFault, backupFaults } from '#contract/backups.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { HostingError, type HostingFault } from '#server/drivers/hosting/hosting-driver.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import { BackupArchiveError } from '#server/use-cases/hosting/backups/archive-error.ts'

const faultsByHostFault: Record<HostingFault, BackupFault> = {
  overtaken: 'interrupted',
  no_instance: 'no_instance',
  no_room: 'no_room',
  no_memory: 'no_room',
  bad_package: 'damaged',
  bad_data: 'damaged',
  no_image: 'unreachable',
  throttled: 'unreachable',
  unreachable: 'unreachable',
}

/** Returns the fault for an error of a store, host or archive. Returns null for any other error, which may be a bug. */
export function toBackupFault(error: unknown): BackupFault | null {
  if (error instanceof StoreError) return error.fault
  if (error instanceof HostingError) return faultsByHostFault[error.fault]
  if (error instanceof BackupArchiveError) return error.fault === 'too_large' ? 'no_room' : error.fault
  return null
}

/** Returns the fault in a problem, or `interrupted` if the problem has an unknown reason. */
export function readBackupFault({ data }: ProblemError): BackupFault {
  const reason = (data as { why?: unknown } | null)?.why
  return backupFaults.find((fault) => fault === reason) ?? 'interrupted'
}
