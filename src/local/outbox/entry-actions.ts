import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { cleanUpFiles } from '#local/outbox/files.ts'
import { getDependencyTables, loadNameRules, readDependencies, type RowNameRules } from '#local/outbox/dependencies.ts'
import { removeEntry } from '#local/outbox/dependents.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { countOpenAttempts, isParkedAsOld } from '#local/outbox/claim.ts'
import { createReceipt, receiptTables } from '#local/outbox/receipts.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/** Returns true if the server cannot have executed the entry, with its current bytes or with those before a correction. */
export const isUnsent = (entry: EntryView) => (isParked(entry) ? countOpenAttempts(entry) : entry.attempts) === 0

/**
 * Marks an old write as allowed by its user, so that it is sent: same bytes and same key, because the server may know them (protocol 19).
 */
export async function markEntryAllowed(db: UserDatabase, intent: Intent, now: number): Promise<boolean> {
  return await transact(db, ['outbox'], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'asks' || !isParkedAsOld(entry)) return false
    await db.outbox.put({ ...entry, state: 'waiting', notBefore: 0, problem: null, allowedAt: now })
    return true
  })
}

export type ResendInput = { key: string } & Partial<Pick<OutboxEntry, 'input' | 'ifMatch' | 'base'>>

/**
 * Sends a parked write again: a new key under the same intent, in its old position (protocol 1, 6). If it was parked because of its age, it
 * is not parked for that reason again (protocol 19). Returns false if it is not parked.
 */
export async function resendEntry(db: UserDatabase, intent: Intent, input: ResendInput, now: number): Promise<boolean> {
  return await updateWithDependencies(db, intent, (entry) => {
    if (!isParked(entry)) return false
    const allowedFields = isParkedAsOld(entry) ? { allowedAt: now } : {}
    return { ...entry, ...input, ...resentFields, attempts: countOpenAttempts(entry), ...allowedFields }
  })
}

/** Replaces the values of a write that was never sent; its key stays (protocol 2). Returns false if it may have been sent. */
export async function updateEntryInput(
  db: UserDatabase,
  intent: Intent,
  input: OutboxEntry['input'],
): Promise<boolean> {
  return await updateWithDependencies(db, intent, (entry) =>
    entry.state === 'waiting' && isUnsent(entry) ? { ...entry, input } : false,
  )
}

/** Stores a changed entry and its new dependencies. Returns false if the entry does not exist or does not change. */
async function updateWithDependencies(
  db: UserDatabase,
  intent: Intent,
  getChanged: (entry: OutboxEntry) => OutboxEntry | false,
): Promise<boolean> {
  const currentEntry = await db.outbox.get(intent)
  if (!currentEntry) return false
  const names = await loadNameRules([currentEntry])
  return await transact(db, ['outbox', ...getDependencyTables(currentEntry, names)], async () => {
    const entry = await db.outbox.get(intent)
    const changed = entry ? getChanged(entry) : false
    if (!changed) return false
    await db.outbox.put({ ...changed, dependsOn: await readDependencies(db, changed, names) })
    return true
  })
}

export async function clearEntryDelay(db: UserDatabase, intent: Intent): Promise<boolean> {
  return await transact(db, ['outbox'], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'waiting') return false
    await db.outbox.put({ ...entry, ...noDelay })
    return true
  })
}

/**
 * Resends a merged write after a 412, in the same step that handled the response, so that its user does not see a conflict for a short
 * time. Returns false if the entry has changed meanwhile or is to be dropped.
 */
export async function resendMergedEntry(
  db: UserDatabase,
  { intent, key }: OutboxEntry,
  input: ResendInput,
): Promise<boolean> {
  return await transact(db, ['outbox'], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.key !== key || entry.state === 'dropping') return false
    await db.outbox.put({ ...entry, ...input, ...resentFields })
    return true
  })
}

const resentFields = {
  state: 'waiting',
  bytes: null,
  attempts: 0,
  notBefore: 0,
  delayedBy: null,
  problem: null,
  leaseUntil: 0,
  blockedTries: 0,
} satisfies Partial<OutboxEntry>

const noDelay = { notBefore: 0, delayedBy: null }

export async function clearAllDelays(db: UserDatabase): Promise<void> {
  await transact(db, ['outbox', 'meta'], async () => {
    await db.meta.delete('pause')
    await db.outbox.where('state').equals('waiting').modify(noDelay)
  })
}

/** Deletes an unsent entry. Other entries stay and block their queue key until the server has voided them (protocol 13, 15). */
export async function dropStoredEntry(
  db: UserDatabase,
  intent: Intent,
  { now, newId }: { now: number; newId: () => string },
): Promise<'gone' | 'requested' | 'unknown'> {
  const names = await loadEntryNameRules(db, intent)
  return await transact(db, ['outbox', 'files', ...receiptTables], async () => {
    const entry = await db.outbox.get(intent)
    if (!entry) return 'unknown'
    if (!isUnsent(entry)) {
      await db.outbox.update(intent, {
        state: 'dropping',
        notBefore: 0,
        delayedBy: null,
        leaseUntil: 0,
        blockedTries: 0,
      })
      return 'requested'
    }
    await forgetEntry(db, entry, { now, newId, names })
    return 'gone'
  })
}

export async function dropVoidedEntry(
  db: UserDatabase,
  intent: Intent,
  { now, newId }: { now: number; newId: () => string },
): Promise<boolean> {
  const names = await loadEntryNameRules(db, intent)
  return await transact(db, ['outbox', 'files', ...receiptTables], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'dropping') return false
    await forgetEntry(db, entry, { now, newId, names })
    return true
  })
}

async function loadEntryNameRules(db: UserDatabase, intent: Intent): Promise<RowNameRules | null> {
  const entry = await db.outbox.get(intent)
  return entry ? await loadNameRules([entry]) : null
}

async function forgetEntry(
  db: UserDatabase,
  entry: OutboxEntry,
  { now, newId, names }: { now: number; newId: () => string; names: RowNameRules | null },
): Promise<void> {
  for (const removedEntry of await removeEntry(db, entry, { newId, names })) {
    await cleanUpFiles(db, removedEntry, null)
    await db.receipts.put(await createReceipt(db, removedEntry, { outcome: 'dropped', time: now }))
  }
}

/** Deletes all entries at the user's request. Entries that are being sent may still be executed, and their outcome is no longer checked. */
export async function discardAllEntries(db: UserDatabase, now: number): Promise<void> {
  await transact(db, ['outbox', 'files', ...receiptTables], async () => {
    const entries = await db.outbox.toArray()
    await db.outbox.clear()
    await db.files.clear()
    for (const entry of entries)
      await db.receipts.put(await createReceipt(db, entry, { outcome: 'dropped', time: now }))
  })
}
