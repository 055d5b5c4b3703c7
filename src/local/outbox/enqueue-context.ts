/** What a new write finds on the device: its lane, the newest write there, names and rows; read at once for many. */
import type { Id, Intent } from '#contract/endpoint.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { readMarks } from '#local/outbox/counters.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import type { OutboxEntry, Receipt } from '#local/storage/records.ts'

/** The parts of a draft that decide where it stands. */
export type Placed = Pick<OutboxEntry, 'intent' | 'kind' | 'table' | 'target' | 'ifMatch'> & {
  refers: readonly Intent[]
  versioned: boolean
  /** Its intent was made with it, so that nothing can be here under it. */
  isNew?: boolean
}

export interface EnqueueContext {
  /** Under the drafts' own intents and those they refer to. */
  entries: Map<Intent, OutboxEntry>
  receipts: Map<Intent, Receipt>
  /** Something lies sealed here: whether an intent that came again is in it cannot be told. */
  hasSeals: boolean
  lastSeq: number
  /** How many writes were ever recorded here. */
  made: number
  /** The gate's generation; null: closed. */
  gate: number | null
  laneOf(draft: Placed): string
  /** The newest write of each lane that somebody must know it of. */
  newest: Map<string, Intent>
  versionOf(draft: Placed): number | null
}

/**
 * Inside a transaction over outbox, names, receipts, meta and the drafts' rows. What can be asked for in one breath is:
 * each question that waits for the answer to another is a turn more before the write is on disk.
 */
export async function readEnqueueContext(db: UserDatabase, drafts: readonly Placed[]): Promise<EnqueueContext> {
  const based = drafts.flatMap(({ ifMatch }) => (typeof ifMatch === 'string' ? [ifMatch.slice(1)] : []))
  const own = drafts.flatMap(({ intent, isNew }) => (isNew ? [] : [intent]))
  const intents = [...new Set([...own, ...drafts.flatMap(({ refers }) => refers), ...based])]
  // Without a form that says what it was opened on, the base is asked for at once, as if no row had been made here.
  const bare = drafts.filter(({ versioned, target, ifMatch }) => versioned && target !== null && ifMatch === null)
  const asked = bare.map(laneByName)
  const [there, settled, seals, marks, makers, newest, versions] = await Promise.all([
    intents.length > 0 ? db.outbox.bulkGet(intents) : [],
    intents.length > 0 ? db.receipts.bulkGet(intents) : [],
    own.length > 0 ? sealsIn(db) : [],
    readMarks(db),
    makersOf(db, drafts),
    newestOf(db, asked),
    versionsOf(db, bare),
  ])
  const around: EnqueueContext = {
    entries: byIntent(there),
    receipts: byIntent(settled),
    hasSeals: seals.length > 0,
    ...marks,
    laneOf: (draft) => laneOf(draft, makers),
    newest,
    versionOf: ({ table, target }) => versions.get(rowKey(table, target)) ?? null,
  }
  const unsure = drafts.filter((draft) => draft.versioned && needsBase(around, draft))
  const looked = new Set(asked)
  const lanes = unsure.map(around.laneOf).filter((queueKey) => !looked.has(queueKey))
  // One that is mended is based on the row as it is now, whatever waits behind it.
  const others = unsure.filter(({ ifMatch }) => ifMatch !== null)
  if (lanes.length + others.length === 0) return around
  const [more, rows] = await Promise.all([newestOf(db, lanes), versionsOf(db, others)])
  for (const [queueKey, intent] of more) newest.set(queueKey, intent)
  for (const [row, version] of rows) versions.set(row, version)
  return around
}

const byIntent = <T extends { intent: Intent }>(found: readonly (T | undefined)[]) =>
  new Map(found.flatMap((one) => (one ? [[one.intent, one] as const] : [])))

/** Whoever is stored behind it in the same breath finds it here. */
export function seen(around: EnqueueContext, entry: OutboxEntry): void {
  around.entries.set(entry.intent, entry)
  around.newest.set(entry.queueKey, entry.intent)
  around.lastSeq = Math.max(around.lastSeq, entry.seq)
}

/** The writes that made rows which are spoken of by their ids: one reading a kind, they are few. */
async function makersOf(db: UserDatabase, drafts: readonly Placed[]): Promise<Map<string, Intent>> {
  const spans = new Map<Placed['kind'], { least: number; most: number }>()
  for (const { kind, target } of drafts) {
    if (typeof target !== 'number') continue
    const { least, most } = spans.get(kind) ?? { least: target, most: target }
    spans.set(kind, { least: Math.min(least, target), most: Math.max(most, target) })
  }
  const found = await Promise.all(
    [...spans].map(([kind, { least, most }]) =>
      db.rowIds.where('[kind+id]').between([kind, least], [kind, most], true, true).toArray(),
    ),
  )
  return new Map(found.flat().map(({ kind, id, intent }) => [`${kind}:${id}`, intent]))
}

/** One lane a row, whatever it is called: an id is taken back to the intent that made it (protocol 18). */
function laneOf(draft: Placed, made: ReadonlyMap<string, Intent>): string {
  const maker = typeof draft.target === 'number' ? made.get(`${draft.kind}:${draft.target}`) : undefined
  return maker === undefined ? laneByName(draft) : `${draft.kind}:~${maker}`
}

const laneByName = ({ kind, target, intent }: Placed) => `${kind}:${target ?? `~${intent}`}`

/**
 * Of each lane the seq from which its newest is looked for: some write of it had that. Only saves reading: where nothing
 * is found from there on, the whole lane is looked through.
 */
const from = new WeakMap<UserDatabase, Map<string, number>>()
const lanesKnown = 1_000

/** So that the next write on the row need not look far. */
export function noteQueueKey(db: UserDatabase, { queueKey, seq }: OutboxEntry): void {
  const known = from.get(db) ?? new Map<string, number>()
  from.set(db, known)
  if (known.size >= lanesKnown) known.clear()
  known.set(queueKey, seq)
}

/**
 * Always forwards. Chromium keeps what an index said of writes that are gone until somebody walks over it, and backwards
 * it walks over a thousand of these for seconds.
 */
async function newestOf(db: UserDatabase, lanes: readonly string[]): Promise<Map<string, Intent>> {
  const found = await Promise.all(
    [...new Set(lanes)].map(async (queueKey) => {
      const near = from.get(db)?.get(queueKey)
      const late = near === undefined ? [] : await inQueue(db, queueKey, near).primaryKeys()
      const newest = late.at(-1) ?? (await inQueue(db, queueKey).primaryKeys()).at(-1)
      return newest === undefined ? [] : [[queueKey, newest] as const]
    }),
  )
  return new Map(found.flat())
}

/** The writes of one lane in their order. */
export const inQueue = (db: UserDatabase, queueKey: string, first = Number.NEGATIVE_INFINITY) =>
  db.outbox.where('[queueKey+seq]').between([queueKey, first], [queueKey, Number.POSITIVE_INFINITY])

async function versionsOf(db: UserDatabase, drafts: readonly Placed[]): Promise<Map<string, number>> {
  const named = drafts.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : []))
  const names = byIntent(named.length > 0 ? await db.rowIds.bulkGet(named) : [])
  const idOf = (id: Id | null) => (typeof id === 'string' ? (names.get(id.slice(1))?.id ?? null) : id)
  const versions = new Map<string, number>()
  for (const table of new Set(drafts.map((draft) => draft.table))) {
    const ids = new Map<Id, number>()
    for (const { table: own, target } of drafts) {
      const id = own === table ? idOf(target) : null
      if (id !== null && target !== null) ids.set(target, id)
    }
    const rows = ids.size > 0 ? await rowsOf(db, table).bulkGet([...ids.values()]) : []
    ;[...ids.keys()].forEach((target, at) => {
      const row = rows[at]
      if (row) versions.set(rowKey(table, target), row.version)
    })
  }
  return versions
}

const rowKey = (table: string, target: Id | null) => `${table}:${target}`

/**
 * What a write is based on: what its form was opened on; where no form says it, the newest own write on the row, else
 * the row. A mended write (`lane` null) is the user's word after seeing how the row stands now (protocol 9, 14).
 */
export function baseOf(around: EnqueueContext, draft: Placed, queueKey: string | null): OutboxEntry['ifMatch'] {
  if (draft.target === null) return null
  const named = queueKey === null ? null : standing(around, draft.ifMatch)
  if (named !== null) return named
  const newest = queueKey === null ? undefined : around.newest.get(queueKey)
  return newest === undefined ? around.versionOf(draft) : `~${newest}`
}

const needsBase = (around: EnqueueContext, draft: Placed) =>
  draft.target !== null && (around.entries.has(draft.intent) || standing(around, draft.ifMatch) === null)

/**
 * A form may have been opened on a write that has since become part of another, or was dropped: a name that the server
 * will never know must not be sent. Null: nothing that still stands was named.
 */
function standing(around: EnqueueContext, ifMatch: OutboxEntry['ifMatch']): OutboxEntry['ifMatch'] {
  if (typeof ifMatch !== 'string') return ifMatch
  const receipt = around.receipts.get(ifMatch.slice(1))
  if (around.entries.has(ifMatch.slice(1)) || receipt === undefined) return ifMatch
  if (receipt.outcome === 'merged' && receipt.into !== undefined) return `~${receipt.into}`
  return receipt.outcome === 'done' ? ifMatch : null
}
