/**
 * What is listed or exported is looked at too, also of a log that is too long to be looked at as a whole: each entry has the hash of its
 * place, or waits for one. What does not is an alarm.
 */
import type { AuditLeaf } from '#domain/audit-log/leaf.ts'
import { hashAt, tileWidth } from '#domain/audit-log/tiles.ts'
import type { AppContext } from '#server/context/context.ts'
import { strayAmong } from '#server/db/audit/audit-checks.ts'
import type { FoundEntry } from '#server/db/audit/audit-list.ts'
import { sizeOf, tileOf } from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import { isActorOf, isHashOfLeaf, isTileInTree } from '#server/use-cases/audit/is-as-recorded.ts'
import { raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'

/** Reads the log after the entries were read: it only grows meanwhile. */
export async function checkListedEntries(
  app: AppContext,
  db: Handle,
  companyId: number,
  entries: readonly FoundEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const unplaced = entries.filter(({ log_index: place }) => place === null).map(({ id }) => id)
  const [stray] = unplaced.length === 0 ? [] : await strayAmong(db, unplaced)
  const size = await sizeOf(db, companyId)
  if (stray !== undefined) raise(app, companyId, `entry ${stray} was never recorded`, { from: 0, to: size })
  const changed = await findChangedEntry(app, db, { companyId, size }, entries)
  if (changed !== null) raise(app, companyId, `entry ${changed}`, { from: changed, to: changed + 1 })
}

const raise = (app: AppContext, companyId: number, detail: string, places: { from: number; to: number }) =>
  raiseLogAlarm(app, companyId, new ChangedLogError('ENTRY_DIFFERS', detail, places))

async function findChangedEntry(
  app: AppContext,
  db: Handle,
  { companyId, size }: { companyId: number; size: number },
  entries: readonly FoundEntry[],
): Promise<number | null> {
  const tiles = new Map<number, Uint8Array>()
  for (const entry of entries) {
    const place = entry.log_index
    if (place === null) continue
    const index = Math.floor(place / tileWidth)
    let hashes = tiles.get(index)
    if (!hashes) {
      hashes = (await tileOf(db, companyId, 0, index)) ?? new Uint8Array()
      tiles.set(index, hashes)
      if (!(await isTileInTree(app, db, { companyId, size, index, hashes }))) return place
    }
    if (!isListedAsRecorded(entry, hashAt(hashes, place % tileWidth))) return place
  }
  return null
}

function isListedAsRecorded({ id, leaf, actor }: FoundEntry, hash: Uint8Array): boolean {
  if (!isHashOfLeaf(leaf, hash)) return false
  const said = JSON.parse(leaf) as AuditLeaf
  return said.id === id && isActorOf(said, actor)
}
