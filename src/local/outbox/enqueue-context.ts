import type { RowRef, Intent } from '#contract/endpoint.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { readMarks } from '#local/outbox/counters.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import type { OutboxEntry, Receipt } from '#local/storage/records.ts'

export type EntryPlacement = Pick<OutboxEntry, 'intent' | 'kind' | 'table' | 'target' | 'ifMatch'> & {
  referredIntents: readonly Intent[]
  isVersioned: boolean
  /** True if the intent was created with the draft, so nothing can be stored under it yet. */
  isNew?: boolean
}

export interface EnqueueContext {
  entries: Map<Intent, OutboxEntry>
  receipts: Map<Intent, Receipt>
  /** True if there are sealed writes. They may contain a write with a repeated intent. */
  hasSeals: boolean
  lastSeq: number
  recordedCount: number
  /** Open session generation, or null if the session is closed. */
  sessionGeneration: number | null
  getQueueKey(draft: EntryPlacement): string
  latestIntents: Map<string, Intent>
  getRowVersion(draft: EntryPlacement): number | null
}

/**
 * Must run inside a transaction over all these tables. Reads run in parallel, because each sequential read would delay the write by one
 * turn.
 */
export async function readEnqueueContext(db: UserDatabase, drafts: readonly EntryPlacement[]): Promise<EnqueueContext> {
  const baseIntents = drafts.flatMap(({ ifMatch }) => (typeof ifMatch === 'string' ? [ifMatch.slice(1)] : []))
  const ownIntents = drafts.flatMap(({ intent, isNew }) => (isNew ? [] : [intent]))
  const intents = [
    ...new Set([...ownIntents, ...drafts.flatMap(({ referredIntents }) => referredIntents), ...baseIntents]),
  ]
  // A draft without a base from a form gets its base now. Its queue key is looked up as if no row had been created on this device.
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
  // A corrected write is based on the current row, regardless of later writes in its queue.
  const basedDrafts = uncertainDrafts.filter(({ ifMatch }) => ifMatch !== null)
  if (otherKeys.length + basedDrafts.length === 0) return context
  const [otherIntents, rows] = await Promise.all([readLatestIntents(db, otherKeys), readVersions(db, basedDrafts)])
  for (const [queueKey, intent] of otherIntents) latestIntents.set(queueKey, intent)
  for (const [row, version] of rows) versions.set(row, version)
  return context
}

const mapByIntent = <T extends { intent: Intent }>(records: readonly (T | undefined)[]) =>
  new Map(records.flatMap((record) => (record ? [[record.intent, record] as const] : [])))

export function addToContext(context: EnqueueContext, entry: OutboxEntry): void {
  context.entries.set(entry.intent, entry)
  context.latestIntents.set(entry.queueKey, entry.intent)
  context.lastSeq = Math.max(context.lastSeq, entry.seq)
}

/**
 * Returns the intents that created the rows to which drafts refer by id. One range read per kind is enough, because few such rows exist.
 */
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

/** Returns one queue key per row: an id is mapped back to the intent that created the row (protocol 18). */
function buildQueueKey(draft: EntryPlacement, creatorIntents: ReadonlyMap<string, Intent>): string {
  const creatorIntent =
    typeof draft.target === 'number' ? creatorIntents.get(`${draft.kind}:${draft.target}`) : undefined
  return creatorIntent === undefined ? getQueueKeyOfTarget(draft) : `${draft.kind}:~${creatorIntent}`
}

const getQueueKeyOfTarget = ({ kind, target, intent }: EntryPlacement) => `${kind}:${target ?? `~${intent}`}`

/**
 * Sequence numbers where the search for a queue's latest entry starts. This is only an optimisation: the complete queue is searched if
 * needed.
 */
const seqByQueueKey = new WeakMap<UserDatabase, Map<string, number>>()
const maxKnownQueues = 1_000

export function noteQueueKey(db: UserDatabase, { queueKey, seq }: OutboxEntry): void {
  const sequences = seqByQueueKey.get(db) ?? new Map<string, number>()
  seqByQueueKey.set(db, sequences)
  if (sequences.size >= maxKnownQueues) sequences.clear()
  sequences.set(queueKey, seq)
}

/** Searches forwards only: in Chromium a backward scan over a thousand deleted index records takes seconds. */
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
 * Returns what a write is based on: the base of its form; otherwise the device's latest write on the row; otherwise the row. A corrected
 * write (`queueKey` null) is always based on the row, because its user has seen the current row (protocol 9, 14).
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

/** Replaces a base that the server will never have, because its write was merged or dropped. Returns null if no valid base is left. */
function resolveBase(context: EnqueueContext, ifMatch: OutboxEntry['ifMatch']): OutboxEntry['ifMatch'] {
  if (typeof ifMatch !== 'string') return ifMatch
  const receipt = context.receipts.get(ifMatch.slice(1))
  if (context.entries.has(ifMatch.slice(1)) || receipt === undefined) return ifMatch
  if (receipt.outcome === 'merged' && receipt.into !== undefined) return `~${receipt.into}`
  return receipt.outcome === 'done' ? ifMatch : null
}
