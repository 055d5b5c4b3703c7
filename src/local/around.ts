/** What a new write finds on the device: its lane, the newest write there, names and rows; read at once for many. */
import type { Id, Intent } from '#contract/endpoint.ts'
import { type Entry, type Receipt, rowsOf, type UserDatabase } from '#local/database.ts'
import { madeIn } from '#local/loss.ts'

/** The parts of a draft that decide where it stands. */
export type Placed = Pick<Entry, 'intent' | 'kind' | 'table' | 'target' | 'ifMatch'> & {
  refers: readonly Intent[]
  versioned: boolean
  /** Its intent was made with it, so that nothing can be here under it. */
  isNew?: boolean
}

export interface Around {
  /** Under the drafts' own intents and those they refer to. */
  entries: Map<Intent, Entry>
  receipts: Map<Intent, Receipt>
  lastSeq: number
  /** How many writes were ever recorded here. */
  made: number
  laneOf(draft: Placed): string
  /** The newest write of each lane that somebody must know it of. */
  newest: Map<string, Entry>
  versionOf(draft: Placed): number | null
}

/**
 * Inside a transaction over outbox, names, receipts, meta and the drafts' rows. What can be asked for in one breath is:
 * each question that waits for the answer to another is a turn more before the write is on disk.
 */
export async function lookAround(db: UserDatabase, drafts: readonly Placed[]): Promise<Around> {
  const based = drafts.flatMap(({ ifMatch }) => (typeof ifMatch === 'string' ? [ifMatch.slice(1)] : []))
  const own = drafts.flatMap(({ intent, isNew }) => (isNew ? [] : [intent]))
  const intents = [...new Set([...own, ...drafts.flatMap(({ refers }) => refers), ...based])]
  const [there, settled, [lastSeq = 0], makers, made] = await Promise.all([
    db.outbox.bulkGet(intents),
    db.receipts.bulkGet(intents),
    db.outbox.orderBy('seq').reverse().limit(1).keys() as PromiseLike<number[]>,
    makersOf(db, drafts),
    madeIn(db),
  ])
  const around: Around = {
    entries: byIntent(there),
    receipts: byIntent(settled),
    lastSeq,
    made,
    laneOf: (draft) => laneOf(draft, makers),
    newest: new Map(),
    versionOf: () => null,
  }
  const unsure = drafts.filter((draft) => draft.versioned && needsBase(around, draft))
  const lanes = [...new Set(unsure.map(around.laneOf))]
  // One that is mended is based on the row as it is now, whatever waits behind it.
  const [newest, versions] = await Promise.all([newestOf(db, lanes), versionsOf(db, unsure)])
  around.newest = newest
  around.versionOf = ({ table, target }) => versions.get(`${table}:${target}`) ?? null
  return around
}

const byIntent = <T extends { intent: Intent }>(found: readonly (T | undefined)[]) =>
  new Map(found.flatMap((one) => (one ? [[one.intent, one] as const] : [])))

/** Whoever is stored behind it in the same breath finds it here. */
export function seen(around: Around, entry: Entry): void {
  around.entries.set(entry.intent, entry)
  around.newest.set(entry.lane, entry)
  around.lastSeq = Math.max(around.lastSeq, entry.seq)
}

/** The writes that made rows which are spoken of by their ids. */
async function makersOf(db: UserDatabase, drafts: readonly Placed[]): Promise<Map<string, Intent>> {
  const numbered = drafts.flatMap(({ kind, target }) => (typeof target === 'number' ? [[kind, target]] : []))
  if (numbered.length === 0) return new Map()
  const names = await db.names.where('[kind+id]').anyOf(numbered).toArray()
  return new Map(names.map(({ kind, id, intent }) => [`${kind}:${id}`, intent]))
}

/** One lane a row, whatever it is called: an id is taken back to the intent that made it (protocol 18). */
function laneOf({ kind, target, intent }: Placed, made: ReadonlyMap<string, Intent>): string {
  if (target === null) return `${kind}:~${intent}`
  if (typeof target === 'string') return `${kind}:${target}`
  const maker = made.get(`${kind}:${target}`)
  return maker === undefined ? `${kind}:${target}` : `${kind}:~${maker}`
}

async function newestOf(db: UserDatabase, lanes: readonly string[]): Promise<Map<string, Entry>> {
  const found = await Promise.all(lanes.map((lane) => inLane(db, lane).last()))
  return new Map(found.flatMap((entry) => (entry ? [[entry.lane, entry] as const] : [])))
}

/** The writes of one lane in their order. */
export const inLane = (db: UserDatabase, lane: string) =>
  db.outbox.where('[lane+seq]').between([lane, Number.NEGATIVE_INFINITY], [lane, Number.POSITIVE_INFINITY])

async function versionsOf(db: UserDatabase, drafts: readonly Placed[]): Promise<Map<string, number>> {
  const named = drafts.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : []))
  const names = byIntent(named.length > 0 ? await db.names.bulkGet(named) : [])
  const idOf = (id: Id | null) => (typeof id === 'string' ? (names.get(id.slice(1))?.id ?? null) : id)
  const versions = new Map<string, number>()
  for (const table of new Set(drafts.map((draft) => draft.table))) {
    const own = drafts.filter((draft) => draft.table === table)
    const found = own.flatMap(({ target }) => {
      const id = idOf(target)
      return id === null ? [] : [{ target, id }]
    })
    const rows = found.length > 0 ? await rowsOf(db, table).bulkGet(found.map(({ id }) => id)) : []
    rows.forEach((row, at) => row && versions.set(`${table}:${found[at]?.target}`, row.version))
  }
  return versions
}

/**
 * What a write is based on: what its form was opened on; where no form says it, the newest own write on the row, else
 * the row. A mended write (`lane` null) is the user's word after seeing how the row stands now (protocol 9, 14).
 */
export function baseOf(around: Around, draft: Placed, lane: string | null): Entry['ifMatch'] {
  if (draft.target === null) return null
  const named = lane === null ? null : standing(around, draft.ifMatch)
  if (named !== null) return named
  const newest = lane === null ? undefined : around.newest.get(lane)
  return newest ? `~${newest.intent}` : around.versionOf(draft)
}

const needsBase = (around: Around, draft: Placed) =>
  draft.target !== null && (around.entries.has(draft.intent) || standing(around, draft.ifMatch) === null)

/**
 * A form may have been opened on a write that has since become part of another, or was dropped: a name that the server
 * will never know must not be sent. Null: nothing that still stands was named.
 */
function standing(around: Around, ifMatch: Entry['ifMatch']): Entry['ifMatch'] {
  if (typeof ifMatch !== 'string') return ifMatch
  const receipt = around.receipts.get(ifMatch.slice(1))
  if (around.entries.has(ifMatch.slice(1)) || receipt === undefined) return ifMatch
  if (receipt.outcome === 'merged' && receipt.into !== undefined) return `~${receipt.into}`
  return receipt.outcome === 'done' ? ifMatch : null
}
