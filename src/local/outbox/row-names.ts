/**
 * Order between writes of different rows that know each other by name (decision 82): a module by its code, a user by an e-mail
 * address. What needs a name waits for the write that brings it; what takes one away goes after those that need it.
 */
import { endpointNamed, type Id, type Intent } from '#contract/endpoint.ts'
import { fieldProblems } from '#contract/problem.ts'
import type { RowNames } from '#domain/row-names.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { queuesOf } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

type Write = Pick<OutboxEntry, 'intent' | 'endpoint' | 'table' | 'target' | 'action' | 'input' | 'base'>
type QueuedWrite = Write & Pick<OutboxEntry, 'queueKey' | 'seq' | 'dependsOn'>
type Fields = Record<string, unknown>

const getNames = ({ endpoint }: Pick<Write, 'endpoint'>): RowNames | undefined =>
  queuesOf(endpointNamed(endpoint))?.names

/** Their rows name each other. */
const catalogue = ['modules', 'price_lists', 'orders']
const isCatalogue = ({ table }: Pick<Write, 'table'>) => catalogue.includes(table)

/** Tables, beside the outbox, that finding the order of these writes reads. */
export const getNameTables = (writes: readonly Pick<Write, 'endpoint' | 'table'>[]): string[] =>
  writes.some((write) => isCatalogue(write) && getNames(write)) ? catalogue : []

export interface NameOrder {
  /** Intents of the writes that have to be settled before this one. */
  findEarlier(entry: QueuedWrite): Intent[]
  /** A write that was stored since. */
  add(entry: QueuedWrite): void
}

/** Inside a transaction over outbox, rowIds and the writes' tables. Null: none of them has names. */
export async function readNameOrder(db: UserDatabase, drafts: readonly Write[]): Promise<NameOrder | null> {
  const named = drafts.filter(getNames)
  if (named.length === 0) return null
  const entries = new Map<Intent, QueuedWrite>()
  for (const entry of await readSharing(db, named)) entries.set(entry.intent, entry)
  const fields = await readFields(db, [...named, ...entries.values()])
  const used = new Map<Intent, UsedNames | undefined>()
  const order: NameOrder = {
    add: (entry) => void (getNames(entry) && entries.set(entry.intent, entry)),
    findEarlier(entry) {
      const own = getUsedNames(entry, fields, entries)
      if (!own) return []
      const found = [...entries.values()].filter((other) => {
        if (other.intent === entry.intent || other.queueKey === entry.queueKey) return false
        if (!used.has(other.intent)) used.set(other.intent, getUsedNames(other, fields, entries))
        const names = used.get(other.intent)
        if (!names) return false
        // One that is sent again keeps its place, and may need what was made after it.
        const brings = share(names.own, own.needs)
        if (other.seq > entry.seq) return brings && !isAfter(other, entry.intent, entries)
        const frees = share(names.own, own.own) && (other.action !== 'create' || entry.action !== 'create')
        return brings || frees || (entry.action !== 'create' && share(names.needs, own.own))
      })
      return found.map(({ intent }) => intent)
    },
  }
  return order
}

const share = (names: readonly string[], others: readonly string[]) => names.some((name) => others.includes(name))

/** Those that may share a name with one of these. Invitations only meet deletions, and those have a version to be based on. */
async function readSharing(db: UserDatabase, drafts: readonly Write[]): Promise<OutboxEntry[]> {
  const isInviting = drafts.some(({ table, action }) => table === 'users' && action === 'create')
  const [shared, deletions] = await Promise.all([
    drafts.some(isCatalogue) ? db.outbox.where('table').anyOf(catalogue).toArray() : [],
    isInviting
      ? db.outbox
          .where('ifMatch')
          .aboveOrEqual(Number.NEGATIVE_INFINITY)
          .filter(({ table, action }) => table === 'users' && action === 'delete')
          .toArray()
      : [],
  ])
  return [...shared, ...deletions].filter(getNames)
}

/** What the rows of these writes are without them, by table and target. */
async function readFields(db: UserDatabase, writes: readonly Write[]): Promise<Map<string, Fields>> {
  const targets = writes.flatMap(({ table, target }) => (target === null ? [] : [{ table, target }]))
  const intents = [...new Set(targets.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : [])))]
  const [creations, ids] = await Promise.all([
    intents.length > 0 ? db.outbox.bulkGet(intents) : [],
    intents.length > 0 ? db.rowIds.bulkGet(intents) : [],
  ])
  const made = new Map(creations.flatMap((entry) => (entry ? [[entry.intent, getBody(entry)] as const] : [])))
  const known = new Map(ids.flatMap((row) => (row ? [[row.intent, row.id] as const] : [])))
  const found = new Map<string, Fields>()
  for (const table of new Set(targets.map((one) => one.table))) {
    const own = targets.filter((one) => one.table === table)
    const getId = (target: Id) => (typeof target === 'number' ? target : known.get(target.slice(1)))
    const rows = await rowsOf(db, table).bulkGet(own.map(({ target }) => getId(target) ?? -1))
    own.forEach(({ target }, at) => {
      const body = typeof target === 'string' ? made.get(target.slice(1)) : undefined
      found.set(getRowKey(table, target), body ?? { ...rows[at]?.row })
    })
  }
  return found
}

const getRowKey = (table: string, target: Id | null) => `${table} ${target}`
const getBody = ({ input }: Pick<Write, 'input'>): Fields => ({ ...(input.body as object | undefined) })

interface UsedNames {
  /** That it gives to its row or takes from it. */
  own: string[]
  needs: string[]
}

/** Undefined: it has to do with no name, or a newer build made it. */
function getUsedNames(
  write: QueuedWrite,
  rows: ReadonlyMap<string, Fields>,
  entries: ReadonlyMap<Intent, QueuedWrite>,
): UsedNames | undefined {
  const names = getNames(write)
  if (!names) return undefined
  const { own, needs = () => [] } = names
  const body = getBody(write)
  if (write.action === 'create') return { own: own(body), needs: needs(body) }
  // As the earlier writes of the row will have left it.
  const queued = [...entries.values()].filter(({ queueKey, seq }) => queueKey === write.queueKey && seq < write.seq)
  const before = Object.assign(
    {},
    rows.get(getRowKey(write.table, write.target)),
    ...queued.toSorted((a, b) => a.seq - b.seq).map(getBody),
    write.base,
  ) as Fields
  if (write.action === 'delete') return { own: own(before), needs: needs(before) }
  const after = { ...before, ...body }
  return { own: getChanged(own(before), own(after)), needs: getChanged(needs(before), needs(after)) }
}

/** Empty where a change leaves the names as they are: then it has no part in them. */
const getChanged = (before: string[], after: string[]) =>
  JSON.stringify(before) === JSON.stringify(after) ? [] : [...before, ...after]

/** Whether it waits for that write itself, so that neither would ever go. */
function isAfter(entry: QueuedWrite, intent: Intent, entries: ReadonlyMap<Intent, QueuedWrite>): boolean {
  const seen = new Set<Intent>()
  const reaches = (one: QueuedWrite): boolean => {
    if (one.intent === intent || one.dependsOn.includes(intent)) return true
    if (seen.has(one.intent)) return false
    seen.add(one.intent)
    const ahead = [...entries.values()].filter(
      (other) => one.dependsOn.includes(other.intent) || (other.queueKey === one.queueKey && other.seq < one.seq),
    )
    return ahead.some(reaches)
  }
  return reaches(entry)
}

/**
 * Whether a write cannot be without the creation that it waits for. Not where it only keeps its place behind it, nor where the
 * creation was refused because the row is there already.
 */
export function needsCreation(write: OutboxEntry, creation: OutboxEntry): boolean {
  if (JSON.stringify(write.input).includes(`~${creation.intent}`)) return true
  const [own, needs] = [getNames(creation)?.own, getNames(write)?.needs]
  // Made by a newer build: that one knows why it waits.
  if (!own || !getNames(write)) return !endpointNamed(write.endpoint) || !endpointNamed(creation.endpoint)
  const body = getBody(creation)
  const { type, client_type } = body
  const wanted = needs?.({ ...write.base, ...getBody(write), type, client_type: type ?? client_type }) ?? []
  const isThere = creation.problem !== null && fieldProblems(creation.problem).some(({ code }) => code === 'DUPLICATE')
  return !isThere && share(own(body), wanted)
}
