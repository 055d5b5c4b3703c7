/**
 * Creates and stores outbox entries: queue key, base, dependencies. An entry is stored before anything is sent. Writes that arrive while
 * others are being stored share the next transaction, because strict transactions are slow.
 */
import type { Intent } from '#contract/endpoint.ts'
import {
  type EnqueueContext,
  getBase,
  queryQueue,
  readEnqueueContext,
  noteQueueKey,
  addToContext,
} from '#local/outbox/enqueue-context.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { coalesce, canCoalesce } from '#local/outbox/coalesce.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { countOpenAttempts } from '#local/outbox/claim.ts'
import { storeMarks } from '#local/outbox/counters.ts'
import { loadNameRules, type RowNameRules } from '#local/outbox/dependencies.ts'
import type { OutboxEntry, LocalFile } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

export type NewEntry = Pick<
  OutboxEntry,
  | 'intent'
  | 'key'
  | 'endpoint'
  | 'kind'
  | 'table'
  | 'target'
  | 'action'
  | 'input'
  | 'ifMatch'
  | 'base'
  | 'forUser'
  | 'since'
> & {
  referredIntents: Intent[]
  isVersioned: boolean
  /** True if the intent was created with the write, so no earlier write with this intent is searched. */
  isNew?: boolean
  /** Session generation when the write's session was read. The write is stored only while it is still the current one. */
  sessionGeneration?: number
  file?: Omit<LocalFile, 'intent' | 'assetId'>
}

const newEntryFields = {
  state: 'waiting',
  bytes: null,
  attempts: 0,
  notBefore: 0,
  delayedBy: null,
  fence: 0,
  leaseUntil: 0,
  problem: null,
} satisfies Partial<OutboxEntry>

interface PendingWrite {
  draft: NewEntry
  resolve: (entry: OutboxEntry) => void
  reject: (error: unknown) => void
}

/** Thrown if nothing was stored because the write's session is no longer the current one. */
export class SessionChangedError extends Error {
  override name = 'SessionChangedError'
}

/** Writes that arrived while others are being stored. If the page closes, they are lost. No caller was notified that they are stored. */
const pendingByDatabase = new WeakMap<UserDatabase, PendingWrite[]>()

/**
 * Adds a write, or returns the entry that already waits under this intent, because a form that is sent twice is one write. A parked entry
 * is corrected: new bytes, new key, same position in its queue (protocol 1, 20). Resolves when the entry is on disk.
 */
export function enqueue(db: UserDatabase, draft: NewEntry): Promise<OutboxEntry> {
  return new Promise((resolve, reject) => {
    const pending = pendingByDatabase.get(db)
    if (pending) return void pending.push({ draft, resolve, reject })
    pendingByDatabase.set(db, [{ draft, resolve, reject }])
    void storePending(db)
  })
}

/**
 * Stores a write that was sealed, unless another tab has done so. `takeSealed` deletes the sealed record in the same transaction. Returns
 * null if the record was already deleted, or if the write was not needed.
 */
export async function enqueueUnsealed(
  db: UserDatabase,
  draft: NewEntry,
  takeSealed: () => Promise<boolean>,
): Promise<OutboxEntry | null> {
  const names = await loadNameRules([draft])
  return await transact(db, getTables([draft], names), async () => {
    if (!(await takeSealed()) || (await db.receipts.get(draft.intent))) return null
    const isNew = (await db.outbox.get(draft.intent)) === undefined
    return (await storeEntries(db, [{ ...draft, isNew }], names))[0] ?? null
  })
}

export const isStoring = (db: UserDatabase): boolean => pendingByDatabase.has(db)

async function storePending(db: UserDatabase): Promise<void> {
  // Lets writes of the same microtask join this batch.
  await Promise.resolve()
  for (let batch = pendingByDatabase.get(db) ?? []; batch.length > 0; batch = pendingByDatabase.get(db) ?? []) {
    const coalescingIndex = batch.findIndex(({ draft }) => canCoalesce(draft))
    // A write that may be merged with another one is stored alone.
    const currentBatch = batch.slice(0, coalescingIndex === -1 ? batch.length : Math.max(1, coalescingIndex))
    pendingByDatabase.set(db, batch.slice(currentBatch.length))
    await storeBatch(db, currentBatch)
  }
  pendingByDatabase.delete(db)
}

async function storeBatch(db: UserDatabase, batch: readonly PendingWrite[], isFirstAttempt = true): Promise<void> {
  // A failed attempt may have been committed after all, so from the second attempt on, drafts are not treated as new.
  let mayBeNew = isFirstAttempt
  try {
    const drafts = batch.map(({ draft }) => draft)
    const names = await loadNameRules(drafts)
    const entries = await transact(db, getTables(drafts, names), async () => {
      const entryDrafts = mayBeNew ? drafts : drafts.map((draft) => ({ ...draft, isNew: false }))
      mayBeNew = false
      return await storeEntries(db, entryDrafts, names)
    })
    batch.forEach(({ resolve }, index) => resolve(entries[index] as OutboxEntry))
  } catch (error) {
    const [firstWrite] = batch
    if (batch.length === 1) return firstWrite?.reject(error)
    // One write that cannot be stored must not make the others fail.
    for (const pendingWrite of batch) await storeBatch(db, [pendingWrite], false)
  }
}

/**
 * Returns only the tables that these writes need, so that they do not wait for other transactions, especially not for transactions over
 * lists.
 */
const getTables = (drafts: readonly NewEntry[], names: RowNameRules | null): string[] => [
  'outbox',
  'meta',
  'receipts',
  'rowIds',
  ...(drafts.some(({ file }) => file) ? ['files'] : []),
  ...new Set([
    ...drafts.flatMap(({ table }) => (table === '' ? [] : [table])),
    ...(names?.getNameTables(drafts) ?? []),
  ]),
]

/**
 * Builds the entry of a write for which the device has no room. Returns STORAGE_FAILED if another write of its row waits, which it must not
 * overtake (protocol 21). Returns SIGNED_OUT if its session has ended meanwhile.
 */
export async function buildEntryDraft(
  db: UserDatabase,
  draft: NewEntry,
): Promise<OutboxEntry | 'STORAGE_FAILED' | 'SIGNED_OUT'> {
  const names = await loadNameRules([draft])
  return await db.transaction('r', getTables([draft], names), async () => {
    const context = await readEnqueueContext(db, [draft])
    if (draft.sessionGeneration !== undefined && draft.sessionGeneration !== context.sessionGeneration)
      return 'SIGNED_OUT'
    const entry = toEntry(context, draft, undefined)
    const earlierIntents = (await names?.readNameOrder(db, [draft]))?.findEarlier(entry) ?? []
    if (entry.dependsOn.length + earlierIntents.length > 0) return 'STORAGE_FAILED'
    if ((await queryQueue(db, entry.queueKey).count()) > 0) return 'STORAGE_FAILED'
    // This entry is not stored, so the device will not remember that it was sent. The key that equals the intent is reserved for a
    // stored entry (protocol 1).
    return { ...entry, key: draft.key }
  })
}

async function storeEntries(
  db: UserDatabase,
  drafts: readonly NewEntry[],
  names: RowNameRules | null,
): Promise<OutboxEntry[]> {
  const context = await readEnqueueContext(db, drafts)
  if (
    drafts.some(
      ({ sessionGeneration }) => sessionGeneration !== undefined && sessionGeneration !== context.sessionGeneration,
    )
  )
    throw new SessionChangedError()
  const nameOrder = await names?.readNameOrder(db, drafts)
  const entries: OutboxEntry[] = []
  const newEntries: OutboxEntry[] = []
  for (const draft of drafts) {
    const existingEntry = context.entries.get(draft.intent)
    if (existingEntry && !isParked(existingEntry)) {
      entries.push(existingEntry)
      continue
    }
    const placedEntry = toEntry(context, draft, existingEntry)
    const dependsOn = [...new Set([...placedEntry.dependsOn, ...(nameOrder?.findEarlier(placedEntry) ?? [])])]
    const entry = { ...placedEntry, dependsOn }
    const coalesced =
      canCoalesce(draft) && !existingEntry && entry.key === entry.intent ? await coalesce(db, entry) : null
    entries.push(coalesced?.entry ?? entry)
    if (coalesced?.kind === 'cancelled') continue
    if (draft.file) await db.files.put({ ...draft.file, intent: draft.intent, assetId: null })
    newEntries.push(coalesced?.entry ?? entry)
    addToContext(context, coalesced?.entry ?? entry)
    nameOrder?.add(coalesced?.entry ?? entry)
  }
  if (newEntries.length === 0) return entries
  const marks = { recordedCount: context.recordedCount + newEntries.length, lastSeq: context.lastSeq }
  await Promise.all([db.outbox.bulkPut(newEntries), storeMarks(db, marks)])
  for (const entry of newEntries) noteQueueKey(db, entry)
  return entries
}

function toEntry(context: EnqueueContext, draft: NewEntry, existingEntry: OutboxEntry | undefined): OutboxEntry {
  const { referredIntents, isVersioned, isNew = false, file: _, sessionGeneration: __, ...fields } = draft
  const queueKey = existingEntry?.queueKey ?? context.getQueueKey(draft)
  // Other bytes may have been sent under the same intent. The new bytes then need a key of their own (protocol 1, 2).
  const mayBeSent = existingEntry !== undefined || context.receipts.has(draft.intent) || (context.hasSeals && !isNew)
  return {
    ...fields,
    ...newEntryFields,
    attempts: existingEntry ? countOpenAttempts(existingEntry) : 0,
    key: mayBeSent ? draft.key : draft.intent,
    queueKey,
    seq: existingEntry?.seq ?? context.lastSeq + 1,
    ifMatch: isVersioned ? getBase(context, draft, existingEntry ? null : queueKey) : null,
    dependsOn: referredIntents.filter((intent) => {
      const referredEntry = context.entries.get(intent)
      return referredEntry !== undefined && referredEntry.queueKey !== queueKey
    }),
  }
}
