/** What of a company's services and their backups needs somebody, out of the rows that the device has: what is broken first. */
import type { BackupType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { daysLeft } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

interface ServiceDutyBase {
  contractId: number
  code: string
  name: string
  isUrgent: boolean
}

export type BackupDuty = ServiceDutyBase &
  (
    | { kind: 'failing' | 'suspended'; type: BackupType }
    /** `stops`: null: it has stopped, or was removed. `days`: left until its data is deleted. */
    | { kind: 'deletion'; isExpired: boolean; stops: PlainDate | null; deleted: PlainDate; days: number }
  )

/** As near as a deletion is urgent, days. */
const nearDays = 7

/** Overdue traffic, which suspends backups too, is named where it is to be paid. */
export function dutiesOf(services: readonly ServiceRow[], today: PlainDate): BackupDuty[] {
  const duties = services.flatMap((service): BackupDuty[] => {
    const { contract_id: contractId, code, failing_backups: failing, traffic_due: due, erase_date: deleted } = service
    const about = { contractId, code, name: service.name || code }
    const urgent = { ...about, isUrgent: true }
    const days = deleted === null ? -1 : daysLeft(today, deleted)
    const isOverdue = due !== null && due.slice(0, 10) < today
    const isSuspended = service.traffic_disabled && !isOverdue
    return [
      ...(deleted !== null && days >= 0 ? [deletionDuty(service, { ...about, deleted, days })] : []),
      ...(contractId === 0 ? [] : failing.map((type) => ({ ...urgent, kind: 'failing' as const, type }))),
      ...(contractId === 0 || !isSuspended ? [] : [{ ...urgent, kind: 'suspended', type: 'pdb2s3' } as const]),
    ]
  })
  return duties.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
}

const deletionDuty = (
  { status, stop_date: stops }: ServiceRow,
  about: Omit<ServiceDutyBase, 'isUrgent'> & { deleted: PlainDate; days: number },
): BackupDuty => ({ ...about, kind: 'deletion', isExpired: status === 2, stops, isUrgent: about.days <= nearDays })
