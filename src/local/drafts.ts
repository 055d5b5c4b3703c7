/**
 * From a wish to an entry: its lane, what it is based on, what it waits for; stored before anything is sent. Wishes that
 * come while others are being stored are stored together with the next: one strict transaction, not one each.
 */
import { endpointNamed, type Intent, type Kind } from '#contract/endpoint.ts'
import { type Entry, type LocalFile, transact, type UserDatabase } from '#local/database.ts'
import { baseOf, type Around, lookAround, noteLane, seen } from '#local/around.ts'
import { fold, mayFold } from '#local/folding.ts'
import { noteMarks } from '#local/loss.ts'
import { attemptsLeft, isParked } from '#local/outbox.ts'
import { type Storing, storingHere, strictly } from '#local/storing.ts'

export type Draft = Pick<
  Entry,
  | 'intent'
  | 'key'
  | 'endpoint'
  | 'kind'
  | 'table'
  | 'target'
  | 'makes'
  | 'asked'
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
  held: null,
  fence: 0,
  leaseUntil: 0,
  problem: null,
} satisfies Partial<Entry>

interface Wish {
  draft: Draft
  told: (entry: Entry) => void
  failed: (error: unknown) => void
}

/** Nothing was stored: the session that the write was made under is not the one that is here. */
export class GateMoved extends Error {
  override name = 'GateMoved'
}

/** Wishes that came while others are being stored. Nothing of it must survive: nobody was told yet. */
const gathering = new WeakMap<UserDatabase, Wish[]>()

/**
 * Adds a write, or returns the one that already waits under this intent: a form sent twice is one wish. A parked entry
 * is mended: new bytes, new key, same place in its lane (protocol 1, 20). Resolves when it is on disk.
 */
export function enqueue(db: UserDatabase, draft: Draft): Promise<Entry> {
  return new Promise((told, failed) => {
    const others = gathering.get(db)
    if (others) return void others.push({ draft, told, failed })
    gathering.set(db, [{ draft, told, failed }])
    void storeGathered(db)
  })
}

/** Whether writes are being stored just now. */
export const isStoring = (db: UserDatabase): boolean => gathering.has(db)

async function storeGathered(db: UserDatabase): Promise<void> {
  // Whoever asks in the same breath goes along at once.
  await Promise.resolve()
  for (let group = gathering.get(db) ?? []; group.length > 0; group = gathering.get(db) ?? []) {
    const most = group.findIndex(({ draft }) => mayFold(draft))
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
    const tables = tablesFor(drafts)
    const act = async (ask: Storing) => {
      const asked = mayBeNew ? drafts : drafts.map((draft) => ({ ...draft, isNew: false }))
      mayBeNew = false
      return await store(ask, db, asked)
    }
    const entries = drafts.some(mayFold)
      ? await transact(db, tables, () => act(storingHere(db)))
      : await strictly(db, tables, act)
    // One entry a draft, in their order.
    wishes.forEach(({ told }, at) => told(entries[at] as Entry))
  } catch (error) {
    const [only] = wishes
    if (wishes.length === 1) return only?.failed(error)
    // One that cannot be stored does not take the others with it.
    for (const wish of wishes) await storeTogether(db, [wish], false)
  }
}

/** No more than these need: whatever else is read or stored just now, a list above all, is not waited for. */
const tablesFor = (drafts: readonly Draft[]): string[] => [
  'outbox',
  'meta',
  'receipts',
  'names',
  ...(drafts.some(({ file }) => file) ? ['files'] : []),
  // An upload makes no row that any list shows.
  ...new Set(drafts.flatMap(({ table }) => (table === '' ? [] : [table]))),
]

async function store(ask: Storing, db: UserDatabase, drafts: readonly Draft[]): Promise<Entry[]> {
  const around = await lookAround(ask, db, drafts)
  if (drafts.some(({ gate }) => gate !== undefined && gate !== around.gate)) throw new GateMoved()
  const entries: Entry[] = []
  const made: Entry[] = []
  for (const draft of drafts) {
    const there = around.entries.get(draft.intent)
    if (there && !isParked(there)) {
      entries.push(there)
      continue
    }
    const entry = toEntry(around, draft, there)
    const folded = mayFold(draft) && !there && entry.key === entry.intent ? await fold(db, entry) : null
    entries.push(folded?.entry ?? entry)
    if (folded?.is === 'cancelled') continue
    if (draft.file) ask.put(db.files, { ...draft.file, intent: draft.intent, assetId: null })
    made.push(folded?.entry ?? entry)
    seen(around, folded?.entry ?? entry)
  }
  if (made.length === 0) return entries
  for (const entry of made) ask.put(db.outbox, entry)
  noteMarks(ask, db, { made: around.made + made.length, lastSeq: around.lastSeq })
  ask.commit()
  for (const entry of made) noteLane(db, entry)
  return entries
}

function toEntry(around: Around, draft: Draft, there: Entry | undefined): Entry {
  const { refers, versioned, isNew = false, file: _, gate: __, ...given } = draft
  const lane = there?.lane ?? around.laneOf(draft)
  // Other bytes may have been sent under its intent: then these need a key of their own (protocol 1, 2).
  const mayBeSent = there !== undefined || around.receipts.has(draft.intent) || (around.hasSeals && !isNew)
  return {
    ...given,
    ...fresh,
    attempts: there ? attemptsLeft(there) : 0,
    key: mayBeSent ? draft.key : draft.intent,
    lane,
    seq: there?.seq ?? around.lastSeq + 1,
    ifMatch: versioned ? baseOf(around, draft, there ? null : lane) : null,
    dependsOn: refers.filter((intent) => {
      const other = around.entries.get(intent)
      return other !== undefined && other.lane !== lane
    }),
  }
}

/** Intents that an input refers to, where the contract declares a reference. */
export function refersTo(
  endpoint: string,
  asked: Entry['asked'],
  refKind: (schema: never) => Kind | undefined,
): Intent[] {
  const spec = endpointNamed(endpoint)
  const parts = [
    [spec?.params, asked.params],
    [spec?.query, asked.query],
    [spec?.body, asked.body],
  ] as const
  return parts.flatMap(([schema, values]) => {
    const shape = (schema as { shape?: Record<string, never> } | undefined)?.shape ?? {}
    return Object.entries(shape).flatMap(([name, field]) => {
      const value = (values as Record<string, unknown> | undefined)?.[name]
      return typeof value === 'string' && value.startsWith('~') && refKind(field) ? [value.slice(1)] : []
    })
  })
}
