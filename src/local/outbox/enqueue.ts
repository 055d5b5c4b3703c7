/**
 * From a wish to an entry: its lane, what it is based on, what it waits for; stored before anything is sent. Wishes that
 * come while others are being stored are stored together with the next: one strict transaction, not one each.
 */
import type { Intent } from '#contract/endpoint.ts'
import {
  type EnqueueContext,
  baseOf,
  inQueue,
  readEnqueueContext,
  noteQueueKey,
  seen,
} from '#local/outbox/enqueue-context.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { coalesce, canCoalesce } from '#local/outbox/coalesce.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { attemptsLeft } from '#local/outbox/claim.ts'
import { noteMarks } from '#local/outbox/counters.ts'
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
  refers: Intent[]
  versioned: boolean
  /** Its intent was made with it: nobody looks for an earlier one. */
  isNew?: boolean
  /** The gate's generation when its session was read: it is stored only while that stands. */
  gate?: number
  /** Stored with it, in the same transaction. */
  file?: Omit<LocalFile, 'intent' | 'assetId'>
}

const fresh = {
  state: 'waiting',
  bytes: null,
  attempts: 0,
  notBefore: 0,
  delayedBy: null,
  fence: 0,
  leaseUntil: 0,
  problem: null,
} satisfies Partial<OutboxEntry>

interface Wish {
  draft: NewEntry
  told: (entry: OutboxEntry) => void
  failed: (error: unknown) => void
}

/** Nothing was stored: the session that the write was made under is not the one that is here. */
export class SessionChangedError extends Error {
  override name = 'GateMoved'
}

/** Wishes that came while others are being stored. Nothing of it must survive: nobody was told yet. */
const gathering = new WeakMap<UserDatabase, Wish[]>()

/**
 * Adds a write, or returns the one that already waits under this intent: a form sent twice is one wish. A parked entry
 * is mended: new bytes, new key, same place in its lane (protocol 1, 20). Resolves when it is on disk.
 */
export function enqueue(db: UserDatabase, draft: NewEntry): Promise<OutboxEntry> {
  return new Promise((told, failed) => {
    const others = gathering.get(db)
    if (others) return void others.push({ draft, told, failed })
    gathering.set(db, [{ draft, told, failed }])
    void storeGathered(db)
  })
}

/**
 * Stores a write that lay sealed until now, if it still does: `take` takes it from there, in the same transaction. Null: it
 * was taken before, or had become what it asks for.
 */
export async function enqueueOpened(
  db: UserDatabase,
  draft: NewEntry,
  take: () => Promise<boolean>,
): Promise<OutboxEntry | null> {
  const names = await loadNameRules([draft])
  return await transact(db, tablesFor([draft], names), async () => {
    if (!(await take()) || (await db.receipts.get(draft.intent))) return null
    const isNew = (await db.outbox.get(draft.intent)) === undefined
    return (await store(db, [{ ...draft, isNew }], names))[0] ?? null
  })
}

/** Whether writes are being stored just now. */
export const isStoring = (db: UserDatabase): boolean => gathering.has(db)

async function storeGathered(db: UserDatabase): Promise<void> {
  // Whoever asks in the same breath goes along at once.
  await Promise.resolve()
  for (let group = gathering.get(db) ?? []; group.length > 0; group = gathering.get(db) ?? []) {
    const most = group.findIndex(({ draft }) => canCoalesce(draft))
    // What may become one with another write is stored by itself.
    const now = group.slice(0, most === -1 ? group.length : Math.max(1, most))
    gathering.set(db, group.slice(now.length))
    await storeTogether(db, now)
  }
  gathering.delete(db)
}

async function storeTogether(db: UserDatabase, wishes: readonly Wish[], isFirst = true): Promise<void> {
  // A try that seemed to fail may have been committed: from the second on nothing is taken for new.
  let mayBeNew = isFirst
  try {
    const drafts = wishes.map(({ draft }) => draft)
    const names = await loadNameRules(drafts)
    const entries = await transact(db, tablesFor(drafts, names), async () => {
      const asked = mayBeNew ? drafts : drafts.map((draft) => ({ ...draft, isNew: false }))
      mayBeNew = false
      return await store(db, asked, names)
    })
    // One entry a draft, in their order.
    wishes.forEach(({ told }, at) => told(entries[at] as OutboxEntry))
  } catch (error) {
    const [only] = wishes
    if (wishes.length === 1) return only?.failed(error)
    // One that cannot be stored does not take the others with it.
    for (const wish of wishes) await storeTogether(db, [wish], false)
  }
}

/** No more than these need: whatever else is read or stored just now, a list above all, is not waited for. */
const tablesFor = (drafts: readonly NewEntry[], names: RowNameRules | null): string[] => [
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
export async function draftEntry(
  db: UserDatabase,
  draft: NewEntry,
): Promise<OutboxEntry | 'STORAGE_FAILED' | 'SIGNED_OUT'> {
  const names = await loadNameRules([draft])
  return await db.transaction('r', tablesFor([draft], names), async () => {
    const around = await readEnqueueContext(db, [draft])
    if (draft.gate !== undefined && draft.gate !== around.gate) return 'SIGNED_OUT'
    const entry = toEntry(around, draft, undefined)
    const earlier = (await names?.readNameOrder(db, [draft]))?.findEarlier(entry) ?? []
    if (entry.dependsOn.length + earlier.length > 0) return 'STORAGE_FAILED'
    if ((await inQueue(db, entry.queueKey).count()) > 0) return 'STORAGE_FAILED'
    // Nothing here will know that it was sent: its intent's own key stays for one that is stored (protocol 1).
    return { ...entry, key: draft.key }
  })
}

async function store(
  db: UserDatabase,
  drafts: readonly NewEntry[],
  names: RowNameRules | null,
): Promise<OutboxEntry[]> {
  const around = await readEnqueueContext(db, drafts)
  if (drafts.some(({ gate }) => gate !== undefined && gate !== around.gate)) throw new SessionChangedError()
  const order = await names?.readNameOrder(db, drafts)
  const entries: OutboxEntry[] = []
  const made: OutboxEntry[] = []
  for (const draft of drafts) {
    const there = around.entries.get(draft.intent)
    if (there && !isParked(there)) {
      entries.push(there)
      continue
    }
    const placed = toEntry(around, draft, there)
    const dependsOn = [...new Set([...placed.dependsOn, ...(order?.findEarlier(placed) ?? [])])]
    const entry = { ...placed, dependsOn }
    const folded = canCoalesce(draft) && !there && entry.key === entry.intent ? await coalesce(db, entry) : null
    entries.push(folded?.entry ?? entry)
    if (folded?.kind === 'cancelled') continue
    if (draft.file) await db.files.put({ ...draft.file, intent: draft.intent, assetId: null })
    made.push(folded?.entry ?? entry)
    seen(around, folded?.entry ?? entry)
    order?.add(folded?.entry ?? entry)
  }
  if (made.length === 0) return entries
  const marks = { made: around.made + made.length, lastSeq: around.lastSeq }
  await Promise.all([db.outbox.bulkPut(made), noteMarks(db, marks)])
  for (const entry of made) noteQueueKey(db, entry)
  return entries
}

function toEntry(around: EnqueueContext, draft: NewEntry, there: OutboxEntry | undefined): OutboxEntry {
  const { refers, versioned, isNew = false, file: _, gate: __, ...given } = draft
  const queueKey = there?.queueKey ?? around.laneOf(draft)
  // Other bytes may have been sent under its intent: then these need a key of their own (protocol 1, 2).
  const mayBeSent = there !== undefined || around.receipts.has(draft.intent) || (around.hasSeals && !isNew)
  return {
    ...given,
    ...fresh,
    attempts: there ? attemptsLeft(there) : 0,
    key: mayBeSent ? draft.key : draft.intent,
    queueKey,
    seq: there?.seq ?? around.lastSeq + 1,
    ifMatch: versioned ? baseOf(around, draft, there ? null : queueKey) : null,
    dependsOn: refers.filter((intent) => {
      const other = around.entries.get(intent)
      return other !== undefined && other.queueKey !== queueKey
    }),
  }
}
