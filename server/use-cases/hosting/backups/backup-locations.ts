/**
 * Builds and parses the names under which backups are stored: files of archives, or database schemas. A name contains the service and the
 * time at which the backup started.
 */
import type { PdbType } from '#contract/backups.ts'
import type { AppContext } from '#server/context/context.ts'
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'

type LocatedBackup = Pick<StoredBackup, 'id' | 'company_id' | 'service_id' | 'pdb_type'>

/** Each try gets a new location, so that an outdated try that still writes never overwrites a valid backup. */
export function createLocation({ id, company_id, service_id, pdb_type }: LocatedBackup, now: number): string {
  const timestamp = new Date(now).toISOString().slice(0, 19)
  if (pdb_type === 'pdb2rds') return `copy_service_${service_id}_backup_${id}_${timestamp.replace(/\D/g, '')}`
  return `company-${company_id}/service-${service_id}/${timestamp.replaceAll(':', '')}Z-${id}.age`
}

export const locationFormats: Record<
  PdbType,
  { prefix: string; parseId(location: string): number | null; parseTime(location: string): number }
> = {
  pdb2s3: {
    prefix: 'company-',
    parseId: (location) => toNumber(/^company-\d+\/service-\d+\/[\dT-]+Z-(\d{1,10})\.age$/.exec(location)),
    parseTime: (location) => toTime(/\/(\d{4})-(\d\d)-(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(location)),
  },
  pdb2rds: {
    prefix: 'copy_service_',
    parseId: (location) => toNumber(/^copy_service_\d+_backup_(\d{1,10})_\d{14}$/.exec(location)),
    parseTime: (location) => toTime(/_(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(location)),
  },
}

const toNumber = (match: RegExpExecArray | null) => (match ? Number(match[1]) : null)
const toTime = (match: RegExpExecArray | null) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (match ?? []).slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Deletes the backup's data at this location. Throws a StoreError. */
export const clearLocation = (
  { backups }: Pick<AppContext, 'backups'>,
  type: PdbType,
  location: string,
): Promise<void> => (type === 'pdb2s3' ? backups.store.remove(location) : backups.copies.remove(location))
