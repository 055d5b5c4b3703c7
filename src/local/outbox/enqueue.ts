/**
 * From a wish to an entry: its lane, what it is based on, what it waits for; stored before anything is sent. Wishes that
 * come while others are being stored are stored together with the next: one strict transaction, not one each.
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
  /** Its intent was made with it: nobody looks for an earlier one. */
  isNew?: boolean
  /** The gate's generation when its session was read: it is stored only while that stands. */
  sessionGeneration?: number
  /** Stored with it, in the same transaction. */
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

/** Nothing was stored: the session that the write was made under is not the one that is here. */
export class SessionChangedError extends Error {
  override name = 'GateMoved'
}

/** Wishes that came while others are being stored. Nothing of it must survive: nobody was told yet. */
const pendingByDatabase = new WeakMap<UserDatabase, PendingWrite[]>()

/**
 * Adds a write, or returns the one that already waits under this intent: a form sent twice is one wish. A parked entry
 * is mended: new bytes, new key, same place in its lane (protocol 1, 20). Resolves when it is on disk.
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
 * Stores a write that lay sealed until now, if it still does: `takeSealed` takes it from there, in the same transaction. Null: it
 * was taken before, or had become what it asks for.
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

/** Whether writes are being stored just now. */
export const isStoring = (db: UserDatabase): boolean => pendingByDatabase.has(db)

async function storePending(db: UserDatabase): Promise<void> {
  // Whoever asks in the same breath goes along at once.
  await Promise.resolve()
  for (let batch = pendingByDatabase.get(db) ?? []; batch.length > 0; batch = pendingByDatabase.get(db) ?? []) {
    const coalescingIndex = batch.findIndex(({ draft }) => canCoalesce(draft))
    // What may become one with another write is stored by itself.
    const currentBatch = batch.slice(0, coalescingIndex === -1 ? batch.length : Math.max(1, coalescingIndex))
    pendingByDatabase.set(db, batch.slice(currentBatch.length))
    await storeBatch(db, currentBatch)
  }
  pendingByDatabase.delete(db)
}

async function storeBatch(db: UserDatabase, batch: readonly PendingWrite[], isFirstAttempt = true): Promise<void> {
  // A try that seemed to fail may have been committed: from the second on nothing is taken for new.
  let mayBeNew = isFirstAttempt
  try {
    const drafts = batch.map(({ draft }) => draft)
    const names = await loadNameRules(drafts)
    const entries = await transact(db, getTables(drafts, names), async () => {
      const entryDrafts = mayBeNew ? drafts : drafts.map((draft) => ({ ...draft, isNew: false }))
      mayBeNew = false
      return await storeEntries(db, entryDrafts, names)
    })
    // One entry a draft, in their order.
    batch.forEach(({ resolve }, index) => resolve(entries[index] as OutboxEntry))
  } catch (error) {
    const [firstWrite] = batch
    if (batch.length === 1) return firstWrite?.reject(error)
    // One that cannot be stored does not take the others with it.
    for (const pendingWrite of batch) await storeBatch(db, [pendingWrite], false)
  }
}

/** No more than these need: whatever else is read or stored just now, a list above all, is not waited for. */
const getTables = (drafts: readonly NewEntry[], names: RowNameRules | null): string[] => [
  'outbox',
  'meta',
  'receipts',
  'rowIds',
  ...(drafts.some(({ file }) => file) ? ['files'] : []),
  // An upload makes no row that any list shows.
  ...new Set([
    ...drafts.flatMap(({ table }) => (table === '' ? [] : [table])),
    ...(names?.getNameTables(drafts) ?? []),
  ]),
]

/**
 * The entry that a write would be, where there is no room to store it. STORAGE_FAILED: another one of its row waits, which it
 * must not overtake (protocol 21). SIGNED_OUT: whose it is has gone meanwhile.
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
    // Nothing here will know that it was sent: its intent's own key stays for one that is stored (protocol 1).
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
  // Other bytes may have been sent under its intent: then these need a key of their own (protocol 1, 2).
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
