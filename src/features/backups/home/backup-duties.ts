/** Lists duties about a company's services and backups, from the rows of the device; urgent ones first. */
import type { PdbType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

interface ServiceDutyBase {
  contractId: number
  code: string
  name: string
  isUrgent: boolean
}

export type BackupDuty = ServiceDutyBase &
  (
    | { kind: 'failing' | 'suspended'; type: PdbType }
    /** `stopDate`: null if the service has stopped or was removed. `days`: days until the data of the service is deleted. */
    | { kind: 'deletion'; isExpired: boolean; stopDate: PlainDate | null; deletionDate: PlainDate; days: number }
  )

/** A deletion is urgent if it is at most this many days away. */
const nearDays = 7

/** Lists the duties. Overdue traffic also suspends backups, but is not listed here: it is reported as a payment. */
export function listBackupDuties(services: readonly ServiceRow[], today: PlainDate): BackupDuty[] {
  const duties = services.flatMap((service): BackupDuty[] => {
    const {
      contract_id: contractId,
      code,
      failing_backups: failingTypes,
      traffic_due: trafficDue,
      erase_date: deletionDate,
    } = service
    const baseDuty = { contractId, code, name: service.name || code }
    const urgentDuty = { ...baseDuty, isUrgent: true }
    const days = deletionDate === null ? -1 : countDaysLeft(today, deletionDate)
    const isOverdue = trafficDue !== null && trafficDue.slice(0, 10) < today
    const isSuspended = service.traffic_disabled && !isOverdue
    return [
      ...(deletionDate !== null && days >= 0 ? [toDeletionDuty(service, { ...baseDuty, deletionDate, days })] : []),
      ...(contractId === 0 ? [] : failingTypes.map((type) => ({ ...urgentDuty, kind: 'failing' as const, type }))),
      ...(contractId === 0 || !isSuspended ? [] : [{ ...urgentDuty, kind: 'suspended', type: 'pdb2s3' } as const]),
    ]
  })
  return duties.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
}

const toDeletionDuty = (
  { status, stop_date: stopDate }: ServiceRow,
  baseDuty: Omit<ServiceDutyBase, 'isUrgent'> & { deletionDate: PlainDate; days: number },
): BackupDuty => ({
  ...baseDuty,
  kind: 'deletion',
  isExpired: status === 2,
  stopDate,
  isUrgent: baseDuty.days <= nearDays,
})
