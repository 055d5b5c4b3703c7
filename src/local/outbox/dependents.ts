/**
 * What happens to other waiting writes when one of them goes without having taken effect (protocol 15). Run inside the
 * caller's transaction over the outbox.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { loadNameRules, type RowNameRules } from '#local/outbox/dependencies.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

/** Every write that cannot be without this one: it names the row that this one makes, or one that hangs on such a one. */
function findDependents(intent: Intent, entries: readonly OutboxEntry[], names: RowNameRules | null): OutboxEntry[] {
  const removedEntry = entries.find((entry) => entry.intent === intent)
  if (!removedEntry) return []
  const missingCreations = new Map([[intent, removedEntry]])
  const dependents = new Set<OutboxEntry>()
  // Once more after each that goes: one that was sent again may stand before what it needs.
  for (let size = -1; size < dependents.size; ) {
    size = dependents.size
    for (const entry of entries) {
      if (missingCreations.has(entry.intent) || dependents.has(entry) || !isDependent(entry, missingCreations, names))
        continue
      dependents.add(entry)
      // Only what makes a row has followers of its own; an edit's are in its lane and found by their target.
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

/** The same, read; empty for a write that makes no row, because others only follow it. */
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
 * Takes it out. A row that is never made takes along what was to happen to it; none of that can have taken effect. An
 * edit leaves those behind it on what it was itself based on. Answers what went.
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

/** Whoever was based on it is based on what it was based on, and remembers the older value of what both change. */
export async function rebaseFollowers(db: UserDatabase, entry: OutboxEntry, newId: () => string): Promise<void> {
  const followers = await db.outbox.where('ifMatch').equals(`~${entry.intent}`).toArray()
  await db.outbox.bulkPut(
    followers.map((follower) => ({
      ...follower,
      ifMatch: entry.ifMatch,
      base: follower.base && { ...follower.base, ...pickSharedFields(entry.base, follower.base) },
      // Its bytes name a write that never was, so they can never take effect: they are made anew (protocol 1).
      ...(follower.bytes ? { bytes: null, key: newId(), attempts: 0 } : {}),
    })),
  )
}

const pickSharedFields = (olderBase: OutboxEntry['base'], base: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(olderBase ?? {}).filter(([field]) => Object.hasOwn(base, field)))
