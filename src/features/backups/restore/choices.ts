/** Into which services a backup may be restored, and why not into others (contracts 4, D21; the rule stands in `domain/backups.ts`). */
import type { StoredBackupRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { type RestoreRefusal, whyNotRestored } from '#domain/backups.ts'

/** What of the backup itself is against it, whatever takes it in; null: nothing. */
export function whyNotRestorable(
  backup: Pick<StoredBackupRow, 'pdb_type' | 'state'>,
  from: ServiceRow,
): RestoreRefusal | null {
  const ready = { contract_id: 1, status: 1, system_status: 1, is_expired: false }
  return whyNotRestored(backup, { from, into: ready })
}

export interface Choice {
  service: ServiceRow
  /** Null: it can take the backup in. `busy`: something else is being done to it. */
  whyNot: RestoreRefusal | 'busy' | null
}

/** Those of the same company, its own first. */
export function choicesOf(backup: StoredBackupRow, from: ServiceRow, services: readonly ServiceRow[]): Choice[] {
  const others = services.filter(({ id, company_id }) => id !== from.id && company_id === from.company_id)
  return [from, ...others].map((service) => ({
    service,
    whyNot: whyNotRestored(backup, { from, into: service }) ?? (service.operation === null ? null : 'busy'),
  }))
}
