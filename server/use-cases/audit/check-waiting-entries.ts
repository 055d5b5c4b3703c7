/** Checks that the entries that wait for a log index were written by the portal and are unchanged (decision 67). */
import type { AuditLeaf } from '#domain/audit-log/leaf.ts'
import type { PendingAuditEntry } from '#server/db/audit/audit-log.ts'
import { isSealValid } from '#server/db/audit/entry-seals.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import type { AuditKeyContext } from '#server/use-cases/audit/log-identity.ts'

export interface SealedEntry {
  id: number
  leaf: string
}

export interface WaitingEntries {
  sealedEntries: SealedEntry[]
  /** Ids of waiting entries that have no leaf, were changed, or were not written by the portal. */
  unsealedIds: number[]
}

export function sortWaitingEntries(
  app: AuditKeyContext,
  companyId: number,
  entries: readonly PendingAuditEntry[],
): WaitingEntries {
  const sorted: WaitingEntries = { sealedEntries: [], unsealedIds: [] }
  for (const { id, leaf, seal } of entries) {
    if (leaf !== null && isSealValid(app.config, leaf, seal) && isLeafOf(leaf, companyId, id))
      sorted.sealedEntries.push({ id, leaf })
    else sorted.unsealedIds.push(id)
  }
  return sorted
}

/**
 * Returns the entries. Throws ChangedLogError if the portal did not write one of them. `size` is the size of the log that they wait for.
 */
export function requireSealedEntries(
  app: AuditKeyContext,
  companyId: number,
  { size, entries }: { size: number; entries: readonly PendingAuditEntry[] },
): SealedEntry[] {
  const { sealedEntries, unsealedIds } = sortWaitingEntries(app, companyId, entries)
  if (unsealedIds.length === 0) return sealedEntries
  const detail = `the portal did not seal the waiting entries ${unsealedIds.slice(0, 10).join(', ')}`
  throw new ChangedLogError('ENTRY_UNSEALED', detail, { from: size, to: size + 1 })
}

/**
 * Whether the leaf belongs to this row. The leaf has a valid seal, so the portal wrote it and it can be parsed. But it may have been copied
 * to another row.
 */
function isLeafOf(leaf: string, companyId: number, id: number): boolean {
  const recordedLeaf = JSON.parse(leaf) as AuditLeaf
  return recordedLeaf.company === companyId && recordedLeaf.id === id
}
