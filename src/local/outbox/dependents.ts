/** Updates dependents of a write that is removed without effect (protocol 15), in the caller's transaction. */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { loadNameRules, type RowNameRules } from '#local/outbox/dependencies.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

/**
 * Returns every write that cannot exist without this one: a write that refers to the row that this one creates, or that depends on such a
 * write.
 */
function findDependents(intent: Intent, entries: readonly OutboxEntry[], names: RowNameRules | null): OutboxEntry[] {
  const removedEntry = entries.find((entry) => entry.intent === intent)
  if (!removedEntry) return []
  const missingCreations = new Map([[intent, removedEntry]])
  const dependents = new Set<OutboxEntry>()
  // Repeated until nothing changes, because an entry that was resent may come before the one that it depends on.
  for (let size = -1; size < dependents.size; ) {
    size = dependents.size
    for (const entry of entries) {
      if (missingCreations.has(entry.intent) || dependents.has(entry) || !isDependent(entry, missingCreations, names))
        continue
      dependents.add(entry)
      // Only a creation has dependents by reference. Those of a change have the same queue key and are found by their target.
      if (entry.action === 'create') missingCreations.set(entry.intent, entry)
    }
  }
  return entries.filter((entry) => dependents.has(entry))
}

function isDependent(
  entry: OutboxEntry,
  missingCreations: ReadonlyMap<Intent, OutboxEntry>,
  names: RowNameRules | null,
): boolean {
  if (typeof entry.target === 'string' && missingCreations.has(entry.target.slice(1))) return true
  return entry.dependsOn.some((otherIntent) => {
    const creation = missingCreations.get(otherIntent)
    return creation !== undefined && (!names || names.needsCreation(entry, creation))
  })
}

/**
 * Reads the dependents of a stored write. Returns an empty array for a write that creates no row, because later writes only follow it in
 * the queue.
 */
export async function readDependents(db: UserDatabase, intent: Intent): Promise<OutboxEntry[]> {
  const entry = await db.outbox.get(intent)
  return entry ? await findStoredDependents(db, entry, await loadNameRules([entry])) : []
}

const findStoredDependents = async (
  db: UserDatabase,
  entry: OutboxEntry,
  names: RowNameRules | null,
): Promise<OutboxEntry[]> =>
  entry.action === 'create' ? findDependents(entry.intent, await db.outbox.orderBy('seq').toArray(), names) : []

/**
 * Deletes the entry. If it creates a row, its dependents are deleted too; none of them can have taken effect. If it changes a row, writes
 * based on it are rebased on its own base. Returns the deleted entries.
 */
export async function removeEntry(
  db: UserDatabase,
  entry: OutboxEntry,
  { newId, names }: { newId: () => string; names: RowNameRules | null },
): Promise<OutboxEntry[]> {
  const removedEntries = [entry, ...(await findStoredDependents(db, entry, names))]
  await db.outbox.bulkDelete(removedEntries.map(({ intent }) => intent))
  if (entry.action !== 'create') await rebaseFollowers(db, entry, newId)
  return removedEntries
}

/** Rebases writes that are based on `entry` on its own base. For fields that both change, they get the older base values of `entry`. */
export async function rebaseFollowers(db: UserDatabase, entry: OutboxEntry, newId: () => string): Promise<void> {
  const followers = await db.outbox.where('ifMatch').equals(`~${entry.intent}`).toArray()
  await db.outbox.bulkPut(
    followers.map((follower) => ({
      ...follower,
      ifMatch: entry.ifMatch,
      base: follower.base && { ...follower.base, ...pickSharedFields(entry.base, follower.base) },
      // The bytes refer to a write that never existed, so they can never take effect. New bytes are created under a new key (protocol
      // 1).
      ...(follower.bytes ? { bytes: null, key: newId(), attempts: 0 } : {}),
    })),
  )
}

const pickSharedFields = (olderBase: OutboxEntry['base'], base: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(olderBase ?? {}).filter(([field]) => Object.hasOwn(base, field)))
