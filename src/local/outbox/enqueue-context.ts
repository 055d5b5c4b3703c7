/** What a new write finds on the device: its lane, the newest write there, names and rows; read at once for many. */
import type { RowRef, Intent } from '#contract/endpoint.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { readMarks } from '#local/outbox/counters.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import type { OutboxEntry, Receipt } from '#local/storage/records.ts'

/** The parts of a draft that decide where it stands. */
export type EntryPlacement = Pick<OutboxEntry, 'intent' | 'kind' | 'table' | 'target' | 'ifMatch'> & {
  referredIntents: readonly Intent[]
  isVersioned: boolean
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
  recordedCount: number
  /** The gate's generation; null: closed. */
  sessionGeneration: number | null
  getQueueKey(draft: EntryPlacement): string
  /** The newest write of each lane that somebody must know it of. */
  latestIntents: Map<string, Intent>
  getRowVersion(draft: EntryPlacement): number | null
}

/**
 * Inside a transaction over outbox, names, receipts, meta and the drafts' rows. What can be asked for in one breath is:
 * each question that waits for the answer to another is a turn more before the write is on disk.
 */
export async function readEnqueueContext(db: UserDatabase, drafts: readonly EntryPlacement[]): Promise<EnqueueContext> {
  const baseIntents = drafts.flatMap(({ ifMatch }) => (typeof ifMatch === 'string' ? [ifMatch.slice(1)] : []))
  const ownIntents = drafts.flatMap(({ intent, isNew }) => (isNew ? [] : [intent]))
  const intents = [
    ...new Set([...ownIntents, ...drafts.flatMap(({ referredIntents }) => referredIntents), ...baseIntents]),
  ]
  // Without a form that says what it was opened on, the base is asked for at once, as if no row had been made here.
  const unbasedDrafts = drafts.filter(
    ({ isVersioned, target, ifMatch }) => isVersioned && target !== null && ifMatch === null,
  )
  const queueKeys = unbasedDrafts.map(getQueueKeyOfTarget)
  const [entries, receipts, seals, writeMarks, creatorIntents, latestIntents, versions] = await Promise.all([
    intents.length > 0 ? db.outbox.bulkGet(intents) : [],
    intents.length > 0 ? db.receipts.bulkGet(intents) : [],
    ownIntents.length > 0 ? readSealedWrites(db) : [],
    readMarks(db),
    readCreatorIntents(db, drafts),
    readLatestIntents(db, queueKeys),
    readVersions(db, unbasedDrafts),
  ])
  const context: EnqueueContext = {
    entries: mapByIntent(entries),
    receipts: mapByIntent(receipts),
    hasSeals: seals.length > 0,
    ...writeMarks,
    getQueueKey: (draft) => buildQueueKey(draft, creatorIntents),
    latestIntents,
    getRowVersion: ({ table, target }) => versions.get(toRowKey(table, target)) ?? null,
  }
  const uncertainDrafts = drafts.filter((draft) => draft.isVersioned && needsBase(context, draft))
  const checkedKeys = new Set(queueKeys)
  const otherKeys = uncertainDrafts.map(context.getQueueKey).filter((queueKey) => !checkedKeys.has(queueKey))
  // One that is mended is based on the row as it is now, whatever waits behind it.
  const basedDrafts = uncertainDrafts.filter(({ ifMatch }) => ifMatch !== null)
  if (otherKeys.length + basedDrafts.length === 0) return context
  const [otherIntents, rows] = await Promise.all([readLatestIntents(db, otherKeys), readVersions(db, basedDrafts)])
  for (const [queueKey, intent] of otherIntents) latestIntents.set(queueKey, intent)
  for (const [row, version] of rows) versions.set(row, version)
  return context
}

const mapByIntent = <T extends { intent: Intent }>(records: readonly (T | undefined)[]) =>
  new Map(records.flatMap((record) => (record ? [[record.intent, record] as const] : [])))

/** Whoever is stored behind it in the same breath finds it here. */
export function addToContext(context: EnqueueContext, entry: OutboxEntry): void {
  context.entries.set(entry.intent, entry)
  context.latestIntents.set(entry.queueKey, entry.intent)
  context.lastSeq = Math.max(context.lastSeq, entry.seq)
}

/** The writes that made rows which are spoken of by their ids: one reading a kind, they are few. */
async function readCreatorIntents(db: UserDatabase, drafts: readonly EntryPlacement[]): Promise<Map<string, Intent>> {
  const spans = new Map<EntryPlacement['kind'], { minId: number; maxId: number }>()
  for (const { kind, target } of drafts) {
    if (typeof target !== 'number') continue
    const { minId, maxId } = spans.get(kind) ?? { minId: target, maxId: target }
    spans.set(kind, { minId: Math.min(minId, target), maxId: Math.max(maxId, target) })
  }
  const rowIds = await Promise.all(
    [...spans].map(([kind, { minId, maxId }]) =>
      db.rowIds.where('[kind+id]').between([kind, minId], [kind, maxId], true, true).toArray(),
    ),
  )
  return new Map(rowIds.flat().map(({ kind, id, intent }) => [`${kind}:${id}`, intent]))
}

/** One lane a row, whatever it is called: an id is taken back to the intent that made it (protocol 18). */
function buildQueueKey(draft: EntryPlacement, creatorIntents: ReadonlyMap<string, Intent>): string {
  const creatorIntent =
    typeof draft.target === 'number' ? creatorIntents.get(`${draft.kind}:${draft.target}`) : undefined
  return creatorIntent === undefined ? getQueueKeyOfTarget(draft) : `${draft.kind}:~${creatorIntent}`
}

const getQueueKeyOfTarget = ({ kind, target, intent }: EntryPlacement) => `${kind}:${target ?? `~${intent}`}`

/**
 * Of each lane the seq from which its newest is looked for: some write of it had that. Only saves reading: where nothing
 * is found from there on, the whole lane is looked through.
 */
const seqByQueueKey = new WeakMap<UserDatabase, Map<string, number>>()
const maxKnownQueues = 1_000

/** So that the next write on the row need not look far. */
export function noteQueueKey(db: UserDatabase, { queueKey, seq }: OutboxEntry): void {
  const sequences = seqByQueueKey.get(db) ?? new Map<string, number>()
  seqByQueueKey.set(db, sequences)
  if (sequences.size >= maxKnownQueues) sequences.clear()
  sequences.set(queueKey, seq)
}

/**
 * Always forwards. Chromium keeps what an index said of writes that are gone until somebody walks over it, and backwards
 * it walks over a thousand of these for seconds.
 */
async function readLatestIntents(db: UserDatabase, queueKeys: readonly string[]): Promise<Map<string, Intent>> {
  const entries = await Promise.all(
    [...new Set(queueKeys)].map(async (queueKey) => {
      const startSeq = seqByQueueKey.get(db)?.get(queueKey)
      const laterIntents = startSeq === undefined ? [] : await queryQueue(db, queueKey, startSeq).primaryKeys()
      const latestIntent = laterIntents.at(-1) ?? (await queryQueue(db, queueKey).primaryKeys()).at(-1)
      return latestIntent === undefined ? [] : [[queueKey, latestIntent] as const]
    }),
  )
  return new Map(entries.flat())
}

/** The writes of one lane in their order. */
export const queryQueue = (db: UserDatabase, queueKey: string, minSeq = Number.NEGATIVE_INFINITY) =>
  db.outbox.where('[queueKey+seq]').between([queueKey, minSeq], [queueKey, Number.POSITIVE_INFINITY])

async function readVersions(db: UserDatabase, drafts: readonly EntryPlacement[]): Promise<Map<string, number>> {
  const intents = drafts.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : []))
  const rowIds = mapByIntent(intents.length > 0 ? await db.rowIds.bulkGet(intents) : [])
  const getRowId = (id: RowRef | null) => (typeof id === 'string' ? (rowIds.get(id.slice(1))?.id ?? null) : id)
  const versions = new Map<string, number>()
  for (const table of new Set(drafts.map((draft) => draft.table))) {
    const ids = new Map<RowRef, number>()
    for (const { table: draftTable, target } of drafts) {
      const id = draftTable === table ? getRowId(target) : null
      if (id !== null && target !== null) ids.set(target, id)
    }
    const rows = ids.size > 0 ? await getRowTable(db, table).bulkGet([...ids.values()]) : []
    ;[...ids.keys()].forEach((target, index) => {
      const row = rows[index]
      if (row) versions.set(toRowKey(table, target), row.version)
    })
  }
  return versions
}

const toRowKey = (table: string, target: RowRef | null) => `${table}:${target}`

/**
 * What a write is based on: what its form was opened on; where no form says it, the newest own write on the row, else
 * the row. A mended write (`lane` null) is the user's word after seeing how the row stands now (protocol 9, 14).
 */
export function getBase(
  context: EnqueueContext,
  draft: EntryPlacement,
  queueKey: string | null,
): OutboxEntry['ifMatch'] {
  if (draft.target === null) return null
  const formBase = queueKey === null ? null : resolveBase(context, draft.ifMatch)
  if (formBase !== null) return formBase
  const latestIntent = queueKey === null ? undefined : context.latestIntents.get(queueKey)
  return latestIntent === undefined ? context.getRowVersion(draft) : `~${latestIntent}`
}

const needsBase = (context: EnqueueContext, draft: EntryPlacement) =>
  draft.target !== null && (context.entries.has(draft.intent) || resolveBase(context, draft.ifMatch) === null)

/**
 * A form may have been opened on a write that has since become part of another, or was dropped: a name that the server
 * will never know must not be sent. Null: nothing that still stands was named.
 */
function resolveBase(context: EnqueueContext, ifMatch: OutboxEntry['ifMatch']): OutboxEntry['ifMatch'] {
  if (typeof ifMatch !== 'string') return ifMatch
  const receipt = context.receipts.get(ifMatch.slice(1))
  if (context.entries.has(ifMatch.slice(1)) || receipt === undefined) return ifMatch
  if (receipt.outcome === 'merged' && receipt.into !== undefined) return `~${receipt.into}`
  return receipt.outcome === 'done' ? ifMatch : null
}
