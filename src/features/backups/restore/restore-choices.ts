/** Lists the targets of a restore, with reasons why others are refused (contracts 4, D21; the rule is in `domain/backups.ts`). */
import type { StoredBackupRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { type RestoreRefusal, getRestoreRefusal } from '#domain/backups.ts'

/** Returns why the backup cannot be restored into any service, or null if it can. */
export function findRestoreRefusal(
  backup: Pick<StoredBackupRow, 'pdb_type' | 'state'>,
  sourceService: ServiceRow,
): RestoreRefusal | null {
  const readyService = { contract_id: 1, status: 1, system_status: 1, is_expired: false }
  return getRestoreRefusal(backup, { source: sourceService, target: readyService })
}

export interface RestoreChoice {
  service: ServiceRow
  /** Null if the service can be the target. `busy`: another operation is running. */
  refusal: RestoreRefusal | 'busy' | null
}

export function listRestoreChoices(
  backup: StoredBackupRow,
  sourceService: ServiceRow,
  services: readonly ServiceRow[],
): RestoreChoice[] {
  const otherServices = services.filter(
    ({ id, company_id }) => id !== sourceService.id && company_id === sourceService.company_id,
  )
  return [sourceService, ...otherServices].map((service) => ({
    service,
    refusal:
      getRestoreRefusal(backup, { source: sourceService, target: service }) ??
      (service.operation === null ? null : 'busy'),
  }))
}
