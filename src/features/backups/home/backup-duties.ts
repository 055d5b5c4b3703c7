/** What of a company's backups needs somebody, out of the services that the device has: what is broken first. */
import { backupTypes, type BackupType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import type { PlainDate } from '#domain/time.ts'

export interface BackupDuty {
  /** `traffic`: to be paid; `overdue`: no longer in time; `suspended`: by the provider's staff. */
  kind: 'failing' | 'overdue' | 'suspended' | 'unpaid' | 'traffic'
  type: BackupType
  contractId: number
  code: string
  name: string
  /** Until which day; empty: it is not known here. */
  due: string
  isUrgent: boolean
}

export function dutiesOf(services: readonly ServiceRow[], today: PlainDate): BackupDuty[] {
  const duties = services.flatMap((service): BackupDuty[] => {
    const { contract_id: contractId, code, failing_backups: failing, traffic_due: until } = service
    if (contractId === 0) return []
    const due = until?.slice(0, 10) ?? ''
    const about = { contractId, code, name: service.name || code }
    const isOver = due !== '' && due < today
    const urgent = (kind: BackupDuty['kind'], type: BackupType): BackupDuty => ({
      ...about,
      kind,
      type,
      due,
      isUrgent: true,
    })
    const plain = (kind: BackupDuty['kind'], type: BackupType): BackupDuty => ({
      ...urgent(kind, type),
      isUrgent: false,
    })
    return [
      ...failing.map((type) => urgent('failing', type)),
      ...(service.os_traffic === 0 ? [] : [isOver ? urgent('overdue', 'pdb2s3') : plain('traffic', 'pdb2s3')]),
      ...(service.traffic_disabled && !isOver ? [urgent('suspended', 'pdb2s3')] : []),
      ...backupTypes.filter((type) => service[`os_${type}`] !== 0).map((type) => plain('unpaid', type)),
    ]
  })
  return duties.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
}
