/** Where backups lie: names of archives and of schemas, which tell whose they are and when their making began. */
import type { BackupType } from '#contract/backups.ts'
import type { AppContext } from '#server/context/context.ts'
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'

type Named = Pick<StoredBackup, 'id' | 'company_id' | 'service_id' | 'pdb_type'>

/** A new one with every try, so that what an overtaken try still stores never takes the place of what counts. */
export function newPlace({ id, company_id, service_id, pdb_type }: Named, now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19)
  if (pdb_type === 'pdb2rds') return `copy_service_${service_id}_backup_${id}_${stamp.replace(/\D/g, '')}`
  return `company-${company_id}/service-${service_id}/${stamp.replaceAll(':', '')}Z-${id}.age`
}

export const places: Record<
  BackupType,
  { prefix: string; idIn(place: string): number | null; timeIn(place: string): number }
> = {
  pdb2s3: {
    prefix: 'company-',
    idIn: (place) => numberIn(/^company-\d+\/service-\d+\/[\dT-]+Z-(\d{1,10})\.age$/.exec(place)),
    timeIn: (place) => timeOf(/\/(\d{4})-(\d\d)-(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(place)),
  },
  pdb2rds: {
    prefix: 'copy_service_',
    idIn: (place) => numberIn(/^copy_service_\d+_backup_(\d{1,10})_\d{14}$/.exec(place)),
    timeIn: (place) => timeOf(/_(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(place)),
  },
}

const numberIn = (found: RegExpExecArray | null) => (found ? Number(found[1]) : null)
const timeOf = (found: RegExpExecArray | null) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (found ?? []).slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Takes away what lies there. Throws a StoreError. */
export const clearPlace = ({ backups }: Pick<AppContext, 'backups'>, type: BackupType, place: string): Promise<void> =>
  type === 'pdb2s3' ? backups.store.remove(place) : backups.copies.remove(place)
