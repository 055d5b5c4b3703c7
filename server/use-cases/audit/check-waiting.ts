/** That what waits for a place in the log was written by the portal, and is as it wrote it (decision 67). */
import type { AuditLeaf } from '#domain/audit-log/leaf.ts'
import type { Pending } from '#server/db/audit/audit-log.ts'
import { isSealed } from '#server/db/audit/entry-seals.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import type { Keyed } from '#server/use-cases/audit/log-identity.ts'

/** An entry whose text is there, and is the portal's. */
export interface SealedEntry {
  id: number
  leaf: string
}

export interface WaitingEntries {
  sealed: SealedEntry[]
  /** Ids of entries that are missing, were changed, or come from somebody else. */
  unsealed: number[]
}

export function sortWaiting(app: Keyed, companyId: number, entries: readonly Pending[]): WaitingEntries {
  const sorted: WaitingEntries = { sealed: [], unsealed: [] }
  for (const { id, leaf, seal } of entries) {
    if (leaf !== null && isSealed(app.config, leaf, seal) && isOf(leaf, companyId, id)) sorted.sealed.push({ id, leaf })
    else sorted.unsealed.push(id)
  }
  return sorted
}

/** Throws ChangedLogError where one of them is not the portal's. `size`: of the log that they wait for. */
export function checkWaiting(
  app: Keyed,
  companyId: number,
  { size, entries }: { size: number; entries: readonly Pending[] },
): SealedEntry[] {
  const { sealed, unsealed } = sortWaiting(app, companyId, entries)
  if (unsealed.length === 0) return sealed
  const detail = `waiting entries ${unsealed.slice(0, 10).join(', ')}`
  throw new ChangedLogError('ENTRY_UNSEALED', detail, { from: size, to: size + 1 })
}

/** A sealed leaf is one that the portal wrote, so it can be read; it may have been laid beside another row. */
function isOf(leaf: string, companyId: number, id: number): boolean {
  const said = JSON.parse(leaf) as AuditLeaf
  return said.company === companyId && said.id === id
}
