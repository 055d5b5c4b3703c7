/** Checks listed and exported entries, also in a log that is too long for a complete check. Raises an alarm for a fault. */
import type { AuditLeaf } from '#domain/audit-log/leaf.ts'
import { getHash, tileWidth } from '#domain/audit-log/tiles.ts'
import type { AppContext } from '#server/context/context.ts'
import { filterUnplacedEntries } from '#server/db/audit/audit-checks.ts'
import type { AuditEntryMatch } from '#server/db/audit/audit-list.ts'
import { getLogSize, readTile } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import { isRecordedActor, isHashOfLeaf, isTileInTree } from '#server/use-cases/audit/is-as-recorded.ts'
import { raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'

/** Reads the log after the entries, so that it contains all of them: a log only grows. */
export async function checkListedEntries(
  app: AppContext,
  db: DatabaseHandle,
  companyId: number,
  entries: readonly AuditEntryMatch[],
): Promise<void> {
  if (entries.length === 0) return
  const unplacedIds = entries.filter(({ log_index: logIndex }) => logIndex === null).map(({ id }) => id)
  const [unrecordedId] = unplacedIds.length === 0 ? [] : await filterUnplacedEntries(db, unplacedIds)
  const size = await getLogSize(db, companyId)
  if (unrecordedId !== undefined)
    raiseAlarm(app, companyId, `entry ${unrecordedId} is not in the log`, { from: 0, to: size })
  const changedIndex = await findChangedEntry(app, db, { companyId, size }, entries)
  if (changedIndex !== null)
    raiseAlarm(app, companyId, `entry ${changedIndex} was changed or is missing`, {
      from: changedIndex,
      to: changedIndex + 1,
    })
}

const raiseAlarm = (app: AppContext, companyId: number, detail: string, entryRange: { from: number; to: number }) =>
  raiseLogAlarm(app, companyId, new ChangedLogError('ENTRY_DIFFERS', detail, entryRange))

async function findChangedEntry(
  app: AppContext,
  db: DatabaseHandle,
  { companyId, size }: { companyId: number; size: number },
  entries: readonly AuditEntryMatch[],
): Promise<number | null> {
  const tiles = new Map<number, Uint8Array>()
  for (const entry of entries) {
    const logIndex = entry.log_index
    if (logIndex === null) continue
    const tileIndex = Math.floor(logIndex / tileWidth)
    let hashes = tiles.get(tileIndex)
    if (!hashes) {
      hashes = (await readTile(db, companyId, 0, tileIndex)) ?? new Uint8Array()
      tiles.set(tileIndex, hashes)
      if (!(await isTileInTree(app, db, { companyId, size, index: tileIndex, hashes }))) return logIndex
    }
    if (!isListedAsRecorded(entry, getHash(hashes, logIndex % tileWidth))) return logIndex
  }
  return null
}

function isListedAsRecorded({ id, leaf, actor }: AuditEntryMatch, hash: Uint8Array): boolean {
  if (!isHashOfLeaf(leaf, hash)) return false
  const recordedLeaf = JSON.parse(leaf) as AuditLeaf
  return recordedLeaf.id === id && isRecordedActor(recordedLeaf, actor)
}
